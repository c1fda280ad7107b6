import { initAdapter } from '../../src/policy/lora/init.ts';
import { LORA_TARGETS, type LoraSpec } from '../../src/policy/lora/spec.ts';
import type { LoraTrainer } from '../../src/policy/lora/trainer.ts';
import { packBatch, type PackedBatch } from '../../src/policy/lora/train-batch.ts';
import { initWeights, type PolicyWeights } from '../../src/policy/checkpoint/weights.ts';
import { createLoraTrainer } from '../../test/policy/create-lora-trainer.ts';
import { createProduct } from '../product.ts';
import { stepFlops, totalFlops, type StepFlops } from './flops.ts';
import { SHAPES, type Load, type Shape } from './shape.ts';

const SEED = 7;
const MATMUL = 512;

const specOf = (load: Load): LoraSpec => ({
  rank: load.rank,
  alpha: load.rank,
  targets: LORA_TARGETS,
});

/** Sequences whose last `share` is trained. */
function batchOf({ tokens, length, share }: Load, vocabSize: number): PackedBatch {
  const sequences = Array.from({ length: Math.floor(tokens / length) }, (_, s) => ({
    ids: Array.from({ length }, (_unused, i) => (i * 31 + s * 17) % vocabSize),
    weights: Array.from({ length }, (_unused, i) => (i >= length * (1 - share) ? 1 : 0)),
  }));
  return packBatch(sequences);
}

async function seconds(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

const product = createProduct(MATMUL);

const newTrainer = (
  weights: PolicyWeights,
  load: Load,
  maxTokens = load.tokens,
): Promise<LoraTrainer> =>
  createLoraTrainer(weights, specOf(load), { maxTokens, maxLength: load.length }, 'wasm');

interface Prepared {
  trainer: LoraTrainer;
  batch: PackedBatch;
  flops: StepFlops;
}
let prepared: Prepared | undefined;

async function start(shape: Shape, load: Load): Promise<void> {
  const config = SHAPES[shape];
  const batch = batchOf(load, config.vocabSize);
  const trainer = await newTrainer(initWeights(config, SEED), load);
  const adapter = initAdapter(config, specOf(load), SEED);
  // B is not left zero: products of zeros would be no honest load on engines that notice them.
  await trainer.setAdapter(adapter.map((v, i) => (v === 0 ? ((i % 13) - 6) / 600 : v)));
  prepared = { trainer, batch, flops: stepFlops(config, specOf(load), batch) };
}

export interface Round {
  /** Seconds and floating-point operations of one step, and of one product of 512³. */
  step: { seconds: number; flops: StepFlops; total: number };
  matmul: { seconds: number; flops: number };
}

/** Products on both sides of the step, so that other load on the machine hits both. */
async function round(products: number): Promise<Round> {
  if (prepared === undefined) throw new Error('bench: nothing was started');
  const { trainer, batch, flops } = prepared;
  const times: number[] = [];
  const multiply = await product;
  for (let i = 0; i < products; i++) times.push(await seconds(multiply));
  const step = await seconds(() =>
    trainer.accumulate(batch, (scores) => scores.logprobs.map((_, i) => (i % 3) - 1)),
  );
  for (let i = 0; i < products; i++) times.push(await seconds(multiply));
  return {
    step: { seconds: step, flops, total: totalFlops(flops) },
    matmul: { seconds: Math.min(...times), flops: 2 * MATMUL ** 3 },
  };
}

export interface DepthBytes {
  layers: number;
  /** All bytes that the trainer holds. */
  total: number;
  /** Of these, bytes that grow with the tokens: activations and their gradients. */
  activations: number;
}

/** Bytes at some depths; activations are what a trainer for no more than 8 tokens does without. */
async function depths(
  shape: Shape,
  load: Load,
  layersOf: readonly number[],
): Promise<DepthBytes[]> {
  const rows: DepthBytes[] = [];
  for (const layers of layersOf) {
    const weights = initWeights({ ...SHAPES[shape], layers }, SEED);
    const bytes = async (maxTokens: number): Promise<number> => {
      const trainer = await newTrainer(weights, load, maxTokens);
      const held = trainer.bytes;
      trainer.dispose();
      return held;
    };
    const total = await bytes(load.tokens);
    rows.push({ layers, total, activations: total - (await bytes(8)) });
  }
  return rows;
}

/** What `run.ts` calls from outside. */
const bench = { start, round, depths };
export type Bench = typeof bench;
Object.assign(globalThis, { bench });
