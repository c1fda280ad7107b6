import type { PolicyConfig } from './config.ts';
import { type StoredTensor } from './safetensors.ts';
import type { StoredType } from './weight-type.ts';
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
  /** All values of a parameter as they are stored. */
  stored(name: string): Promise<StoredTensor>;
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
    stored: async (name) => {
      const { offset, length } = slotOf(name);
      const { buffer, byteOffset } = weights.flat.subarray(offset, offset + length);
      return { dtype: 'F32', bytes: new Uint8Array(buffer, byteOffset, 4 * length) };
    },
  };
}

/** All parameters of a source in memory. */
export async function weightsOf(source: TensorSource): Promise<PolicyWeights> {
  const weights = viewWeights(source.config, new Float32Array(parameterCount(source.config)));
  for (const { name, offset } of weights.slots) weights.flat.set(await source.read(name), offset);
  return weights;
}
