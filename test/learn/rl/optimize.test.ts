import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { ReplicaClient, TrainItem } from '../../../src/learn/replicas/replica.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { optimize } from '../../../src/learn/rl/update.ts';
import { warmUpAdapter } from '../../../src/learn/rl/warm-up.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';

/** A trainer whose gradient and losses are known: the adapter's arithmetic can be done by hand. */
class Known implements ReplicaClient {
  readonly maxTokens = 100;
  readonly adapters: number[][] = [];
  readonly batches: TrainItem[][] = [];
  #next = 0;

  constructor(private readonly gradients: readonly (readonly number[])[]) {}

  setAdapter(_: number, flat: Float32Array | null): Promise<void> {
    this.adapters.push([...(flat ?? [])]);
    return Promise.resolve();
  }
  gradient(items: readonly TrainItem[]) {
    this.batches.push([...items]);
    const gradient = Float32Array.from(this.gradients[this.#next++ % this.gradients.length] ?? []);
    return Promise.resolve({
      gradient,
      items: items.map(({ oldLogprobs }) => ({
        logprobs: oldLogprobs.map((p, i) => p + (i % 2 ? -1 : 0.5)),
        entropies: oldLogprobs,
        loss: this.#next,
        clipped: 1,
        kl: 0,
      })),
    });
  }
  score = (): Promise<never[]> => Promise.resolve([]);
  bytes = (): Promise<number> => Promise.resolve(0);
  close = (): Promise<void> => Promise.resolve();
}

const settings = (change: Partial<TrainSettings['optimizer']> = {}): TrainSettings => ({
  ...getTraining('search/grpo'),
  steps: 10,
  optimizer: {
    learningRate: 0.1,
    weightDecay: 0,
    clipNorm: 0,
    schedule: 'constant',
    warmUpSteps: 0,
    ...change,
  },
});
const state = (adapter: readonly number[], change: Partial<TrainState> = {}): TrainState => ({
  step: 0,
  updates: 0,
  warmedUp: 0,
  adapter: Float32Array.from(adapter),
  first: new Float32Array(adapter.length),
  second: new Float32Array(adapter.length),
  learningRate: null,
  curriculum: null,
  router: null,
  elapsed: 0,
  ...change,
});
const item = (tokens: number): TrainItem => ({
  ids: new Int32Array(tokens + 1),
  mask: Uint8Array.from({ length: tokens + 1 }, (_, i) => Number(i > 0)),
  temperature: 1,
  oldLogprobs: new Float32Array(tokens).fill(-1),
  refLogprobs: null,
  advantage: 1,
  weight: 1,
});
const close = (values: Iterable<number>, wanted: readonly number[]): void => {
  [...values].forEach((value, i) => expect(value).toBeCloseTo(wanted[i] ?? Number.NaN, 5));
};

describe('the update of a step', () => {
  it('moves each value by the rate against the sign of its first gradient (AdamW)', async () => {
    const before = state([1, 1, 1]);
    const replica = new Known([[4, -0.25, 0]]);
    const report = await optimize(
      new PolicyLearner([replica]),
      [[item(2), item(3)]],
      before,
      settings(),
      () => undefined,
    );
    // m̂ = g and v̂ = g² in the first update: every step is the rate itself.
    close(report.adapter, [0.9, 1.1, 1]);
    close(report.first, [0.4, -0.025, 0]);
    close(report.second, [0.16, 0.000625, 0]);
    expect(report).toMatchObject({
      updates: 1,
      // The losses of both sequences added: 1 + 1.
      loss: 2,
      trainedTokens: 5,
      clipShare: 2 / 5,
      learningRate: 0.1,
      // Of tokens 0.5, 1 and 0.5, 1, 0.5.
      samplerGap: { max: 1, mean: 0.7 },
    });
    expect(report.gradientNorm).toBeCloseTo(Math.hypot(4, 0.25), 6);
    // The state that it was made from is as it was.
    expect(before).toEqual(state([1, 1, 1]));
  });

  it('makes one for each batch, each from where the last one ended', async () => {
    const replica = new Known([[1], [1]]);
    const done: [number, number][] = [];
    const report = await optimize(
      new PolicyLearner([replica]),
      [[item(1)], [item(1)]],
      state([0]),
      settings(),
      (now, total) => done.push([now, total]),
    );
    // Of equal gradients every step is the rate.
    close(report.adapter, [-0.2]);
    expect(report.updates).toBe(2);
    expect(replica.adapters.map(([value]) => Math.round((value ?? 0) * 10) / 10)).toEqual([
      0, -0.1,
    ]);
    // Means over the updates: losses 1 and 2.
    expect(report.loss).toBe(1.5);
    expect(done.at(-1)).toEqual([2, 2]);
  });

  it('counts updates on from those before, as bias correction needs it', async () => {
    const run = (updates: number) =>
      optimize(
        new PolicyLearner([new Known([[1]])]),
        [[item(1)]],
        state([0], { updates }),
        settings(),
        () => undefined,
      );
    // Update 1: m̂ = 1. Update 2 with empty moments: m̂ = 0.1 / 0.19, v̂ = 0.01 / 0.0199.
    close((await run(0)).adapter, [-0.1]);
    close((await run(1)).adapter, [(-0.1 * (0.1 / 0.19)) / Math.sqrt(0.01 / 0.0199)]);
  });

  it('clips by the norm of the whole gradient and decays weights by the rate', async () => {
    const report = await optimize(
      new PolicyLearner([new Known([[3, 4]])]),
      [[item(1)]],
      state([1, 1]),
      settings({ clipNorm: 1, weightDecay: 0.5 }),
      () => undefined,
    );
    // (3, 4) of norm 5 becomes (0.6, 0.8); the report says what it was.
    close(report.first, [0.06, 0.08]);
    expect(report.gradientNorm).toBe(5);
    // 1 − 0.1 · 0.5 − 0.1
    close(report.adapter, [0.85, 0.85]);
  });

  it('takes the rate set by hand, which the schedule still shapes', async () => {
    const { learningRate } = await optimize(
      new PolicyLearner([new Known([[1]])]),
      [[item(1)]],
      state([0], { learningRate: 0.4, step: 0 }),
      settings({ warmUpSteps: 4 }),
      () => undefined,
    );
    expect(learningRate).toBeCloseTo(0.1, 12);
  });

  it.each([Number.NaN, Infinity])('refuses a gradient that holds %s', async (value) => {
    const learner = new PolicyLearner([new Known([[value]])]);
    await expect(
      optimize(learner, [[item(1)]], state([0]), settings(), () => undefined),
    ).rejects.toThrow('training: the gradient is not finite');
  });
});

describe('the warm-up of an adapter', () => {
  const demonstration = (tokens: number, em = 1): Rollout => ({
    ...emptyRollout(`d${tokens}`),
    segments: [
      readSegment([50, 51], 'question'),
      policySegment(Array.from({ length: tokens }, () => 1)),
    ],
    metrics: {
      em,
      f1: 0,
      cover_em: 0,
      recall: 0,
      searches: 0,
      tokens,
      seconds: 0,
      formatValid: true,
    },
  });
  const warm = (
    replica: Known,
    before: TrainState,
    change: { updates?: number; batch?: number; stopAfter?: number; rate?: 'constant' } = {},
  ) => {
    let done = before.warmedUp;
    return warmUpAdapter({
      settings: {
        ...settings(),
        warmUp: {
          length: { updates: change.updates ?? 1 },
          batch: change.batch ?? 2,
          learningRate: 0.01,
          onlyCorrect: true,
        },
      },
      learner: new PolicyLearner([replica]),
      demonstrations: [demonstration(1), demonstration(3), demonstration(9, 0)],
      state: before,
      rate: change.rate ?? 'falling',
      now: () => 0,
      onUpdate: (now) => (done = now),
      onNotice: () => undefined,
      shouldStop: () => done >= (change.stopAfter ?? Infinity),
    });
  };

  it('weighs every token of a batch the same, and learns from right answers alone', async () => {
    const replica = new Known([[1]]);
    await warm(replica, state([0]));
    const [batch] = replica.batches;
    expect(batch?.map(({ weight }) => weight)).toEqual([1 / 4, 1 / 4]);
    expect(new Set(batch?.map(({ oldLogprobs }) => oldLogprobs.length))).toEqual(new Set([1, 3]));
  });

  it('moves the adapter at its own rate, then begins the moments anew', async () => {
    const before = state([1]);
    const after = await warm(new Known([[2]]), before);
    close(after.adapter, [0.99]);
    expect(after).toMatchObject({ warmedUp: 1, step: 0, updates: 0 });
    expect([...after.first, ...after.second]).toEqual([0, 0]);
    expect(before).toEqual(state([1]));
  });

  it('keeps its rate where that is constant, however many updates there may be', async () => {
    const of = async (rate?: 'constant') => {
      const change = { updates: 4, ...(rate && { rate }) };
      const [three, four] = [
        await warm(new Known([[2]]), state([1]), { ...change, stopAfter: 3 }),
        await warm(new Known([[2]]), state([1]), change),
      ];
      return (three.adapter[0] ?? NaN) - (four.adapter[0] ?? NaN);
    };
    // AdamW steps by the rate where the gradient stays the same.
    expect(await of('constant')).toBeCloseTo(0.01, 4);
    expect(await of()).toBeCloseTo(0.0025, 4);
  });

  it('keeps its moments where it is stopped, and changes no earlier state', async () => {
    const before = state([1]);
    const half = await warm(new Known([[2]]), before, { updates: 3, stopAfter: 1 });
    expect(half.warmedUp).toBe(1);
    close([...half.first, ...half.second], [0.2, 0.04]);
    const kept = structuredClone(half);
    const whole = await warm(new Known([[2]]), half, { updates: 3 });
    expect(whole.warmedUp).toBe(3);
    expect(half).toEqual(kept);
    expect(before).toEqual(state([1]));
  });

  it('takes as many gold as noisy trajectories an update, however many there are of each (14)', async () => {
    const replica = new Known([[1]]);
    const gold = [1, 2, 3, 4, 5].map((tokens) => demonstration(tokens));
    const notices: string[] = [];
    await warmUpAdapter({
      settings: {
        ...settings(),
        warmUp: {
          own: { rollouts: 256 },
          length: { updates: 3 },
          batch: 4,
          learningRate: 0.01,
          onlyCorrect: true,
        },
      },
      learner: new PolicyLearner([replica]),
      // Told apart by their lengths: one noisy trajectory of 40 tokens.
      demonstrations: { gold, noisy: [demonstration(40)], tried: 24 },
      state: state([0]),
      rate: 'falling',
      now: () => 0,
      onUpdate: () => undefined,
      onNotice: (line) => void notices.push(line),
      shouldStop: () => false,
    });
    expect(replica.batches).toHaveLength(3);
    for (const batch of replica.batches) {
      expect(batch).toHaveLength(4);
      expect(batch.filter(({ oldLogprobs }) => oldLogprobs.length === 40)).toHaveLength(2);
    }
    // Six draws of five gold ones: each once before one comes again.
    const lengths = replica.batches.flat().map(({ oldLogprobs }) => oldLogprobs.length);
    expect(new Set(lengths.filter((length) => length < 40)).size).toBe(5);
    expect(notices[0]).toContain(
      '3 of 3 updates on 5 gold and 1 noisy demonstrations, kept of 24 rollouts, loss',
    );
  });

  it('goes through all trajectories before it takes one again', async () => {
    const replica = new Known([[1]]);
    await warm(replica, state([0]), { updates: 4, batch: 1 });
    const lengths = replica.batches.map(([only]) => only?.oldLogprobs.length);
    expect(new Set(lengths.slice(0, 2))).toEqual(new Set([1, 3]));
    expect(new Set(lengths.slice(2))).toEqual(new Set([1, 3]));
  });

  it('takes them in the order in which paused runs that are stored go on', async () => {
    const replica = new Known([[1]]);
    await warm(replica, state([0]), { updates: 12, batch: 1 });
    const lengths = replica.batches.map(([only]) => only?.oldLogprobs.length);
    expect(lengths).toEqual([1, 3, 3, 1, 1, 3, 3, 1, 1, 3, 1, 3]);
  });

  it('refuses a gradient that is not finite', async () => {
    await expect(warm(new Known([[Infinity]]), state([0]))).rejects.toThrow(
      'cold start: the gradient is not finite',
    );
  });
});
