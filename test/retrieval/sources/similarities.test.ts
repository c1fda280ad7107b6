import { expect, it } from 'vitest';
import { encodedSimilarities } from '../../../src/retrieval/similarities.ts';
import type { Passage } from '../../../src/records/records.ts';
import { passage } from '../passages.ts';

/** The vector of a text is its length and its count of "a": told by hand. */
const vector = (text: string): Float32Array =>
  Float32Array.of(text.length, text.split('a').length - 1);

function encoder() {
  const encoded: string[][] = [];
  return {
    encoded,
    id: 'lengths',
    dimensions: 2,
    encodeQuery: (query: string) => Promise.resolve(vector(query)),
    encodePassages: (passages: readonly Passage[]) => {
      encoded.push(passages.map(({ text }) => text));
      const values = Float32Array.from(passages.flatMap(({ text }) => [...vector(text)]));
      return Promise.resolve({ dimensions: 2, values });
    },
  };
}

it('are dot products with the query, and each passage is encoded once, alone', async () => {
  const lengths = encoder();
  const similarities = encodedSimilarities(lengths);
  const passages = [passage('1', 'A', 'banana'), passage('2', 'B', 'xy')];
  // (3, 2) with (6, 3) and with (2, 0).
  expect(await similarities('aba', passages)).toEqual([24, 6]);
  expect(await similarities('x', passages)).toEqual([6, 2]);
  expect(lengths.encoded).toEqual([['banana'], ['xy']]);
});

it('stop between two passages', async () => {
  const stop = new AbortController();
  const lengths = encoder();
  const stopping = {
    ...lengths,
    encodePassages: (passages: readonly Passage[]) => {
      stop.abort(new Error('stopped'));
      return lengths.encodePassages(passages);
    },
  };
  const both = [passage('1', 'A', 'a'), passage('2', 'B', 'b')];
  await expect(encodedSimilarities(stopping)('q', both, stop.signal)).rejects.toThrow('stopped');
  expect(lengths.encoded).toHaveLength(1);
});
