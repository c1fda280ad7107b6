import { describe, expect, it } from 'vitest';
import { Chunker, type Chunk } from '../../../../src/formats/import/readers/chunking.ts';

/** Chunks of paragraphs, each given with the line that it starts at. */
function chunks(
  [maxWords, overlapSentences]: [number, number],
  ...paragraphs: readonly (readonly [line: number, text: string])[]
): Chunk[] {
  const chunker = new Chunker('T', { maxWords, overlapSentences });
  const found = paragraphs.flatMap(([line, text]) => [...chunker.add(text, line)]);
  return [...found, ...chunker.end()];
}

describe('a chunk', () => {
  it('says the line of its first sentence that no chunk before it has', () => {
    const found = chunks([6, 1], [2, 'One a b. Two c d.'], [7, 'Three e f.'], [9, 'Four g h.']);
    expect(found).toEqual([
      { title: 'T', sentences: ['One a b.', 'Two c d.'], line: 2 },
      { title: 'T', sentences: ['Two c d.', 'Three e f.'], line: 7 },
      { title: 'T', sentences: ['Three e f.', 'Four g h.'], line: 9 },
    ]);
  });

  it('repeats as many sentences as fit beside the next, and none where none does', () => {
    const text = 'A one. B two. C three. Four words are here. Five words stand here now.';
    expect(chunks([6, 2], [1, text]).map(({ sentences }) => sentences)).toEqual([
      ['A one.', 'B two.', 'C three.'],
      ['C three.', 'Four words are here.'],
      ['Five words stand here now.'],
    ]);
  });

  it('holds a part of a sentence that is longer than a chunk, cut at words', () => {
    const parts = (words: number): string[][] =>
      chunks([2, 0], [1, 'a b c d e'.slice(0, 2 * words - 1)]).map(({ sentences }) => sentences);
    expect(parts(4)).toEqual([['a b'], ['c d']]);
    expect(parts(5)).toEqual([['a b'], ['c d'], ['e']]);
  });

  it('does not reach over a title, and there is none without a sentence', () => {
    const chunker = new Chunker('A', { maxWords: 9, overlapSentences: 1 });
    expect([...chunker.retitle('B')]).toEqual([]);
    expect([...chunker.add('One.', 3)]).toEqual([]);
    expect([...chunker.retitle('C')]).toEqual([{ title: 'B', sentences: ['One.'], line: 3 }]);
    expect([...chunker.add('Two.', 5)]).toEqual([]);
    expect([...chunker.end()]).toEqual([{ title: 'C', sentences: ['Two.'], line: 5 }]);
    expect([...chunker.end()]).toEqual([]);
  });
});

it('bounds that no chunk can keep are refused', () => {
  const chunker = (maxWords: number, overlapSentences: number) => () =>
    new Chunker('T', { maxWords, overlapSentences });
  expect(chunker(1, 0)).not.toThrow();
  expect(chunker(0, 0)).toThrow('maxWords: expected at least 1, got 0');
  expect(chunker(NaN, 0)).toThrow('maxWords: expected at least 1, got NaN');
  expect(chunker(1, -1)).toThrow('overlapSentences: expected 0 or more, got -1');
});
