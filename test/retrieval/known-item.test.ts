import { expect, it } from 'vitest';
import { ExactIndex } from '../../src/retrieval/dense.ts';
import { fuse } from '../../src/retrieval/fusion.ts';
import { knownItemWeight } from '../../src/retrieval/known-item.ts';
import { LexicalIndex } from '../../src/retrieval/lexical.ts';
import { passage } from './passages.ts';

const corpus = Array.from({ length: 60 }, (_, i) =>
  passage(`p${i}`, `t${i}`, `unique${i} and words of passage number${i}`),
);
const lexical = new LexicalIndex(corpus);

/** One dimension a passage; the encoder knows the texts of the first `known` and takes the others for another. */
function dense(known: number) {
  const values = new Float32Array(60 * 60);
  for (let i = 0; i < 60; i++) values[i * 60 + i] = 1;
  return {
    index: new ExactIndex({ dimensions: 60, values }),
    encoder: {
      dimensions: 60,
      encodeQuery: async (text: string) => {
        const row = Number(/unique(\d+)/.exec(text)?.[1]);
        const vector = new Float32Array(60);
        vector[row < known ? row : (row + 1) % 60] = 1;
        // The right one comes second to the wrong one: reciprocal rank one half.
        if (row >= known) vector[row] = 0.5;
        return vector;
      },
    },
  };
}

it('weighs a dense list by how well it finds passages by their own words', async () => {
  expect(await knownItemWeight(corpus, lexical, dense(60))).toEqual({
    lexical: 1,
    dense: 1,
    denseWeight: 1,
  });
  // 30 at rank 1 and 30 at rank 2: r = 0.75, so 2r − 1 = 0.5.
  expect((await knownItemWeight(corpus, lexical, dense(30))).denseWeight).toBeCloseTo(0.5, 10);
  // Never better than second: no say at all.
  expect((await knownItemWeight(corpus, lexical, dense(0))).denseWeight).toBe(0);
});

it('lets a list of weight 0 only come after the other one', () => {
  const order = (weight: number) =>
    fuse(
      [
        ['a', 'b', 'c'],
        ['c', 'x'],
      ],
      60,
      [1, weight],
    ).map(({ key }) => key);
  expect(order(0)).toEqual(['a', 'b', 'c', 'x']);
  expect(order(1)[0]).toBe('c');
});
