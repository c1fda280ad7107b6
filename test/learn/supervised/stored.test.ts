import { describe, expect, it } from 'vitest';
import { readTrajectories } from '../../../src/formats/trajectories/read.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { ReplicaClient } from '../../../src/learn/replicas/replica.ts';
import { storedFault, storedItems } from '../../../src/learn/supervised/items.ts';
import { resolveTrajectories } from '../../../src/learn/supervised/resolve.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

/** ln π of a sequence by its number of trained tokens: with the adapter, and without. */
function replica(known: Record<number, [number, number]>): ReplicaClient {
  let reference = false;
  return {
    maxTokens: 64,
    setAdapter: (_, flat) => {
      reference = flat === null;
      return Promise.resolve();
    },
    score: (items) =>
      Promise.resolve(
        items.map(({ mask }) => {
          const count = mask.reduce((sum, bit) => sum + bit, 0);
          const value = (known[count]?.[Number(reference)] ?? 0) / count;
          return {
            logprobs: new Float32Array(count).fill(value),
            entropies: new Float32Array(count),
          };
        }),
      ),
    gradient: () => Promise.reject(new Error('not asked')),
    bytes: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}

const learnerOf = (known: Record<number, [number, number]>): PolicyLearner => {
  const learner = new PolicyLearner([replica(known)]);
  learner.setAdapter(new Float32Array(1));
  return learner;
};

const set = (...records: object[]) =>
  readTrajectories(
    records
      .map((record) => JSON.stringify({ format: 'forage.trajectories/1', ...record }))
      .join('\n'),
  );
const trajectory = (id: string, tokens: number, weight = 1) => ({
  kind: 'trajectory',
  id,
  group: 'q',
  weight,
  segments: [
    { by: 'prompt', ids: [1] },
    { by: 'policy', ids: Array.from({ length: tokens }, () => 30) },
  ],
});

describe('stored trajectories in the tokens of a policy', () => {
  it('learn what the policy wrote and what is said to be learned, and cut text at its tags', () => {
    const text = '<search>Oslo</search>';
    const { items } = resolveTrajectories(
      set({
        kind: 'trajectory',
        id: 'a',
        group: 'q',
        segments: [
          { by: 'policy', text },
          { by: 'environment', ids: [40] },
          { by: 'policy', ids: [41], trained: false },
          { by: 'environment', ids: [42], trained: true },
        ],
      }),
      tokenizer,
      64,
    );
    const [item] = items;
    const search = tokenizer.specialId('<search>');
    const close = tokenizer.specialId('</search>');
    const inner = tokenizer.encodeText('Oslo');
    expect([...(item?.ids ?? [])]).toEqual([search, ...inner, close, 40, 41, 42]);
    // The first token of a context is predicted from scratch.
    expect([...(item?.mask ?? [])]).toEqual([0, ...inner.map(() => 1), 1, 0, 0, 1]);
  });

  it('refuse ids that are another policy’s, by the vocabulary or by what they spell', () => {
    const of = (segment: object) => () =>
      resolveTrajectories(
        set({ kind: 'trajectory', id: 'a', group: 'q', segments: [{ by: 'policy', ...segment }] }),
        tokenizer,
        64,
      );
    expect(of({ ids: [3, tokenizer.vocabSize] })).toThrow(/"a": it holds tokens that this policy/);
    expect(of({ ids: tokenizer.encodeText('Oslo'), text: 'Rome' })).toThrow(/spell another text/);
  });

  it('leave out what is longer than a sequence may be, with its pairs', () => {
    const stored = resolveTrajectories(
      set(trajectory('a', 3), trajectory('b', 90), { kind: 'pair', chosen: 'a', rejected: 'b' }),
      tokenizer,
      64,
    );
    expect([stored.items.length, stored.pairs]).toEqual([1, []]);
    const loss = { kind: 'stored-dpo', beta: 0.1, nll: 0, batch: 4 } as const;
    expect(storedFault(stored, loss)).toMatch(/no pair/);
    expect(() => resolveTrajectories(set(trajectory('b', 90)), tokenizer, 64)).toThrow(/none of 1/);
  });
});

/** The adapter of the policy; the learners below look at none. */
const policy = new Float32Array(1);

describe('an update on stored trajectories', () => {
  it('by likelihood is the mean over weighted tokens', async () => {
    const stored = resolveTrajectories(
      set(trajectory('a', 2, 3), trajectory('b', 4, 1), trajectory('c', 5, 0)),
      tokenizer,
      64,
    );
    const at = { step: 1, seed: 0, policy };
    const { items } = await storedItems(
      learnerOf({}),
      stored,
      { kind: 'stored-sft', batch: 8 },
      at,
    );
    const byLength = new Map(items.map(({ ids, weight }) => [ids.length - 1, weight]));
    // 3 · 2 + 1 · 4 = 10 weighted tokens; nothing of the one without weight.
    expect(byLength.get(2)).toBeCloseTo(0.3, 12);
    expect(byLength.get(4)).toBeCloseTo(0.1, 12);
    expect(byLength.size).toBe(2);
  });

  it('goes once through the set before anything comes again', async () => {
    const stored = resolveTrajectories(
      set(...[1, 2, 3, 4, 5, 6].map((tokens) => trajectory(`t${tokens}`, tokens))),
      tokenizer,
      64,
    );
    const lengths: number[] = [];
    for (const step of [1, 2, 3]) {
      const loss = { kind: 'stored-sft', batch: 2 } as const;
      const { items } = await storedItems(learnerOf({}), stored, loss, { step, seed: 4, policy });
      lengths.push(...items.map(({ ids }) => ids.length - 1));
    }
    expect(lengths.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('by a pair of log-ratios +1 and −0.5 weighs both by 0.0463 at β = 0.1', async () => {
    const stored = resolveTrajectories(
      set(trajectory('a', 2), trajectory('b', 3), { kind: 'pair', chosen: 'a', rejected: 'b' }),
      tokenizer,
      64,
    );
    const learner = learnerOf({ 2: [-4, -5], 3: [-6, -5.5] });
    const loss = { kind: 'stored-dpo', beta: 0.1, nll: 0, batch: 1 } as const;
    const { items, loss: told } = await storedItems(learner, stored, loss, {
      step: 1,
      seed: 0,
      policy,
    });
    expect(told).toBeCloseTo(0.621, 3);
    expect(items[0]?.weight).toBeCloseTo(0.0463, 4);
    expect(items[1]?.weight).toBeCloseTo(-0.0463, 4);
  });
});
