import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFilter } from '../../../../src/evaluate/rollouts/filter/parse.ts';
import { printFilter } from '../../../../src/evaluate/rollouts/filter/ast.ts';
import {
  condition,
  formatBrowseAddress,
  narrowed,
  parseBrowseAddress,
  readerPath,
  type BrowseAddress,
} from '../../../../src/ui/rollouts/store/browse-address.ts';

test('the address restores what it was made of', () => {
  const address: BrowseAddress = {
    filter: 'em = 0 and think contains "a & b"',
    sort: { column: 'reward.answer', descending: true },
    group: ['step', 'question'],
    columns: ['question', 'reward.answer', 'em'],
    view: 'compare',
    other: 'file-2',
    by: 'judge',
  };
  expect(parseBrowseAddress(formatBrowseAddress(address))).toEqual(address);
  const plain = parseBrowseAddress('');
  expect(formatBrowseAddress(plain)).toBe('');
});

test('what an address cannot mean is left at its default', () => {
  expect(parseBrowseAddress('?sort=-&group=step,nothing,step&view=x&by=y&cols=,,')).toEqual({
    ...parseBrowseAddress(''),
    group: ['step'],
  });
});

test('a condition of any text is read back as that text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const filter = parseFilter(condition('question', '=', text));
      expect(filter).toEqual({ kind: 'equals', field: 'question', value: text, equal: true });
    }),
    // Words that the filter means something by.
    { examples: [['and'], ['NOT'], ['or']] },
  );
});

test('a filter is narrowed once, and an "or" keeps its meaning', () => {
  expect(narrowed('', 'em = 0')).toBe('em = 0');
  expect(narrowed('em = 0', 'em = 0')).toBe('em = 0');
  expect(narrowed('em = 0 and f1 > 0', 'em = 0')).toBe('em = 0 and f1 > 0');
  const either = narrowed('em = 0 or f1 = 0', 'lint has over-search');
  expect(printFilter(parseFilter(either))).toBe(
    printFilter(parseFilter('(em = 0 or f1 = 0) and lint has over-search')),
  );
});

test('no id makes a path that a server takes for a file', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      const path = readerPath('f', id).split('?')[0]!;
      expect(decodeURI(path)).not.toMatch(/\.[\w-]+$/);
      const part = path.replace(/\/$/, '').slice('/rollouts/f/'.length);
      if (!id.endsWith('/')) expect(decodeURIComponent(part)).toBe(id);
    }),
  );
  expect(readerPath('f', 'run/1:2')).toBe('/rollouts/f/run%2F1%3A2');
});
