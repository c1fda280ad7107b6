import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockIds, cutIds, passagesText } from '../../../src/agent/transcript/blocks.ts';
import { renderPassages, SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { LOCAL } from '../helpers.ts';
import { tokenizer } from '../tokenizer.ts';

const tags = readTags(tokenizer);
const [open] = tags.ids('<result>');
const [close] = tags.ids('</result>');
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...SPECIAL_TOKENS), fc.string({ unit: 'grapheme' })))
  .map((parts) => parts.join(' '));

describe('blocks of the environment', () => {
  it('hold no tag but their own two, whatever the text, and fit', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 60 }), (text, limit) => {
        const ids = blockIds(tokenizer, tags, 'result', text, limit);
        expect(ids.length).toBeLessThanOrEqual(limit);
        expect(ids[0]).toBe(open);
        expect(ids.at(-1)).toBe(close);
        expect(ids.slice(1, -1).every((id) => tags.meaning(id) === undefined)).toBe(true);
      }),
    );
  });

  it('keep the text as it is where it fits', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const ids = blockIds(tokenizer, tags, 'result', text);
        expect(tokenizer.decode(ids.slice(1, -1))).toBe(text);
      }),
    );
  });

  it('are not cut inside a character', () => {
    const ids = tokenizer.encodeText(' 雪雪雪');
    for (let n = 0; n <= ids.length; n++) {
      expect(tokenizer.decode(cutIds(ids, n, (some) => tokenizer.decode(some)))).not.toContain(
        '\uFFFD',
      );
    }
  });

  it('keep a broken character that stood in the text, where nothing is cut', () => {
    const broken = (some: readonly number[]): string => some.map(() => '\uFFFD').join('');
    expect(cutIds([1, 2, 3], 3, broken)).toEqual([1, 2, 3]);
    // Cut, it gives up three ids at most: no character has more than four bytes.
    expect(cutIds([1, 2, 3, 4, 5, 6], 5, broken)).toEqual([1, 2]);
    expect(cutIds([1, 2, 3], 2, (some) => 'ab'.slice(0, some.length))).toEqual([1, 2]);
    expect(cutIds([1, 2], -1, broken)).toEqual([]);
  });

  it('give way to the closing tag, down to no text at all', () => {
    const whole = blockIds(tokenizer, tags, 'result', ' a b c d');
    const length = whole.length;
    expect(blockIds(tokenizer, tags, 'result', ' a b c d', length)).toEqual(whole);
    expect(blockIds(tokenizer, tags, 'result', ' a b c d', length - 1)).toEqual([
      ...whole.slice(0, -2),
      close,
    ]);
    expect(blockIds(tokenizer, tags, 'result', ' a b c d', 2)).toEqual([open, close]);
    expect(blockIds(tokenizer, tags, 'result', ' a b c d', 0)).toEqual([open, close]);
  });

  it('show passages exactly as they were trained on, unless one is too long', () => {
    const hits = LOCAL.map((passage) => ({ passage, score: 1, source: 'local' as const }));
    expect(passagesText(tokenizer, hits, 96)).toBe(renderPassages(LOCAL));
    const long = { ...LOCAL[0], id: 'x', title: 'T', text: 'word '.repeat(200), sentences: [] };
    const cut = passagesText(tokenizer, [{ passage: long, score: 1, source: 'local' }], 20);
    expect(tokenizer.encodeText(cut).length).toBeLessThanOrEqual(20);
    expect(cut.startsWith(' T : word')).toBe(true);
  });
});
