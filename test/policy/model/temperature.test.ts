import { describe, expect, it, vi } from 'vitest';
import type { Objective } from '../../../src/learn/objective.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { TrainReplica, type TrainItem } from '../../../src/learn/replicas/replica.ts';
import type { PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { draw } from '../../../src/policy/ops/draw.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { createLoraTrainer } from '../create-lora-trainer.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { loraSize, loraSlots, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { Random } from '../../../src/base/random.ts';
import {
  packBatch,
  type PackedBatch,
  type TrainLimits,
} from '../../../src/policy/lora/train-batch.ts';
import { initWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';
import { relativeError } from '../lora/numbers.ts';
import { trainerOn } from './on-ops.ts';

/** Both trainers give scores and gradients of softmax(logits / T), the distribution that was drawn from. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const limits = { maxTokens: 128, maxLength: 64 };
const TRAINERS = [
  [
    'wasm',
    (weights: PolicyWeights, spec: LoraSpec, room: TrainLimits) =>
      createLoraTrainer(weights, spec, room, 'wasm'),
  ],
  [
    'the oracle',
    (weights: PolicyWeights, spec: LoraSpec, room: TrainLimits) =>
      trainerOn(oracleOps(), sourceOf(weights), spec, room),
  ],
] as const;

const fixture = loadLoraFixture();
const adapter = readPeft(fixture.config, fixture.files);
const tempered = fixture.expected.sequences.map((sequence, s) => ({
  ...sequence,
  ...fixture.tempered.sequences[s]!,
}));
const batchOf = (sequences: readonly { ids: number[]; temperature?: number }[]): PackedBatch =>
  packBatch(sequences.map((s) => ({ ...s, weights: s.ids.map(() => 1) })));
const rows = (pick: (s: (typeof tempered)[number]) => number[]): number[] =>
  tempered.flatMap((s) => pick(s).slice(1));

describe.each(TRAINERS)('%s against PyTorch and PEFT, each sequence at its own T', (_, create) => {
  it('scores as they do, with the adapter and without it', async () => {
    const trainer = await create(fixture.weights, adapter.spec, limits);
    await trainer.setAdapter(adapter.flat);
    const { logprobs, entropies } = await trainer.score(batchOf(tempered));
    expect(
      relativeError(
        logprobs,
        rows((s) => s.logprobs),
      ),
    ).toBeLessThan(1e-4);
    expect(
      relativeError(
        entropies,
        rows((s) => s.entropies),
      ),
    ).toBeLessThan(1e-4);
    await trainer.setAdapter(null);
    const reference = await trainer.score(batchOf(tempered));
    const wanted = rows((s) => s.referenceLogprobs);
    expect(relativeError(reference.logprobs, wanted)).toBeLessThan(1e-4);
  });

  it('has their gradients, every tensor to 1e-3', async () => {
    const trainer = await create(fixture.weights, adapter.spec, limits);
    await trainer.setAdapter(adapter.flat);
    await trainer.accumulate(batchOf(tempered), () =>
      Float32Array.from(rows((s) => s.coefficients)),
    );
    const gradients = await trainer.gradients();
    for (const { name, offset, length } of loraSlots(fixture.config, adapter.spec)) {
      const got = gradients.subarray(offset, offset + length);
      expect(relativeError(got, fixture.tempered.gradients[name]!), name).toBeLessThan(1e-3);
    }
  });

  it('the gradient is the finite difference of its own scores', async () => {
    const trainer = await create(fixture.weights, adapter.spec, limits);
    const batch = batchOf(tempered);
    const given = Float32Array.from(rows((s) => s.coefficients));
    await trainer.setAdapter(adapter.flat);
    await trainer.accumulate(batch, () => given);
    const gradient = await trainer.gradients();
    const direction = new Float32Array(adapter.flat.length);
    new Random(3).fillNormal(direction, 1);
    const loss = async (h: number): Promise<number> => {
      await trainer.setAdapter(adapter.flat.map((v, i) => v + h * direction[i]!));
      const { logprobs } = await trainer.score(batch);
      return logprobs.reduce((sum, value, i) => sum - given[i]! * value, 0);
    };
    const h = 1e-3;
    const measured = ((await loss(h)) - (await loss(-h))) / (2 * h);
    const slope = direction.reduce((sum, v, i) => sum + v * gradient[i]!, 0);
    expect(Math.abs(measured / slope - 1)).toBeLessThan(0.02);
  });

  it('T = 1 said or not gives the same bits', async () => {
    const trainer = await create(fixture.weights, adapter.spec, limits);
    await trainer.setAdapter(adapter.flat);
    const ids = tempered.map((s) => ({ ids: s.ids }));
    const given = Float32Array.from(rows((s) => s.coefficients));
    const run = async (batch: PackedBatch) => {
      trainer.zeroGradients();
      const scores = await trainer.accumulate(batch, () => given);
      return { scores, gradient: await trainer.gradients() };
    };
    const said = batchOf(ids.map((s) => ({ ...s, temperature: 1 })));
    expect(await run(said)).toEqual(await run(batchOf(ids)));
  });
});

describe('a batch', () => {
  it.each([0, -1, Number.NaN])('refuses temperature %s', (temperature) => {
    expect(() => batchOf([{ ids: [1, 2], temperature }])).toThrow(/divided by a temperature of/);
  });
});

/**
 * One layer that adds nothing, after which the context `[5]` has logits 2, 1, 0, −1 and four of −40.
 * The output row of token a holds +1 at 2a and −1 at 2a + 1, so that the gradient of entry 2a of the
 * hidden state is that of logit a.
 */
const LOGITS = [2, 1, 0, -1, -40, -40, -40, -40];
function handMade(): PolicyWeights {
  const config: PolicyConfig = {
    vocabSize: 8,
    hiddenSize: 16,
    layers: 1,
    heads: 1,
    kvHeads: 1,
    headDim: 16,
    intermediateSize: 16,
    rmsNormEps: 1e-9,
    ropeTheta: 10_000,
    tieWordEmbeddings: false,
    maxPositions: 8,
  };
  const weights = initWeights(config, 3);
  weights.layers[0]!.o.fill(0);
  weights.layers[0]!.down.fill(0);
  weights.embed.fill(1, 5 * 16, 6 * 16);
  LOGITS.forEach((logit, a) => {
    weights.head.fill(logit / 16, a * 16, (a + 1) * 16);
    weights.head[a * 16 + 2 * a]! += 1;
    weights.head[a * 16 + 2 * a + 1]! -= 1;
  });
  return weights;
}

const onPolicy: Objective = {
  estimator: 'grpo',
  clip: null,
  dualClip: null,
  aggregation: 'token-mean',
  kl: { form: 'k3', place: 'off', coefficient: 0 },
};

describe.each(TRAINERS)('logits 2, 1, 0, −1 drawn at T = 0.5, trained by %s', (_, create) => {
  const weights = handMade();
  const spec: LoraSpec = { rank: 2, alpha: 2, targets: ['down_proj'] };
  const flat = new Float32Array(loraSize(weights.config, spec));
  // A at random and B = 0: the adapter changes nothing, and B has a gradient.
  new Random(1).fillNormal(flat.subarray(0, loraSlots(weights.config, spec)[0]!.length), 1);
  const B = loraSlots(weights.config, spec)[1]!;

  /**
   * −∂L/∂logit of the mean over 4,000 draws, up to a factor that is the same for all four.
   * @param told what the trainer divides by, and what the sampler's log-probabilities are of
   */
  async function meanGradient(temperature: number, told = temperature): Promise<number[]> {
    const draws = 4_000;
    const shares = new Map<number, { share: number; logprob: number }>();
    for (let i = 0; i < draws; i++) {
      const sampling = { temperature, topK: 0, topP: 1 };
      const row = Float32Array.from(LOGITS);
      const u = (i + 0.5) / draws;
      const token = draw(row, sampling, u);
      const { id } = token;
      const logprob = told === temperature ? token.logprob : token.modelLogprob;
      const before = shares.get(id)?.share ?? 0;
      shares.set(id, { share: before + 1 / draws, logprob });
    }
    const items = [...shares].map(([id, { share, logprob }]): TrainItem => ({
      ids: Int32Array.of(5, id),
      mask: Uint8Array.of(0, 1),
      temperature: told,
      oldLogprobs: Float32Array.of(logprob),
      refLogprobs: null,
      advantage: 1,
      weight: share,
    }));
    const learner = new PolicyLearner([
      new TrainReplica(await create(weights, spec, { maxTokens: 32, maxLength: 8 })),
    ]);
    learner.setAdapter(flat);
    const { gradient, items: scored } = await learner.gradient(items, onPolicy);
    // The trainer sees what the sampler drew from, so every ratio is 1.
    scored.forEach(({ logprobs }, i) =>
      expect(logprobs[0]).toBeCloseTo(items[i]!.oldLogprobs[0]!, 5),
    );
    return [0, 1, 2, 3].map((a) => -gradient[B.offset + 2 * a * spec.rank]!);
  }

  it('the mean of ∇ log π is 0', async () => {
    for (const temperature of [0.5, 1, 2])
      for (const value of await meanGradient(temperature)) expect(value).toBeCloseTo(0, 3);
  });

  it('with log-probabilities of temperature 1 it is 0.221, −0.120, −0.071, −0.030', async () => {
    const wrong = await meanGradient(0.5, 1);
    const factor = wrong[0]! / 0.221;
    expect(Math.abs(factor)).toBeGreaterThan(0.01);
    [0.221, -0.12, -0.071, -0.03].forEach((value, a) =>
      expect(wrong[a]! / factor).toBeCloseTo(value, 3),
    );
  });
});
