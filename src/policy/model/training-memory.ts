import type { Handle, Ops } from '../ops/ops.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  KeyStore,
  Picks,
  StoreType,
  Tokens,
} from '../ops/values.ts';
import type { Decoder } from './decoder.ts';
import { forwardBuffers, type ForwardBuffers, type Kept } from './forward.ts';

/** What the backward pass needs room for beside the forward pass; layers share it. */
interface BackwardBuffers extends Kept {
  /** [rows, d]: the residual stream behind attention, and its gradient. */
  readonly middle: Activations;
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
  readonly forward: ForwardBuffers;
  readonly backward: BackwardBuffers;
  /** Inputs of the layers, and of the head. */
  readonly inputs: readonly Activations[];
  readonly store: KeyStore;
}

type Keep = <T extends Handle>(handle: T) => T;

/** @param rows tokens of a batch; @param positions of the store of keys */
export function trainingMemory(
  { ops, config: c }: Decoder,
  o: { shapes: readonly AdapterShape[]; rows: number; positions: number; keys: StoreType },
  keep: Keep,
): TrainingMemory {
  const { rows } = o;
  const one = (width: number, label: string): Activations =>
    keep(ops.activations(rows, width, label));
  const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const activations = (_: number, width: number, label: string) => one(width, label);
  return {
    adapter: keep(ops.adapter(o.shapes, true)),
    tokens: keep(ops.tokens(rows)),
    picks: keep(ops.picks(rows)),
    forward: forwardBuffers({ activations }, c, rows),
    inputs: Array.from({ length: c.layers + 1 }, (_, l) => one(c.hiddenSize, `input ${l}`)),
    backward: {
      heads: one(queries + 2 * keys, 'heads'),
      lse: one(c.heads, 'sums of attention'),
      gateUp: one(2 * c.intermediateSize, 'gate and up'),
      middle: one(c.hiddenSize, 'middle'),
      dx: one(c.hiddenSize, 'gradient of the residual'),
      dq: one(queries, 'gradient of queries'),
      dAttended: one(queries, 'gradient of attention'),
      dKeys: one(keys, 'gradient of keys'),
      dValues: one(keys, 'gradient of values'),
      dInner: one(c.intermediateSize, 'gradient of inner'),
    },
    store: keep(trainingStore(ops, c, o.positions, o.keys)),
  };
}

export const trainingStore = (
  ops: Ops,
  { kvHeads, headDim }: Decoder['config'],
  positions: number,
  type: StoreType,
): KeyStore => ops.keyStore({ positions, kvHeads, headDim, type }, 'training');

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
