import type { PolicyConfig } from '../checkpoint/config.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import { MemoryError } from '../ops/faults.ts';
import type { Handle, Ops } from '../ops/ops.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  KvCache,
  Picks,
  StoreType,
  Tokens,
} from '../ops/values.ts';
import type { Decoder } from './decoder.ts';
import { forwardBuffers, type ForwardBuffers, type Kept } from './forward.ts';

/** What a layer computes between its input and its output. */
interface Inside extends ForwardBuffers, Kept {
  /** [rows, d]: the residual stream behind attention. */
  readonly middle: Activations;
}

/** What the way back through a layer needs room for; layers share it. */
interface BackwardBuffers {
  /** [rows, d] */
  readonly dx: Activations;
  /** [rows, H D] */
  readonly dq: Activations;
  readonly dAttended: Activations;
  /** [rows, G D] */
  readonly dKeys: Activations;
  readonly dValues: Activations;
  /** [rows, M] */
  readonly dInner: Activations;
}

/** All that a trainer holds beside the decoder. */
export interface TrainingMemory {
  readonly adapter: Adapter;
  readonly tokens: Tokens;
  readonly picks: Picks;
  /** One a layer, or one that they share. */
  readonly insides: readonly Inside[];
  /** As many, of their keys and values. */
  readonly stores: KvCache[];
  readonly backward: BackwardBuffers;
  /** Inputs of the layers, and of the head. */
  readonly inputs: readonly Activations[];
}

type Keep = <T extends Handle>(handle: T) => T;

/** Most bytes for what all layers compute, by default: a GPU computes it again in little time, and has other use for memory. */
const INSIDE_BYTES = { oracle: 2 ** 27, wasm: 2 ** 27, webgpu: 0 };

/** Values of a row of what a layer computes, without keys and values. */
const insideWidth = (c: PolicyConfig): number =>
  c.hiddenSize +
  3 * c.intermediateSize +
  3 * c.heads * c.headDim +
  2 * c.kvHeads * c.headDim +
  c.heads;

/** Sequences of a batch that a store has gaps for at first. */
const GAPS = 64;

/** Positions of a KV cache at first: sequences begin at multiples of 8. */
const positionsOf = ({ maxTokens }: TrainLimits): number => Math.ceil(maxTokens / 8) * 8 + 8 * GAPS;

/** Whether all layers keep what they compute. */
export function keepsInsides(c: PolicyConfig, limits: TrainLimits, device: Ops['device']): boolean {
  const keys = 2 * positionsOf(limits) * c.kvHeads * c.headDim;
  const bytes = 4 * c.layers * (limits.maxTokens * insideWidth(c) + keys);
  return bytes <= (limits.insideBytes ?? INSIDE_BYTES[device]);
}

function insideOf(ops: Ops, c: PolicyConfig, rows: number, keep: Keep): Inside {
  const one = (width: number, label: string): Activations =>
    keep(ops.activations(rows, width, label));
  const activations = (_: number, width: number, label: string) => one(width, label);
  return {
    ...forwardBuffers({ activations }, c, rows),
    heads: one((c.heads + 2 * c.kvHeads) * c.headDim, 'heads'),
    lse: one(c.heads, 'sums of attention'),
    gateUp: one(2 * c.intermediateSize, 'gate and up'),
    middle: one(c.hiddenSize, 'middle'),
  };
}

/** What one layer computed in a step, with its keys and values. */
export interface StepInside {
  readonly inside: Inside;
  readonly store: KvCache;
  readonly handles: readonly Handle[];
}

/** Most bytes of what layers compute that a step holds for its own time. */
const STEP_BYTES = { oracle: 0, wasm: 2 ** 30, webgpu: 0 };

/** Bytes of what a layer computes in a step. */
export const stepBytes = (
  c: PolicyConfig,
  { rows, positions }: { rows: number; positions: number },
): number => 4 * (rows * insideWidth(c) + 2 * positions * c.kvHeads * c.headDim);

/**
 * Most bytes that a step adds for its own time, of a batch of as many tokens as it may have; 0 where they are always held.
 * A step takes less where memory ends before.
 */
export function stepAtMost(c: PolicyConfig, limits: TrainLimits, device: Ops['device']): number {
  if (keepsInsides(c, limits, device)) return 0;
  const one = stepBytes(c, { rows: limits.maxTokens, positions: positionsOf(limits) });
  const budget = limits.insideBytes ?? STEP_BYTES[device];
  return one * Math.min(c.layers, Math.floor(budget / one));
}

/**
 * Room for what the first layers compute in one step of `rows` tokens, for as many layers as memory allows: their forward
 * pass is then not made again on the way back. To be freed after the step.
 */
export function stepInsides(
  { ops, config: c }: Decoder,
  limits: TrainLimits,
  o: { rows: number; positions: number; keys: StoreType },
): StepInside[] {
  const budget = limits.insideBytes ?? STEP_BYTES[ops.device];
  const layers = Math.min(c.layers, Math.floor(budget / stepBytes(c, o)));
  const made: StepInside[] = [];
  while (made.length < layers) {
    const handles: Handle[] = [];
    const keep: Keep = (handle) => {
      handles.push(handle);
      return handle;
    };
    try {
      const inside = insideOf(ops, c, o.rows, keep);
      const store = keep(trainingStore(ops, c, o.positions, o.keys));
      made.push({ inside, store, handles });
    } catch (error) {
      // The rest is computed again.
      ops.free(...handles);
      if (error instanceof MemoryError) break;
      throw error;
    }
  }
  return made;
}

export function trainingMemory(
  { ops, config: c }: Decoder,
  o: { shapes: readonly AdapterShape[]; limits: TrainLimits; keys: StoreType },
  keep: Keep,
): TrainingMemory {
  const rows = o.limits.maxTokens;
  const one = (width: number, label: string): Activations =>
    keep(ops.activations(rows, width, label));
  const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const insides = keepsInsides(c, o.limits, ops.device) ? c.layers : 1;
  const store = () => keep(trainingStore(ops, c, positionsOf(o.limits), o.keys));
  return {
    adapter: keep(ops.adapter(o.shapes, true)),
    tokens: keep(ops.tokens(rows)),
    picks: keep(ops.picks(rows)),
    inputs: Array.from({ length: c.layers + 1 }, (_, l) => one(c.hiddenSize, `input ${l}`)),
    insides: Array.from({ length: insides }, () => insideOf(ops, c, rows, keep)),
    stores: Array.from({ length: insides }, store),
    backward: {
      dx: one(c.hiddenSize, 'gradient of the residual'),
      dq: one(queries, 'gradient of queries'),
      dAttended: one(queries, 'gradient of attention'),
      dKeys: one(keys, 'gradient of keys'),
      dValues: one(keys, 'gradient of values'),
      dInner: one(c.intermediateSize, 'gradient of inner'),
    },
  };
}

export const trainingStore = (
  ops: Ops,
  { kvHeads, headDim }: PolicyConfig,
  positions: number,
  type: StoreType,
): KvCache => ops.kvCache({ positions, kvHeads, headDim, type }, 'training');

/**
 * What `make` makes, and when it is certain that the device has the memory: a GPU says so later. Where it has not,
 * nothing is left of it.
 * @throws what `make` throws
 */
export function surely<T>(
  ops: Ops,
  make: (keep: Keep) => T,
): { made: T; certain: Promise<unknown> } {
  const held: Handle[] = [];
  const keep: Keep = (handle) => {
    held.push(handle);
    return handle;
  };
  const tried: { made?: { value: T }; failed?: { error: unknown } } = {};
  const certain = ops.attempt?.(() => {
    try {
      tried.made = { value: make(keep) };
    } catch (error) {
      tried.failed = { error };
      throw error;
    }
  });
  // Also what is awaited by nobody, since it was thrown.
  certain?.catch(() => undefined);
  if (tried.failed) throw tried.failed.error;
  if (certain && tried.made) return { made: tried.made.value, certain };
  try {
    return { made: make(keep), certain: Promise.resolve() };
  } catch (error) {
    ops.free(...held);
    throw error;
  }
}
