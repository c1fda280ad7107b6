import { describe, expect, it } from 'vitest';
import { createReplica, MICRO_TOKENS } from '../../../src/learn/replicas/create-replica.ts';
import { trainedCount } from '../../../src/learn/mask.ts';
import { TrainReplica, type TrainItem } from '../../../src/learn/replicas/replica.ts';
import type { PackedBatch } from '../../../src/policy/lora/train-batch.ts';
import type { LoraTrainer, RowScores } from '../../../src/policy/lora/trainer.ts';
import { LORA_TARGETS } from '../../../src/policy/lora/spec.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { createPolicy } from '../../../src/policy/open/load.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { tinyWeights } from '../rl/helpers.ts';

/** A trainer whose rows get the log-probabilities −1, −2, … and the entropies 10, 20, …. */
class Counting implements LoraTrainer {
  readonly maxTokens = 64;
  readonly bytes = 321;
  readonly calls: string[] = [];
  readonly batches: PackedBatch[] = [];
  coefficients: number[] = [];
  fault: Error | null = null;

  #scores(batch: PackedBatch): RowScores {
    this.batches.push(batch);
    return {
      logprobs: Float32Array.from(batch.rows, (_, i) => -1 - i),
      entropies: Float32Array.from(batch.rows, (_, i) => 10 + 10 * i),
    };
  }
  setAdapter(flat: Float32Array | null): Promise<void> {
    this.calls.push(`adapter ${flat?.join() ?? 'off'}`);
    return this.fault ? Promise.reject(this.fault) : Promise.resolve();
  }
  score(batch: PackedBatch): Promise<RowScores> {
    return Promise.resolve(this.#scores(batch));
  }
  accumulate(batch: PackedBatch, weigh: (scores: RowScores) => Float32Array): Promise<RowScores> {
    this.calls.push('accumulate');
    const scores = this.#scores(batch);
    // A trainer may ask for the coefficients more than once.
    weigh(scores);
    this.coefficients = [...weigh(scores)];
    return Promise.resolve(scores);
  }
  zeroGradients(): void {
    this.calls.push('zero');
  }
  gradients(): Promise<Float32Array> {
    return Promise.resolve(Float32Array.of(7));
  }
  dispose(): void {
    this.calls.push('dispose');
  }
}

const item = (mask: number[], change: Partial<TrainItem> = {}): TrainItem => {
  const count = mask.slice(1).filter((bit) => bit === 1).length;
  return {
    ids: Int32Array.from(mask, (_, i) => i),
    mask: Uint8Array.from(mask),
    temperature: 1,
    oldLogprobs: new Float32Array(count),
    refLogprobs: null,
    advantage: 1,
    weight: 0.5,
    ...change,
  };
};

describe('a replica', () => {
  it('gives each item what its own rows got, in order', async () => {
    const replica = new TrainReplica(new Counting());
    const scores = await replica.score([item([0, 1, 0, 1]), item([0, 0, 0]), item([1, 1, 1])]);
    expect(scores.map(({ logprobs }) => [...logprobs])).toEqual([[-1, -2], [], [-3, -4]]);
    expect(scores.map(({ entropies }) => [...entropies])).toEqual([[10, 20], [], [30, 40]]);
  });

  it('hands its trainer the tokens and what they were sampled at', async () => {
    const trainer = new Counting();
    await new TrainReplica(trainer).score([item([0, 1]), item([0, 1, 0], { temperature: 0.5 })]);
    const [batch] = trainer.batches;
    expect([...(batch?.ids ?? [])]).toEqual([0, 1, 0, 1, 2]);
    expect([...(batch?.lengths ?? [])]).toEqual([2, 3]);
    expect([...(batch?.rows ?? [])]).toEqual([0, 2]);
    expect([...(batch?.temperatures ?? [])]).toEqual([1, 0.5]);
  });

  it('puts the loss of each item on its own rows: supervised, weight · −logprob', async () => {
    const trainer = new Counting();
    const { gradient, items } = await new TrainReplica(trainer).gradient(
      [item([0, 1, 1], { weight: 0.5 }), item([0, 1], { weight: 0.25 })],
      'likelihood',
    );
    expect(trainer.coefficients).toEqual([0.5, 0.5, 0.25]);
    // 0.5 · (1 + 2) and 0.25 · 3.
    expect(items.map(({ loss }) => loss)).toEqual([1.5, 0.75]);
    expect(items.map(({ clipped, kl }) => [clipped, kl])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(items.map(({ logprobs }) => [...logprobs])).toEqual([[-1, -2], [-3]]);
    expect(gradient).toEqual(Float32Array.of(7));
    // Nothing is left of a call before.
    expect(trainer.calls).toEqual(['zero', 'accumulate']);
  });

  it('and of the policy gradient: −min(ρ A, clip(ρ) A) and k1 to the reference', async () => {
    const trainer = new Counting();
    const objective = {
      ...getTraining('search/grpo').objective,
      clip: { low: 0.2, high: 0.2 },
      dualClip: null,
      kl: { form: 'k1' as const, place: 'loss' as const, coefficient: 0.5 },
    };
    const { items } = await new TrainReplica(trainer).gradient(
      [
        // Ratio 1: −A, and the log-probability lies 0.5 above the reference's.
        item([0, 1], { oldLogprobs: Float32Array.of(-1), refLogprobs: Float32Array.of(-1.5) }),
        // Ratio e: stopped at 1.2.
        item([0, 1], { oldLogprobs: Float32Array.of(-3), advantage: 2, weight: 0.25 }),
      ],
      objective,
    );
    expect(items.map(({ loss }) => loss)).toEqual([
      expect.closeTo(0.5 * (-1 + 0.5 * 0.5), 6),
      expect.closeTo(0.25 * -1.2 * 2, 6),
    ]);
    expect(items.map(({ clipped }) => clipped)).toEqual([0, 1]);
    expect(items.map(({ kl }) => kl)).toEqual([0.5, 0]);
    // −weight · (slope of the surrogate, −A, + 0.5 · slope of k1, 1); nothing where the clip stops.
    expect(trainer.coefficients).toEqual([expect.closeTo(0.25, 6), expect.closeTo(0, 6)]);
  });

  it('sets an adapter that it does not hold, and none twice; one that failed again', async () => {
    const trainer = new Counting();
    const replica = new TrainReplica(trainer);
    await replica.setAdapter(1, Float32Array.of(3));
    await replica.setAdapter(1, Float32Array.of(3));
    await replica.setAdapter(-1, null);
    expect(trainer.calls).toEqual(['adapter 3', 'adapter off']);
    trainer.fault = new Error('device lost');
    await expect(replica.setAdapter(2, Float32Array.of(4))).rejects.toThrow('device lost');
    trainer.fault = null;
    // Nobody knows what it holds now.
    await replica.setAdapter(-1, null);
    expect(trainer.calls.slice(2)).toEqual(['adapter 4', 'adapter off']);
  });

  it('says what it holds, and gives its trainer back', async () => {
    const trainer = new Counting();
    const replica = new TrainReplica(trainer);
    expect([replica.maxTokens, await replica.bytes()]).toEqual([64, 321]);
    await replica.close();
    expect(trainer.calls).toEqual(['dispose']);
  });

  it.each([
    [[], 0],
    [[1], 0],
    [[1, 1, 0, 1], 2],
    [[0, 0], 0],
  ])('a mask of %j trains %i tokens: nothing predicts the first', (mask, count) => {
    expect(trainedCount(Uint8Array.from(mask))).toBe(count);
  });
});

describe('a replica on the CPU', () => {
  it.each([
    [undefined, MICRO_TOKENS],
    // A whole context of 256 tokens fits in any case.
    [100, 256],
    [300, 300],
  ])('with micro-batches of %s tokens takes %i at a time', async (microTokens, maxTokens) => {
    const policy = await createPolicy(
      tinyWeights(),
      tokenizer,
      { id: 'untrained', revision: '0', dtype: 'f32' },
      { device: 'wasm' },
    );
    const replica = createReplica({
      policy,
      adapter: { rank: 1, alpha: 1, targets: LORA_TARGETS },
      microTokens,
    });
    expect(replica.maxTokens).toBe(maxTokens);
    await replica.close();
    policy.dispose();
  });
});
