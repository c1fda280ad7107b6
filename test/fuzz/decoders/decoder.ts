import { Random } from '../../../src/base/random.ts';
import type { PolicyConfig, PolicyVariant } from '../../../src/policy/checkpoint/config.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { LORA_TARGETS, loraSize, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch, type PackedBatch } from '../../../src/policy/lora/train-batch.ts';
import { freeEnds, freeLayer } from '../../../src/policy/model/decoder.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import {
  MATRIX_TYPES,
  STORE_TYPES,
  type MatrixType,
  type StoreType,
} from '../../../src/policy/ops/values.ts';

/** A small decoder of a random shape, an adapter, and text for it. */
export interface RandomDecoder {
  readonly weights: PolicyWeights;
  readonly type: MatrixType;
  /** What keys and values are held in. */
  readonly keys: StoreType;
  readonly spec: LoraSpec;
  readonly flat: Float32Array;
  readonly batch: PackedBatch;
  readonly coefficients: Float32Array;
  readonly prompts: readonly number[][];
}

/** Sizes that kernels are compiled for come from one source of numbers, everything else from the other. */
function randomConfig(sizes: Random, random: Random): PolicyConfig {
  const kvHeads = 1 + sizes.below(3);
  const headDim = 2 * (1 + sizes.below(12));
  const layers = 1 + random.below(3);
  const flag = (): boolean => random.below(2) === 1;
  const ropes: PolicyVariant['rope'][] = [
    { type: 'default' },
    { type: 'linear', factor: 2 },
    {
      type: 'llama3',
      factor: 4,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 16,
    },
  ];
  const qkNorm = flag();
  const windowLayers = Array.from({ length: layers }, (_, layer) => layer).filter(flag);
  return {
    vocabSize: 5 + sizes.below(300),
    hiddenSize: 3 + sizes.below(70),
    layers,
    heads: kvHeads * (1 + sizes.below(4)),
    kvHeads,
    headDim,
    intermediateSize: 3 + sizes.below(90),
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    tieWordEmbeddings: flag(),
    maxPositions: 96,
    variant: {
      family: 'llama',
      qkNorm,
      qkvBias: flag(),
      oBias: flag(),
      mlpBias: flag(),
      rope: ropes[random.below(ropes.length)] ?? { type: 'default' },
      unturnedLayers: flag() ? [] : [layers - 1],
      gate: flag() ? 'silu' : 'gelu',
      outputNorms: flag(),
      normOffset: flag() ? 1 : 0,
      embedScale: flag() ? 1 : 2.5,
      queryScale: qkNorm && flag() ? 0.7 : 1,
      window:
        windowLayers.length > 0
          ? {
              positions: 1 + random.below(24),
              layers: windowLayers,
              ropeTheta: 500,
              rope: { type: 'default' },
            }
          : null,
    },
  };
}

/**
 * The decoder of a seed: always the same one. Sizes and weight type are those of the family, for which a device compiles
 * its kernels once; layers, biases, norms, scalings, adapter, what contexts are held in, numbers and texts are its own.
 */
export function randomDecoder(seed: number, family: number): RandomDecoder {
  const ofFamily = new Random(family);
  const random = new Random(seed);
  const config = randomConfig(ofFamily, random);
  const type = MATRIX_TYPES[ofFamily.below(MATRIX_TYPES.length)] ?? 'f32';
  const keys = STORE_TYPES[random.below(STORE_TYPES.length)] ?? 'f32';
  const targets = LORA_TARGETS.filter(() => random.below(2) === 1);
  const spec: LoraSpec = {
    rank: 1 + random.below(12),
    alpha: 1 + random.below(16),
    targets: targets.length > 0 ? targets : ['q_proj'],
  };
  const weights = initWeights(config, seed);
  // Norms and biases are 1 and 0 at first; matrices are small beside those of a trained model.
  for (const { shape, offset, length } of weights.slots) {
    const values = weights.flat.subarray(offset, offset + length);
    const noise = new Float32Array(length);
    random.fillNormal(noise, 0.3);
    if (shape.length === 1) values.forEach((value, i) => (values[i] = value + (noise[i] ?? 0)));
    else values.forEach((value, i) => (values[i] = 2 * value));
  }
  const flat = new Float32Array(loraSize(config, spec));
  random.fillNormal(flat, 0.1);
  const text = (length: number): number[] =>
    Array.from({ length }, () => random.below(config.vocabSize));
  // Sequences of one token train nothing; empty ones have no row.
  const lengths = Array.from({ length: 1 + random.below(6) }, () => random.below(40));
  const batch = packBatch(
    [...lengths, 2].map((length) => ({
      ids: text(length),
      weights: Array.from({ length }, () => random.below(3)),
      temperature: 0.5 + random.below(3) / 2,
    })),
  );
  const coefficients = new Float32Array(batch.rows.length);
  random.fillNormal(coefficients, 1);
  return {
    weights,
    type,
    keys,
    spec,
    flat,
    batch,
    coefficients,
    prompts: Array.from({ length: 1 + random.below(4) }, () => text(1 + random.below(50))),
  };
}

/** What a decoder gives on a device. */
export interface DecoderNumbers {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  readonly gradient: Float32Array;
  /** Log-probabilities of the tokens that follow the prompts greedily. */
  readonly generated: Float32Array;
  readonly ids: readonly number[];
}

/** Scores, gradients and greedy tokens of a decoder on a device, on which nothing is left of it. */
export async function numbersOn(ops: Ops, one: RandomDecoder): Promise<DecoderNumbers> {
  const { weights, type, keys, spec, flat, batch, coefficients, prompts } = one;
  const decoder = await uploadDecoder(ops, sourceOf(weights), { type });
  const limits = { maxTokens: Math.max(1, batch.ids.length), maxLength: 64 };
  const trainer = new DecoderLoraTrainer(decoder.view(), spec, limits, keys);
  await trainer.setAdapter(flat);
  trainer.zeroGradients();
  const { logprobs, entropies } = await trainer.accumulate(batch, () => coefficients);
  const gradient = await trainer.gradients();
  trainer.dispose();

  const engine = new GenerationEngine(decoder.view(), { maxSlots: 3, prefillChunk: 16, keys });
  const sampling = { temperature: 0, topK: 0, topP: 1 };
  const runs = await Promise.all(
    prompts.map((ids, i) => {
      const session = engine.open(i);
      session.append(ids);
      return session.generate({ maxTokens: 4, stopIds: [], sampling });
    }),
  );
  engine.dispose();
  for (const layer of decoder.weights.layers) freeLayer(ops, layer);
  freeEnds(ops, decoder.weights);
  await ops.settled();
  return {
    logprobs,
    entropies,
    gradient,
    generated: Float32Array.from(runs.flatMap((run) => run.logprobs)),
    ids: runs.flatMap((run) => run.ids),
  };
}

/** Largest difference as a share of the root mean square of what is wanted, or of `least`. */
export function apart(got: Float32Array, wanted: Float32Array, least = 1e-3): number {
  const squares = wanted.reduce((sum, value) => sum + value * value, 0);
  const scale = Math.max(least, Math.sqrt(squares / Math.max(1, wanted.length)));
  let most = got.length === wanted.length ? 0 : Infinity;
  wanted.forEach((value, i) => {
    const difference = Math.abs(value - (got[i] ?? Number.NaN)) / scale;
    // NaN is as far as can be.
    most = difference <= most ? most : Number.isNaN(difference) ? Infinity : difference;
  });
  return most;
}

/**
 * The same decoder with norms, biases and adapter changed by what float32 rounds off: how far numbers go then is how
 * far any float32 sums may be from exact ones. Up or down is drawn; another `draw` is another one.
 */
export function nudged(one: RandomDecoder, draw = one.batch.ids.length): RandomDecoder {
  const random = new Random(draw);
  const nudge = (values: Float32Array): void => {
    values.forEach(
      (value, i) => (values[i] = value * (1 + (random.below(2) === 0 ? 1 : -1) * 2 ** -22)),
    );
  };
  const flat = one.flat.slice();
  nudge(flat);
  const weights = { ...one.weights, flat: one.weights.flat.slice() };
  for (const { shape, offset, length } of weights.slots)
    if (shape.length === 1) nudge(weights.flat.subarray(offset, offset + length));
  return { ...one, weights, flat };
}
