import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spellTokens, tokenOffsets } from '../../../src/formats/rollouts/shape/token-text.ts';

describe('where tokens start in their text', () => {
  it('is read from tokens as they are decoded', () => {
    expect(tokenOffsets('Who wrote it', ['Who', ' wr', 'ote', ' it'])).toEqual([0, 3, 6, 9, 12]);
  });

  it('is read from the marks of a byte-level vocabulary and of SentencePiece', () => {
    expect(tokenOffsets('a b\nc', ['a', 'Ġb', 'Ċ', 'c'])).toEqual([0, 1, 3, 4, 5]);
    expect(tokenOffsets('a b', ['a', '▁b'])).toEqual([0, 1, 3]);
  });

  it('is read from bytes where a character is cut: its tokens start where it does', () => {
    // é is C3 A9, "Ã" and "©" in GPT-2's alphabet; 雪 is E9 9B AA, "é", "Ľ" and "ª".
    expect(tokenOffsets('né!', ['n', 'Ã', '©', '!'])).toEqual([0, 1, 1, 2, 3]);
    expect(tokenOffsets('a 雪', ['a', 'ĠéĽ', 'ª'])).toEqual([0, 1, 2, 3]);
    // One beyond the first plane takes two units of the text: 😀 is F0 9F 98 80.
    expect(tokenOffsets('😀.', ['ðŁĺĢ', '.'])).toEqual([0, 2, 3]);
  });

  it('leaves out what ends a sequence or fills a batch', () => {
    const padded = ['a', '</s>', '[PAD]', '<|endoftext|>'];
    expect(tokenOffsets('a', padded)).toEqual([0, 1, 1, 1, 1]);
    expect(tokenOffsets('é', ['Ã', '©', '</s>'])).toEqual([0, 0, 1, 1]);
    // Not inside the text, and nothing that only looks like it.
    expect(tokenOffsets('ab', ['a', '</s>', 'b'])).toBeNull();
    expect(tokenOffsets('a', ['a', 'x'])).toBeNull();
    expect(tokenOffsets('é', ['Ã', '</s>', '©'])).toBeNull();
  });

  it('is not known where the tokens spell another text, or a part of it', () => {
    expect(tokenOffsets('ab', ['a'])).toBeNull();
    expect(tokenOffsets('ab', ['a', 'c'])).toBeNull();
    expect(tokenOffsets('é', ['Ã'])).toBeNull();
    expect(tokenOffsets('é', ['雪'])).toBeNull();
    expect(tokenOffsets('', [])).toEqual([0]);
  });
});

describe("tokens' texts that joined are the text", () => {
  it('are those that each token is decoded to', () => {
    expect(spellTokens('one two', ['one', ' two'])).toEqual(['one', ' two']);
    expect(spellTokens('', [])).toEqual([]);
  });

  it('lose the space in front of the first token where the text has none', () => {
    expect(spellTokens('one two', [' one', ' two'])).toEqual(['one', ' two']);
    expect(spellTokens('one two', ['one', '  two'])).toBeNull();
  });

  it('give a character to the last of the tokens that hold parts of it', () => {
    expect(spellTokens('a雪b', ['a', '\uFFFD', '\uFFFD', 'b'])).toEqual(['a', '', '雪', 'b']);
    expect(spellTokens('雪', ['\uFFFD', '\uFFFD'])).toEqual(['', '雪']);
    // Text before or after the part in one token.
    expect(spellTokens('x 雪y', ['x', ' \uFFFD', '\uFFFDy'])).toEqual(['x', '', ' 雪y']);
    expect(spellTokens('雪a雪', ['\uFFFD', '\uFFFD', 'a', '\uFFFD', '\uFFFD'])).toEqual([
      '',
      '雪',
      'a',
      '',
      '雪',
    ]);
  });

  it('are not known where they spell another text', () => {
    expect(spellTokens('one two', ['one'])).toBeNull();
    expect(spellTokens('one', ['two'])).toBeNull();
    expect(spellTokens('雪b', ['\uFFFD', 'c'])).toBeNull();
  });

  it('join to the text, however its bytes are cut', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', ' ', 'é', '雪', '😀'), { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
        (characters, sizes) => {
          const text = characters.join('');
          const all = bytes(text);
          const pieces: string[] = [];
          for (let at = 0, i = 0; at < all.length; i++) {
            const size = sizes[i % sizes.length] ?? 1;
            pieces.push(new TextDecoder().decode(all.slice(at, at + size)));
            at += size;
          }
          const spelt = spellTokens(text, pieces);
          // Where a repeated character makes the cut ambiguous, it may say so instead.
          if (spelt === null) return;
          expect(spelt).toHaveLength(pieces.length);
          expect(spelt.join('')).toBe(text);
        },
      ),
    );
  });
});
