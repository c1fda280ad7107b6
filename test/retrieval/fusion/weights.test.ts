import { describe, expect, test } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import type { DenseIndex } from '../../../src/retrieval/dense/dense.ts';
import { fuse } from '../../../src/retrieval/fusion.ts';
import { HYBRID_RRF_K, learnFusion } from '../../../src/retrieval/learn-fusion.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { passage } from '../passages.ts';

/**
 * A dense list in which the neighbours of every query are given, and a passage without its question is
 * as similar to it as `own` says.
 */
function world(
  passages: readonly Passage[],
  near: readonly (readonly [row: number, similarity: number])[],
  own: (row: number) => number,
) {
  const questions: string[] = [];
  const rests: Passage[] = [];
  const depths: number[] = [];
  const index: DenseIndex = {
    size: passages.length,
    dimensions: 1,
    search: (_, k) => {
      depths.push(k);
      return near.map(([row, similarity]) => ({ index: row, similarity }));
    },
    similarity: () => NaN,
  };
  const encoder = {
    id: 'given',
    dimensions: 1,
    encodeQuery: async (text: string) => (questions.push(text), Float32Array.of(1)),
    encodePassages: async (some: readonly Passage[]) => {
      rests.push(...some);
      const rows = some.map(({ id }) => Number(/^p(\d+)#rest$/.exec(id)?.[1]));
      return { dimensions: 1, values: Float32Array.from(rows, own) };
    },
  };
  const learn = (seed?: number) =>
    learnFusion(
      passages,
      new LexicalIndex(passages),
      { index, encoder },
      seed === undefined ? {} : { seed },
    );
  return { learn, questions, rests, depths };
}

/** Either sentence leads the words to all other passages, and never to its own. */
const misleading = Array.from({ length: 60 }, (_, i) =>
  passage(`p${String(i).padStart(2, '0')}`, '', 'alpha', 'beta'),
);
const NEAR = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3].map((similarity, i) => [53 + i, similarity] as const);

describe('the weights that find most', () => {
  test('lean to the list that finds, no more than they must', async () => {
    // Fifth by vectors: at 1 : 1, the words put five wrong ones before it; at 1 : 2 they do not.
    const { learn, depths } = world(misleading, NEAR, () => 0.5);
    expect(await learn()).toEqual({
      weights: { lexical: 1, dense: 2 },
      questions: 60,
      lexical: 0,
      dense: 1,
      fused: 1,
    });
    // Fifty others, and one more that may be the passage itself.
    expect(new Set(depths)).toEqual(new Set([51]));
  });

  test('count a passage as found among the first five, behind those that are as similar', async () => {
    const tied = world(misleading, NEAR, (row) => (row < 30 ? 0.5 : Math.fround(0.4)));
    // As similar as the fifth, so sixth. But of six others one is itself for rows 53 to 58.
    const near = NEAR.map(([row, similarity]) => [row, Math.fround(similarity)] as const);
    const exact = world(misleading, near, (row) => (row < 30 ? 0.5 : Math.fround(0.4)));
    expect((await tied.learn()).dense).toBeGreaterThan(0.4);
    // Rows 53 to 57 have one less before them, and so are fifth; row 58 is the sixth of them itself.
    expect((await exact.learn()).dense).toBeCloseTo((30 + 5) / 60, 12);
  });

  test('are even where hardly any question is answered', async () => {
    const found = (count: number) => world(misleading, NEAR, (row) => (row < count ? 0.5 : 0.2));
    expect(await found(6).learn()).toMatchObject({
      weights: { lexical: 1, dense: 2 },
      dense: 0.1,
      fused: 0.1,
    });
    expect(await found(5).learn()).toEqual({
      weights: { lexical: 1, dense: 1 },
      questions: 60,
      lexical: 0,
      dense: 5 / 60,
      fused: 0,
    });
  });

  test('of equal recall are those that put passages higher', async () => {
    // First by vectors; at 1 : 2 as at 1 : 1 it is above all that the words give.
    const first = world(misleading, NEAR, () => 0.95);
    const { weights, fused } = await first.learn();
    expect([weights, fused]).toEqual([{ lexical: 1, dense: 2 }, 1]);
    // Words alone know: each passage says its own name in both sentences.
    const named = Array.from({ length: 40 }, (_, i) =>
      passage(`p${i}`, '', `name${i} is here`, `name${i} was there`),
    );
    const wrong = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4].map((s, i) => [i, s] as const);
    const words = await world(named, wrong, () => 0.1).learn();
    expect([words.lexical, words.dense, words.fused]).toEqual([1, 0, 1]);
    expect(words.weights.lexical).toBeGreaterThan(words.weights.dense);
  });
});

describe('questions', () => {
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(' ');
  const asked = async (...sentences: string[]) => {
    const { learn, questions, rests } = world([passage('p0', 'T', ...sentences)], [], () => 0);
    const { questions: count } = await learn();
    expect(questions).toHaveLength(count);
    return { questions, rests };
  };

  test.each([
    [30, 9, 21],
    [24, 6, 18],
    [10, 2, 7],
    [7, 2, 5],
    [2, 0, 1],
  ])('of one sentence of %i words: those from %i up to %i', async (count, from, to) => {
    const { questions, rests } = await asked(` ${words(0, count)}  `);
    expect(questions).toEqual([words(from, to)]);
    const left = [words(0, from), words(to, count)];
    expect(rests).toEqual([{ id: 'p0#rest', title: 'T', text: left.join(' '), sentences: left }]);
  });

  test('of several sentences one, the others are left', async () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const sentences = ['one a.', 'two b.', 'three c.'];
      const { learn, questions, rests } = world([passage('p0', 'T', ...sentences)], [], () => 0);
      await learn(seed);
      const [question = ''] = questions;
      seen.add(question);
      const left = sentences.filter((one) => one !== question);
      expect(rests[0]).toEqual({
        id: 'p0#rest',
        title: 'T',
        text: left.join(' '),
        sentences: left,
      });
    }
    expect(seen).toEqual(new Set(['one a.', 'two b.', 'three c.']));
  });

  test('are none of blanks, of one word, or of nothing', async () => {
    expect((await asked('  ', '   ')).questions).toEqual([]);
    expect((await asked('word')).questions).toEqual([]);
    expect((await asked('')).questions).toEqual([]);
  });

  test('are at most 128', async () => {
    const many = Array.from({ length: 300 }, (_, i) => passage(`p${i}`, '', `a${i}`, `b${i}`));
    const { learn, questions } = world(many, [], () => 0);
    expect((await learn()).questions).toBe(128);
    expect(new Set(questions).size).toBe(128);
  });
});

test('it can be stopped', async () => {
  const encoder = {
    id: 'slow',
    dimensions: 1,
    encodeQuery: async () => Float32Array.of(1),
    encodePassages: async (some: readonly Passage[]) => ({
      dimensions: 1,
      values: new Float32Array(some.length),
    }),
  };
  const index: DenseIndex = { size: 60, dimensions: 1, search: () => [], similarity: () => 0 };
  const signal = AbortSignal.abort(new Error('enough'));
  const learned = learnFusion(
    misleading,
    new LexicalIndex(misleading),
    { index, encoder },
    { signal },
  );
  await expect(learned).rejects.toThrow('enough');
});

describe('fusing', () => {
  test('ties go to the better best rank, then to the smaller key', () => {
    // 1/2 + 1/6 = 2/3 for b and 1/3 + 1/3 = 2/3 for a, with k = 0.
    const tied = fuse(
      [
        ['x', 'b', 'a', 'p', 'q'],
        ['y', 'r', 'a', 's', 't', 'b'],
      ],
      0,
    );
    const [b, a] = ['b', 'a'].map((key) => tied.find((one) => one.key === key));
    expect(b?.score).toBeCloseTo(2 / 3, 12);
    expect(a?.score).toBeCloseTo(2 / 3, 12);
    expect(fuse([['z'], ['B'], ['a']]).map(({ key }) => key)).toEqual(['B', 'a', 'z']);
    // Weights 2 and 1 with k = 1: 2/4 in the first list as 1/2 in the second, which has it first.
    const weighted = fuse([['p', 'q', 'a'], ['z']], 1, [2, 1]);
    expect(weighted.map(({ key, score }) => [key, score])).toEqual([
      ['p', 1],
      ['q', 2 / 3],
      ['z', 0.5],
      ['a', 0.5],
    ]);
  });

  test('a list without a weight counts once', () => {
    expect(fuse([['a'], ['b']], 9, [2]).map(({ score }) => score)).toEqual([0.2, 0.1]);
    expect(fuse([]).length).toBe(0);
  });

  test('the constant of a hybrid is 10', () => expect(HYBRID_RRF_K).toBe(10));
});
