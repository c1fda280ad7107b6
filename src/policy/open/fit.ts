import type { PolicyConfig } from '../checkpoint/config.ts';
import { DEVICE_MATRIX } from '../engine/layout.ts';
import { CHUNK, PREFILL_SLOTS } from '../engine/shapes.ts';
import { headRows } from '../lora/jax/padding.ts';
import { LORA_TARGETS, loraSize, targetShape, type LoraSpec } from '../lora/spec.ts';
import { parameterCount } from '../checkpoint/weights.ts';

/** What a device allows; sizes in bytes. */
export interface DeviceLimits {
  /** `maxStorageBufferBindingSize` and `maxBufferSize` of a WebGPU adapter; Infinity on WASM. */
  readonly maxBinding: number;
  readonly maxBuffer: number;
  /** Memory that weights, caches and activations may take together. */
  readonly memory: number;
}

export interface FitQuestion {
  readonly config: PolicyConfig;
  /** Type of the weights on the device. */
  readonly dtype: 'f32' | 'f16';
  /** Contexts that decode together, and the tokens that each may hold. */
  readonly slots: number;
  readonly context: number;
  /** What is trained; null where the policy only samples. */
  readonly train: { readonly adapter: LoraSpec; readonly tokens: number } | null;
  readonly limits: DeviceLimits;
}

/** Bytes and operations, all of them computed from the shape: 2 operations a multiply-add. */
interface FitNumbers {
  readonly parameters: number;
  /**
   * Weights on the device, once for sampling and once more where it trains; in the sampler of one that
   * trains, matrices with an adapter are in f32 whatever the type.
   */
  readonly weightBytes: number;
  /** The embedding on the host, as the checkpoint stores it at most (f32). */
  readonly hostBytes: number;
  /** Keys and values of one context, in f32. */
  readonly cacheBytesPerSlot: number;
  /** What one decoding step holds beside weights and caches. */
  readonly decodeBytes: number;
  /** What one LoRA step holds beside the weights; 0 where nothing is trained. */
  readonly trainBytes: number;
  readonly totalBytes: number;
  /** The largest array that a kernel reads or writes. */
  readonly largestBuffer: { readonly name: string; readonly bytes: number };
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

const F32 = 4;

/** Values of the matrices of all layers, which every token is multiplied with. */
function matrixValues(c: PolicyConfig): number {
  const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  return (
    c.layers * (c.hiddenSize * (2 * queries + 2 * keys) + 3 * c.hiddenSize * c.intermediateSize)
  );
}

/** Values of the arrays that hold an adapted matrix as they are uploaded: q, k, v are one, gate and up are one. */
function adaptedValues(c: PolicyConfig, spec: LoraSpec): number {
  const arrays = new Set(spec.targets.map((target) => DEVICE_MATRIX[target]));
  const inside = LORA_TARGETS.filter((target) => arrays.has(DEVICE_MATRIX[target]));
  const values = inside.map((target) => targetShape(c, target).reduce((a, b) => a * b));
  return c.layers * values.reduce((a, b) => a + b, 0);
}

/** Keys and values of one context: the main store, and the ring of the newest positions. */
const cacheBytes = (c: PolicyConfig, context: number): number =>
  2 * F32 * c.layers * c.kvHeads * c.headDim * (context + CHUNK);

/** Widest arrays that one layer makes of a row, and scores of it. */
const rowBytes = (c: PolicyConfig, context: number): number =>
  F32 *
  (4 * c.hiddenSize +
    2 * (c.heads + 2 * c.kvHeads) * c.headDim +
    3 * c.intermediateSize +
    2 * c.heads * (context + CHUNK));

/**
 * Logits of all slots, a layer's arrays for them or for a chunk that is read, and one layer's cache
 * once more while it is written anew.
 */
function decodeBytes(c: PolicyConfig, slots: number, context: number): number {
  const rows = Math.max(slots, PREFILL_SLOTS * CHUNK);
  const rewritten = (slots * cacheBytes(c, context)) / c.layers;
  return rows * rowBytes(c, context) + 2 * F32 * slots * c.vocabSize + rewritten;
}

/**
 * What the trainer holds beside the weights: the input of every layer; of the layer at work all
 * activations and their gradients, scores included; three arrays of logits; the adapter four times
 * (values, gradient, and on the host both moments and the reference).
 */
function trainBytes(c: PolicyConfig, spec: LoraSpec, tokens: number, length: number): number {
  const kept = F32 * c.layers * tokens * c.hiddenSize;
  const layer = 2 * tokens * rowBytes(c, 0);
  const scores = 4 * F32 * tokens * c.heads * length;
  const head = 3 * F32 * headRows(c.vocabSize) * c.vocabSize;
  return kept + layer + scores + head + 4 * F32 * loraSize(c, spec);
}

/** Of the matrices as they are uploaded: q, k, v are one, gate and up are one, the head is one. */
function largestBuffer({ config: c, dtype, slots, context, train }: FitQuestion) {
  const width = dtype === 'f16' ? 2 : F32;
  const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const arrays: [string, number][] = [
    ['output projection', width * c.vocabSize * c.hiddenSize],
    ['gate and up projections of a layer', width * 2 * c.intermediateSize * c.hiddenSize],
    ['q, k and v projections of a layer', width * (queries + 2 * keys) * c.hiddenSize],
    ['keys of a layer', F32 * slots * keys * context],
    ['logits', F32 * slots * c.vocabSize],
    ['scores of a chunk', F32 * PREFILL_SLOTS * c.heads * CHUNK * context],
  ];
  if (train) {
    const length = Math.min(train.tokens, context);
    arrays.push(
      ['logits of training', F32 * headRows(c.vocabSize) * c.vocabSize],
      ['scores of training', F32 * train.tokens * c.heads * length],
    );
  }
  const [name, bytes] = arrays.reduce((a, b) => (b[1] > a[1] ? b : a));
  return { name, bytes };
}

/**
 * Matrix products of a LoRA step over N tokens in contexts of at most `length`, all rows trained.
 * P values of the layers' matrices, F of the adapter, a = heads · headDim:
 * forward 2 N (P + F) + 4 a S L + 2 N d V; backward 2 N (P + 2 F) + 8 a S L + 2 N d V; and the forward
 * pass of the layers once more. S = N (length + 1) / 2 scores a head.
 */
function stepFlops(c: PolicyConfig, spec: LoraSpec, tokens: number, length: number): number {
  const [P, F] = [matrixValues(c), loraSize(c, spec)];
  const attention = 2 * c.heads * c.headDim * c.layers * tokens * ((length + 1) / 2);
  const head = 2 * tokens * c.hiddenSize * c.vocabSize;
  const forward = 2 * tokens * (P + F) + 2 * attention;
  const backward = 2 * tokens * (P + 2 * F) + 4 * attention;
  return 2 * forward + backward + 3 * head;
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

function numbersOf(q: FitQuestion, slots: number): FitNumbers {
  const { config: c, dtype, context, train } = q;
  const width = dtype === 'f16' ? 2 : F32;
  const parameters = parameterCount(c);
  // A tied head is uploaded as a matrix of its own; the embedding itself stays on the host.
  const embedding = c.vocabSize * c.hiddenSize;
  const onDevice = parameters - embedding + (c.tieWordEmbeddings ? embedding : 0);
  const widened = train && dtype === 'f16' ? adaptedValues(c, train.adapter) : 0;
  const weightBytes = width * onDevice * (train ? 2 : 1) + (F32 - width) * widened;
  const cacheBytesPerSlot = cacheBytes(c, context);
  const length = train ? Math.min(train.tokens, context) : 0;
  const decode = decodeBytes(c, slots, context);
  const training = train ? trainBytes(c, train.adapter, train.tokens, length) : 0;
  return {
    parameters,
    weightBytes,
    hostBytes: F32 * embedding,
    cacheBytesPerSlot,
    decodeBytes: decode,
    trainBytes: training,
    // The two take turns, but caches stay while it trains.
    totalBytes: weightBytes + slots * cacheBytesPerSlot + Math.max(decode, training),
    largestBuffer: largestBuffer({ ...q, slots }),
    flopsPerToken:
      2 * (matrixValues(c) + c.hiddenSize * c.vocabSize) +
      4 * c.heads * c.headDim * c.layers * context,
    flopsPerStep: train ? stepFlops(c, train.adapter, train.tokens, length) : 0,
  };
}

function faultOf(numbers: FitNumbers, limits: DeviceLimits): string | null {
  const { largestBuffer: largest, totalBytes } = numbers;
  const most = Math.min(limits.maxBinding, limits.maxBuffer);
  if (largest.bytes > most)
    return `its largest array (${largest.name}) has ${gib(largest.bytes)}; this device allows ${gib(most)} in one`;
  if (totalBytes > limits.memory)
    return `it needs ${gib(totalBytes)}; ${gib(limits.memory)} are there`;
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
