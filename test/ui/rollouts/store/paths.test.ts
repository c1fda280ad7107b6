import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../src/evaluate/rollouts/filter/parse.ts';
import { printFilter } from '../../../../src/evaluate/rollouts/filter/ast.ts';
import { GROUP_FIELDS } from '../../../../src/lab/contract/records/rollout-files.ts';
import { GROUPINGS } from '../../../../src/ui/rollouts/file/groupings.ts';
import {
  filePath,
  formatBrowseAddress,
  isRollouts,
  narrowed,
  parseBrowseAddress,
  readerPath,
  type BrowseAddress,
} from '../../../../src/ui/rollouts/store/browse-address.ts';
import { parseReaderAddress } from '../../../../src/ui/rollouts/reader/store/address.ts';
import { whyNothingShared } from '../../../../src/ui/rollouts/nothing-shared.ts';

const canonical = (filter: string): string => printFilter(parseFilter(filter));

describe('the address of a file', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,12}$/);
  const address: fc.Arbitrary<BrowseAddress> = fc.record({
    filter: fc.string({ maxLength: 200 }),
    sort: fc.option(fc.record({ column: name, descending: fc.boolean() })),
    group: fc.uniqueArray(fc.constantFrom(...GROUP_FIELDS)),
    columns: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 60 })),
    view: fc.constantFrom(
      'table' as const,
      'disagreements' as const,
      'compare' as const,
      'lines' as const,
    ),
    other: fc.option(fc.string({ minLength: 1 })),
    by: fc.constantFrom(
      'em' as const,
      'f1.r1-searcher' as const,
      'subEm' as const,
      'judge' as const,
    ),
  });

  it('restores filter, order, groups, columns and comparison, whatever they are', () => {
    fc.assert(
      fc.property(address, (one) => {
        expect(parseBrowseAddress(formatBrowseAddress(one))).toEqual(one);
      }),
    );
  });

  it('never fails, and takes no more than it can use', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (text) => {
        const read = parseBrowseAddress(`?${text}`);
        expect(parseBrowseAddress(formatBrowseAddress(read))).toEqual(read);
      }),
    );
    const many = Array.from({ length: 200 }, (_, i) => `c${i}`).join(',');
    expect(parseBrowseAddress(`?cols=${many}`).columns).toHaveLength(60);
    expect(parseBrowseAddress(`?filter=${'x'.repeat(9999)}`).filter).toHaveLength(4000);
  });

  it.each([
    ['/rollouts', true],
    ['/rollouts/', true],
    ['/rollouts/f/r', true],
    ['/rolloutsx', false],
    ['/train/rollouts', false],
  ])('%s belongs to rollouts: %s', (path, wanted) => {
    expect(isRollouts(path)).toBe(wanted);
  });

  it('of a rollout never looks like a file to a server', () => {
    expect(readerPath('f', 'q.json')).toBe('/rollouts/f/q.json/');
    expect(readerPath('f', 'a/b?c', '?x=1')).toBe('/rollouts/f/a%2Fb%3Fc?x=1');
    expect(filePath('my run#1', '?x=1')).toBe('/rollouts/my%20run%231?x=1');
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        const path = readerPath('f', id);
        expect(path.replace(/\/$/, '')).not.toMatch(path.endsWith('/') ? /\/$/ : /\.[\w-]+$/);
        expect(parseReaderAddress(path, '').rolloutId).toBe(id);
      }),
    );
  });
});

describe('a filter that is narrowed', () => {
  it.each([
    ['em = 0 or f1 = 0', 'em = 0', '(em = 0 or f1 = 0) and em = 0'],
    // What is beside an "or" holds for one side alone.
    [
      'em = 0 or f1 = 0 and judge = 1',
      'judge = 1',
      '(em = 0 or f1 = 0 and judge = 1) and judge = 1',
    ],
    ['em = 0', 'f1 = 0 or judge = 1', 'em = 0 and (f1 = 0 or judge = 1)'],
    ['em = 0 and judge = 1', 'judge = 1', 'em = 0 and judge = 1'],
    ['  em = 0  ', 'judge = 1', 'em = 0 and judge = 1'],
  ])('%s by %s means both', (filter, more, wanted) => {
    expect(canonical(narrowed(filter, more))).toBe(canonical(wanted));
  });

  it('twice by the same is narrowed once', () => {
    const once = narrowed('em = 0', 'f1 > 0');
    expect(narrowed(once, 'f1 > 0')).toBe(once);
  });
});

it('groups as they can be asked for have fields that there are, each way once', () => {
  const ways = GROUPINGS.map(({ group }) => group.join());
  expect(new Set(ways).size).toBe(ways.length);
  for (const { group } of GROUPINGS)
    expect(parseBrowseAddress(`?group=${group.join()}`).group).toEqual(group);
});

it('says which of two files has nothing to compare, and what to do', () => {
  expect(whyNothingShared({ noScore: { a: null, b: null } })).toContain('share no question');
  expect(whyNothingShared({ noScore: { a: 'no-gold', b: null } })).toBe(
    'A has no gold answers, so nothing in it is scored',
  );
  expect(whyNothingShared({ noScore: { a: 'older', b: 'no-verdict' } })).toBe(
    'A was imported before this score existed; open it again to compute it; B has no judge verdicts; choose another score',
  );
});
