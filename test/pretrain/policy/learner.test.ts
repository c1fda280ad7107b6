import { describe, expect, it } from 'vitest';
import {
  Learner,
  PART_MULTIPLE,
  partCount,
  type ReplicaClient,
  type UpdaterClient,
} from '../../../src/pretrain/policy/learner.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { Updater } from '../../../src/pretrain/policy/updater.ts';
import { Replica, type Example, type SharedState } from '../../../src/pretrain/policy/replica.ts';
import type { PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { DEFAULT_UPDATE } from '../../../src/pretrain/policy/plan.ts';
import { Random } from '../../../src/base/random.ts';
import { initWeights, parameterCount } from '../../../src/policy/checkpoint/weights.ts';

const config: PolicyConfig = {
  vocabSize: 32,
  hiddenSize: 16,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 64,
};
const limits = { maxTokens: 256, maxLength: 64 };
const PART_TOKENS = 96;

/** Sequences that end with a repeat of their beginning; only the repeat is trained. */
function examples(seed: number, fixedHalf?: number): Example[] {
  const random = new Random(seed);
  return Array.from({ length: 16 }, () => {
    const half = fixedHalf ?? 4 + random.below(12);
    const ids = new Int32Array(2 * half);
    for (let i = 0; i < half; i++) ids[i] = ids[half + i] = random.below(32);
    const mask = Uint8Array.from(ids, (_, i) => (i > half ? 1 : 0));
    return { ids, mask, weights: Float32Array.from(mask), kind: 'repeat' };
  });
}

function freshState(): SharedState {
  const buffer = (): Float32Array => new Float32Array(parameterCount(config));
  const gradients = Array.from({ length: partCount(16 * 32, PART_TOKENS, PART_MULTIPLE) }, buffer);
  const state = { weights: buffer(), first: buffer(), second: buffer(), gradients };
  initWeights(config, 9, state.weights);
  return state;
}

/** Real replicas in this thread; `delay` makes some of them slow. */
async function learner(state: SharedState, replicas: number, delay?: (i: number) => number) {
  const clients = await Promise.all(
    Array.from({ length: replicas }, async (_, index): Promise<ReplicaClient & UpdaterClient> => {
      const replica = new Replica(await Trainer.create(config, limits), state);
      const updater = await Updater.create({ index, replicas }, config, state);
      const later = async <T>(run: () => T | Promise<T>): Promise<T> => {
        const ms = delay?.(index);
        if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
        return run();
      };
      return {
        gradients: (part, version) => later(() => replica.gradients(part, version)),
        evaluate: (batch, version) => later(() => replica.evaluate(batch, version)),
        reduce: (from, to, buffers) => later(() => updater.reduce(from, to, buffers)),
        update: (options) => later(() => updater.update(options)),
      };
    }),
  );
  return new Learner({ replicas: clients, updaters: clients }, state);
}

async function train(
  l: Learner,
  from: number,
  to: number,
  optimizer: 'muon' | 'adamw' = 'muon',
  half?: number,
) {
  const losses: number[] = [];
  for (let step = from; step < to; step++) {
    const options = { ...DEFAULT_UPDATE, optimizer, step: step + 1 };
    const report = await l.step(examples(step, half), options, {
      clip: 1,
      partTokens: PART_TOKENS,
    });
    const sum = (of: 'nll' | 'tokens') => report.scores.reduce((a, s) => a + s[of], 0);
    losses.push(sum('nll') / sum('tokens'));
  }
  return losses;
}

/** The gradient of two sequences whose last token is `id` with this loss weight. */
async function lastTokenGradient(id: number, weight: number): Promise<Float32Array> {
  const state = freshState();
  const replica = new Replica(await Trainer.create(config, limits), state);
  const batch = examples(1).slice(0, 2);
  for (const { ids, weights } of batch) {
    ids[ids.length - 1] = id;
    weights[ids.length - 1] = weight;
  }
  await replica.gradients({ buffer: 0, examples: batch, scale: 1 }, 0);
  return state.gradients[0]!.slice();
}

describe('data-parallel training', () => {
  it('gives the same bits for any number of replicas and any timing', async () => {
    const runs = await Promise.all(
      [
        { replicas: 1 },
        { replicas: 2, delay: (i: number) => 3 * i },
        { replicas: 3, delay: (i: number) => 5 - 2 * i },
      ].map(async ({ replicas, delay }) => {
        const state = freshState();
        const losses = await train(await learner(state, replicas, delay), 0, 3);
        return { losses, weights: state.weights };
      }),
    );
    // Scores are reported in a fixed order too.
    expect(runs[1]!.losses).toEqual(runs[0]!.losses);
    expect(runs[1]!.weights).toEqual(runs[0]!.weights);
    expect(runs[2]!.weights).toEqual(runs[0]!.weights);
  });

  it.each(['muon', 'adamw'] as const)('goes on bit for bit from saved state (%s)', async (rule) => {
    const whole = freshState();
    await train(await learner(whole, 2), 0, 6, rule);
    const first = freshState();
    await train(await learner(first, 2), 0, 3, rule);
    const second = freshState();
    for (const name of ['weights', 'first', 'second'] as const) second[name].set(first[name]);
    await train(await learner(second, 2), 3, 6, rule);
    expect(second.weights).toEqual(whole.weights);
    expect(second.first).toEqual(whole.first);
    expect(second.second).toEqual(whole.second);
  });

  it('learns to copy what stands eight tokens before', async () => {
    const state = freshState();
    const losses = await train(await learner(state, 1), 0, 300, 'muon', 8);
    expect(losses[0]).toBeGreaterThan(3);
    expect(losses.at(-1)).toBeLessThan(2);
  });

  it('does not train what the mask leaves out', async () => {
    // The last token is a target only: with weight 0 its value changes nothing.
    expect(await lastTokenGradient(3, 0)).toEqual(await lastTokenGradient(4, 0));
    expect(await lastTokenGradient(3, 1)).not.toEqual(await lastTokenGradient(4, 1));
  });
});
