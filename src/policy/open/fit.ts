import type { PolicyConfig } from '../checkpoint/config.ts';
import { parameterCount } from '../checkpoint/weights.ts';
import { makeStores } from '../generation/context-store.ts';
import { GenerationEngine } from '../generation/engine.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import { matrixValues, stepFlops } from '../model/operations.ts';
import { planDecoder } from '../model/plan.ts';
import { stepAtMost } from '../model/training-memory.ts';
import { DecoderLoraTrainer } from '../model/trainer.ts';
import { plannedOps, type Sizes, type Working } from '../ops/planned.ts';
import type { HeldTypes } from '../checkpoint/weight-type.ts';
import type { StoreType } from '../ops/values.ts';
import { wasmSizes } from '../wasm/planned.ts';
import type { PolicyDevice } from './device.ts';
import { engineOptions } from './loaded-policy.ts';
import * as sizes from '../webgpu/device/sizes.ts';
import { fewWorking } from '../webgpu/kernels/few/working.ts';
import { manyWorking } from '../webgpu/many/working.ts';

/** Contexts that the rows of one turn of reading, or of a batch, are of. */
const RUNS = 64;

/** Scratch of the operations, which sampling and training share. */
function working(
  { config, type, slots, context, prefillChunk, train }: Working,
  largest: number,
): number {
  if (!train) {
    const read = { config, type, rows: prefillChunk, runs: RUNS, adapter: null, train: false };
    const reading = manyWorking(read, largest);
    return reading + fewWorking({ config, slots, context, adapter: null });
  }
  const { adapter, limits } = train;
  const rows = limits.maxTokens;
  return manyWorking({ config, type, rows, runs: RUNS, adapter, train: true }, largest);
}

/**
 * What a WebGPU device holds of everything.
 * @param largest bytes of the largest binding: larger matrices are split
 */
const webGpuSizes = (largest: number): Sizes => ({
  device: 'webgpu',
  activations: sizes.activationBytes,
  vector: sizes.vectorBytes,
  matrix: (shape) => sizes.matrixBytes(shape, largest),
  piece: (shape) => Math.max(...sizes.matrixParts(shape, largest).map(({ bytes }) => bytes)),
  rotary: sizes.rotaryBytes,
  kvCache: ({ positions, kvHeads, headDim, type }) =>
    sizes.kvCacheBytes(positions, kvHeads, headDim, type),
  tokens: sizes.tokensBytes,
  picks: sizes.picksBytes,
  draws: sizes.drawsBytes,
  adapter: sizes.adapterBytes,
  working: (of) => working(of, largest),
});

/** What a device allows; sizes in bytes. */
export interface DeviceLimits {
  readonly device: PolicyDevice;
  /** `maxStorageBufferBindingSize` and `maxBufferSize` of a WebGPU adapter; Infinity on WASM. */
  readonly maxBinding: number;
  readonly maxBuffer: number;
  /** Memory that weights, contexts and activations may take together. */
  readonly memory: number;
}

export interface FitQuestion {
  readonly config: PolicyConfig;
  /** What the matrices are held in. */
  readonly type: HeldTypes;
  /** What keys and values are held in. */
  readonly keys: StoreType;
  /** Contexts that decode together, and the tokens that each may hold. */
  readonly slots: number;
  readonly context: number;
  /** What is trained beside; null where the policy only samples. */
  readonly train: { readonly adapter: LoraSpec; readonly limits: TrainLimits } | null;
  readonly limits: DeviceLimits;
}

/** Bytes as the engine would hold them, and operations: 2 a multiply-add. */
interface FitNumbers {
  readonly parameters: number;
  /** Weights: one copy, for sampling, scoring and training. */
  readonly weightBytes: number;
  /** Keys and values of all contexts. */
  readonly contextBytes: number;
  /** What sampling holds beside the two. */
  readonly sampleBytes: number;
  /** What training holds beside the weights; 0 where nothing is trained. */
  readonly trainBytes: number;
  /** What a training step adds for its own time where memory allows; it is slower without. Not in `totalBytes`. */
  readonly stepBytes: number;
  /** All of it: contexts stay while it trains. */
  readonly totalBytes: number;
  /** The largest array that a kernel binds. */
  readonly largestBuffer: { readonly label: string; readonly bytes: number };
  /** Matrix products of one token that is decoded with a full context. */
  readonly flopsPerToken: number;
  /** Of one LoRA step over `tokens`: forward, backward, and what is computed again; 0 without. */
  readonly flopsPerStep: number;
}

type FitVerdict =
  | { readonly kind: 'fits' }
  | { readonly kind: 'fewer-slots'; readonly slots: number; readonly why: string }
  | { readonly kind: 'no'; readonly why: string };

export interface FitPlan extends FitNumbers {
  readonly verdict: FitVerdict;
}

const sizesOf = ({ device, maxBinding, maxBuffer }: DeviceLimits): Sizes =>
  device === 'webgpu' ? webGpuSizes(Math.min(maxBinding, maxBuffer)) : wasmSizes;

/** Decimal, as everywhere on the page. */
const inGB = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

/** Builds sampler and trainer over operations that only count, and fills the contexts. */
function held(q: FitQuestion, slots: number): Omit<FitNumbers, 'flopsPerToken' | 'flopsPerStep'> {
  const sizes = sizesOf(q.limits);
  const ops = plannedOps(sizes);
  const decoder = planDecoder(ops, q.config, q.type);
  const weightBytes = ops.bytes;
  const options = engineOptions(q.limits.device, slots, q.keys);
  void new GenerationEngine(decoder, options);
  const { prefillChunk } = options;
  const working = { config: q.config, type: q.type, slots, context: q.context, prefillChunk };
  const sampleBytes = ops.bytes - weightBytes + sizes.working({ ...working, train: null });
  const before = ops.bytes;
  makeStores(decoder, q.keys, slots, q.context);
  const contextBytes = ops.bytes - before;
  const atTraining = ops.bytes;
  if (q.train) void new DecoderLoraTrainer(decoder.view(), q.train.adapter, q.train.limits, q.keys);
  const trainBytes = q.train
    ? ops.bytes - atTraining + sizes.working({ ...working, train: q.train })
    : 0;
  return {
    parameters: parameterCount(q.config),
    weightBytes,
    contextBytes,
    sampleBytes,
    trainBytes,
    stepBytes: q.train ? stepAtMost(q.config, q.train.limits, q.limits.device) : 0,
    totalBytes: weightBytes + contextBytes + sampleBytes + trainBytes,
    largestBuffer: ops.largest,
  };
}

function numbersOf(q: FitQuestion, slots: number): FitNumbers {
  const { config: c, context, train } = q;
  return {
    ...held(q, slots),
    flopsPerToken:
      2 * (matrixValues(c) + c.hiddenSize * c.vocabSize) +
      4 * c.heads * c.headDim * c.layers * context,
    flopsPerStep: train
      ? stepFlops(
          c,
          train.adapter,
          train.limits.maxTokens,
          Math.min(train.limits.maxTokens, context),
        )
      : 0,
  };
}

function faultOf(numbers: FitNumbers, limits: DeviceLimits): string | null {
  const { largestBuffer: largest, totalBytes } = numbers;
  const most = Math.min(limits.maxBinding, limits.maxBuffer);
  if (largest.bytes > most)
    return `its largest array (${largest.label}) has ${inGB(largest.bytes)}; this device allows ${inGB(most)} in one`;
  if (totalBytes > limits.memory)
    return `it needs ${inGB(totalBytes)}, and this device gives ${inGB(limits.memory)}`;
  return null;
}

/**
 * What a checkpoint needs on a device, and whether it fits: as asked, with fewer contexts at a time,
 * or not at all, and then why. Nothing is allocated.
 */
export function planFit(question: FitQuestion): FitPlan {
  const asked = numbersOf(question, question.slots);
  const fault = faultOf(asked, question.limits);
  if (fault === null) return { ...asked, verdict: { kind: 'fits' } };
  for (let slots = Math.floor(question.slots / 2); slots >= 1; slots = Math.floor(slots / 2)) {
    const fewer = numbersOf(question, slots);
    if (faultOf(fewer, question.limits) === null)
      return { ...fewer, verdict: { kind: 'fewer-slots', slots, why: fault } };
  }
  const least = faultOf(numbersOf(question, 1), question.limits) ?? fault;
  return { ...asked, verdict: { kind: 'no', why: least } };
}
