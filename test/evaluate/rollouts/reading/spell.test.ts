import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { HuggingFaceTokenizer } from '../../../../src/policy/open/tokenizer.ts';
import { tokenBlocks, blockAt } from '../../../../src/evaluate/rollouts/reading/token-blocks.ts';
import {
  cutBy,
  spellIds,
  spellSegments,
  withTexts,
} from '../../../../src/evaluate/rollouts/reading/spell.ts';
import { tokenTable } from '../../../../src/evaluate/rollouts/reading/token-table.ts';
import { rolloutOf } from '../lint/rollout.ts';

/** Bytes of UTF-8 as tokens: a letter of two bytes takes two ids. */
const byBytes = (ids: readonly number[]): string => new TextDecoder().decode(Uint8Array.from(ids));
const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];

describe('texts of single tokens', () => {
  it('join to the text; a letter of several tokens stands with its first', () => {
    expect(spellIds(bytesOf('né€ 𝄞x'), byBytes)).toEqual([
      'n',
      'é',
      '',
      '€',
      '',
      '',
      ' ',
      '𝄞',
      '',
      '',
      '',
      'x',
    ]);
  });

  it('keep the blank that a decoder drops at the beginning of a text', () => {
    const words = ['▁Ida', '▁Holm', 'en'];
    const decode = (ids: readonly number[]): string =>
      ids
        .map((id) => words[id] ?? '')
        .join('')
        .replaceAll('▁', ' ')
        .replace(/^ /, '');
    expect(spellIds([0, 1, 2], decode)).toEqual(['Ida', ' Holm', 'en']);
  });

  it('take broken bytes as they are, and go on', () => {
    expect(spellIds([0x6e, 0xff, 0x6e], byBytes)).toEqual(['n', '\u{FFFD}', 'n']);
  });

  it('spell the stored rollouts of the shipped policy as they were written', () => {
    const file = (name: string): object =>
      JSON.parse(readFileSync(`public/policy/${name}`, 'utf8')) as object;
    const tokenizer = new HuggingFaceTokenizer(
      file('tokenizer.json'),
      file('tokenizer_config.json'),
    );
    const text = '<think> birth year of Helga Lanwell , earlier .</think>';
    const ids = tokenizer.encodeTemplate(text);
    expect(spellIds(ids, (some) => tokenizer.decode(some)).join('')).toBe(text);
  });
});

const own = rolloutOf([
  { source: 'prompt', role: 'question', text: 'né', ids: bytesOf('né'), mask: 0 },
  { source: 'policy', role: 'think', text: 'I\nam', ids: bytesOf('I\nam'), mask: 1 },
  { source: 'policy', role: 'answer', text: 'Oslo', ids: [1, 2, 3], mask: 1 },
]);

describe('the tokenizer of a rollout', () => {
  it('is the one that makes the text of the ids, whatever it is called', () => {
    expect(cutBy(own, byBytes)).toBe(true);
    expect(cutBy(own, (ids) => ids.join())).toBe(false);
  });

  it('leaves out a segment whose ids are not its text', () => {
    expect(spellSegments(own, byBytes)).toEqual([['n', 'é', ''], ['I', '\n', 'a', 'm'], null]);
  });
});

describe('tokens as text', () => {
  it('is cut at line ends and segments; a segment without texts of tokens is shown whole', () => {
    const texts = withTexts(own, spellSegments(own, byBytes));
    const table = tokenTable(texts);
    expect(table.texts.slice(0, 3)).toEqual(['n', 'é', '']);
    const blocks = tokenBlocks(table, texts.segments);
    expect(blocks).toEqual([
      { segment: 0, from: 0, to: 3, first: true, whole: null },
      { segment: 1, from: 3, to: 5, first: true, whole: null },
      { segment: 1, from: 5, to: 7, first: false, whole: null },
      { segment: 2, from: 7, to: 10, first: true, whole: 'Oslo' },
    ]);
    expect([0, 4, 6, 9, 10].map((token) => blockAt(blocks, token))).toEqual([0, 1, 2, 3, -1]);
  });

  it('holds every token of a long text once, in blocks that end before a blank', () => {
    const tokens = Array.from({ length: 30_000 }, (_, i) => (i % 3 === 0 ? ' wo' : 'rd'));
    const long = rolloutOf([{ source: 'policy', role: 'think', text: tokens.join(''), tokens }]);
    const blocks = tokenBlocks(tokenTable(long), long.segments);
    expect(blocks.length).toBeGreaterThan(70);
    let next = 0;
    for (const { from, to } of blocks) {
      expect(from).toBe(next);
      expect(to - from).toBeLessThanOrEqual(400);
      expect(tokens[from]).toBe(' wo');
      next = to;
    }
    expect(next).toBe(30_000);
  });
});
