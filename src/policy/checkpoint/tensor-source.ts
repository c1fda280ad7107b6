import type { PolicyConfig } from './config.ts';
import type { PackedRows } from './packed-rows.ts';
import type { MatrixType, PackedType, StoredType } from './weight-type.ts';
import {
  layerSlots,
  parameterCount,
  viewWeights,
  type ParameterSlot,
  type PolicyWeights,
} from './weights.ts';

/** Parameters of a policy by name, read when they are wanted, wherever they lie. */
export interface TensorSource {
  readonly config: PolicyConfig;
  /** What most weights are stored as. */
  readonly dtype: StoredType;
  /** Values [from, to) of a parameter of `parameterSlots`, all of them by default; in f32. */
  read(name: string, from?: number, to?: number): Promise<Float32Array>;
  /** Of a source with packed tensors. */
  readonly packing?: PackedSource;
}

/** Tensors that are stored in types of their own, such as those of a GGUF file. */
export interface PackedSource {
  /** What each matrix is best held in, by its name: as it is stored, where that is a type of ours. */
  readonly held: Readonly<Record<string, MatrixType>>;
  /** What it is stored in, in the file's words, such as `Q4_K`. */
  storedAs(name: string): string;
  /**
   * Rows [from, to) of a matrix in `type`: exactly, or rounded as `quantise` does where the source is faster at it;
   * null where the caller has to round them.
   */
  rows(name: string, type: PackedType, from: number, to: number): Promise<PackedRows | null>;
}

/** All parameters of one layer in the order of `layerSlots`, in a buffer of their own. */
export async function readLayerValues(source: TensorSource, layer: number): Promise<Float32Array> {
  const slots = layerSlots(source.config, layer);
  const values = new Float32Array(slots.reduce((sum, slot) => sum + slot.length, 0));
  for (const { name, offset } of slots) values.set(await source.read(name), offset);
  return values;
}

/** Weights that are in memory as a source; what it reads are views of them. */
export function sourceOf(weights: PolicyWeights): TensorSource {
  const slots = new Map(weights.slots.map((slot) => [slot.name, slot]));
  const slotOf = (name: string): ParameterSlot => {
    const slot = slots.get(name);
    if (!slot) throw new Error(`weights: there is no parameter "${name}"`);
    return slot;
  };
  return {
    config: weights.config,
    dtype: 'f32',
    read: async (name, from = 0, to) => {
      const { offset, length } = slotOf(name);
      return weights.flat.subarray(offset + from, offset + (to ?? length));
    },
  };
}

/** All parameters of a source in memory. */
export async function weightsOf(source: TensorSource): Promise<PolicyWeights> {
  const weights = viewWeights(source.config, new Float32Array(parameterCount(source.config)));
  for (const { name, offset } of weights.slots) weights.flat.set(await source.read(name), offset);
  return weights;
}
