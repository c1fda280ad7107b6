import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { BYTE_CHARACTERS, SPLIT_PATTERN, trainBpe } from '../../../src/pretrain/policy/bpe.ts';
import { TOKENIZER_CONFIG } from '../../agent/tokenizer.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';
import { FIRST_NAMES, TITLE_FIRST, TITLE_SECOND } from '../../../src/world/facts/inventory.ts';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const shipped = new HuggingFaceTokenizer(
  z.looseObject({}).parse(read('public/encoder/tokenizer.json')),
  TOKENIZER_CONFIG,
);
const cases = z
  .array(
    z.object({
      text: z.string(),
      special: z.boolean(),
      ids: z.array(z.number()),
      decoded: z.string(),
    }),
  )
  .parse(read('test/fixtures/tokenizer/cases.json'));

describe('training', () => {
  // Counts: "low" 5, "lower" 2, "newest" 6, "widest" 3 (the example of Sennrich et al. 2016).
  const texts = [
    ...Array.from({ length: 5 }, () => 'low'),
    ...Array.from({ length: 2 }, () => 'lower'),
    ...Array.from({ length: 6 }, () => 'newest'),
    ...Array.from({ length: 3 }, () => 'widest'),
  ];

  it('merges the most frequent pair first', () => {
    const { model } = trainBpe(texts, { vocabSize: 262, specialTokens: [] });
    // e+s 9, s+t 9, w+e 8: the tie goes to "e s"; then es+t 9; then l+o 7 and lo+w 7; then n+e 6.
    expect(model.merges).toEqual([
      ['e', 's'],
      ['es', 't'],
      ['l', 'o'],
      ['lo', 'w'],
      ['e', 'w'],
      ['ew', 'est'],
    ]);
  });

  it('stops where no pair is frequent enough', () => {
    const json = trainBpe(['abab'], { vocabSize: 300, specialTokens: ['<x>'], minFrequency: 2 });
    expect(json.model.merges).toEqual([['a', 'b']]);
    expect(Object.keys(json.model.vocab).length).toBe(1 + 256 + 1);
    expect(json.model.vocab['<x>']).toBe(0);
  });

  it('counts "aaa" as it is merged, left to right', () => {
    const json = trainBpe(['aaa', 'aaa'], { vocabSize: 258, specialTokens: [] });
    expect(json.model.merges).toEqual([
      ['a', 'a'],
      ['aa', 'a'],
    ]);
  });

  it('refuses a vocabulary without room for the bytes', () => {
    expect(() => trainBpe(texts, { vocabSize: 255, specialTokens: [] })).toThrow(RangeError);
  });

  it('has a different character for every byte, none of them white space', () => {
    expect(new Set(BYTE_CHARACTERS).size).toBe(256);
    for (const c of BYTE_CHARACTERS) expect(c).toMatch(/^\S$/);
    expect(BYTE_CHARACTERS[0x20]).toBe('Ġ');
    expect(BYTE_CHARACTERS[0x41]).toBe('A');
  });

  it('splits without losing a character', () => {
    const pattern = new RegExp(SPLIT_PATTERN, 'gu');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect((text.match(pattern) ?? []).join('')).toBe(text);
      }),
    );
  });
});

describe('the shipped tokenizer', () => {
  it('gives the protocol tags the first ids, in their order', () => {
    expect(shipped.vocabSize).toBe(2048);
    SPECIAL_TOKENS.forEach((t, i) => expect(shipped.specialId(t)).toBe(i));
    expect(shipped.specialId('<nothing>')).toBeUndefined();
    expect(shipped.endOfText).toBe(0);
  });

  it('brings back any text, byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shipped.decode(shipped.encodeText(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it('never reads a special token out of text', () => {
    for (const tag of SPECIAL_TOKENS) {
      const ids = shipped.encodeText(` x ${tag} y${tag}`);
      expect(ids.every((id) => id >= SPECIAL_TOKENS.length)).toBe(true);
      expect(shipped.decode(ids)).toBe(` x ${tag} y${tag}`);
    }
  });

  it('writes special tokens out when it decodes', () => {
    const ids = [shipped.specialId('<search>')!, ...shipped.encodeText(' star of Red Fox')];
    expect(shipped.decode([...ids, shipped.specialId('</search>')!])).toBe(
      '<search> star of Red Fox</search>',
    );
    expect(shipped.decode([])).toBe('');
  });

  it('needs one piece for a first name or a title word, and two for a year', () => {
    for (const w of [...FIRST_NAMES, ...TITLE_FIRST, ...TITLE_SECOND])
      expect([w, shipped.encodeText(` ${w}`).length]).toEqual([w, 1]);
    for (let y = 1900; y < 2020; y++) expect(shipped.encodeText(` ${y}`).length).toBe(2);
  });

  it('cuts a name into the same pieces wherever it stands', () => {
    const name = shipped.encodeText(' Ada Karsin');
    for (const [before, after] of [
      ['', ' : Ada'],
      [' directed by', '.'],
      [' \\boxed{', ' }'],
      [' was won by Ivo,', ' and Eva'],
      ['\n', '?'],
    ] as const) {
      const ids = shipped.encodeText(`${before} Ada Karsin${after}`);
      const start = shipped.encodeText(before).length;
      expect(ids.slice(start, start + name.length)).toEqual(name);
    }
  });

  it('agrees with Hugging Face tokenizers in Python', () => {
    for (const c of cases.filter((c) => !c.special)) {
      expect([c.text, shipped.encodeText(c.text)]).toEqual([c.text, c.ids]);
      expect(shipped.decode(c.ids)).toBe(c.decoded);
    }
    for (const c of cases.filter((c) => c.special)) expect(shipped.decode(c.ids)).toBe(c.text);
  });
});
