import { numpy as np } from '@jax-js/jax';
import { fitsHalf, type WeightType } from '../checkpoint/weight-type.ts';

/** A Float16Array, which browsers have had since 2025 and Node from version 24 on. */
export interface Halves extends ArrayLike<number> {
  [index: number]: number;
  readonly buffer: ArrayBuffer;
}

type HalvesConstructor = new (values: number | ArrayLike<number>) => Halves;

const constructorOfHalves = (): HalvesConstructor | undefined =>
  Reflect.get(globalThis, 'Float16Array') as HalvesConstructor | undefined;

/** An array of binary16 that rounds what is written to it; null where the runtime has none. */
export const halvesOf = (length: number): Halves | null => {
  const Float16Array = constructorOfHalves();
  return Float16Array ? new Float16Array(length) : null;
};

/**
 * A matrix [rows, columns] on the default device, in `type`; in float32 where one of its values is
 * beyond binary16. Values are rounded here where the runtime has a Float16Array, else by the device,
 * which then holds them in float32 for the moment.
 *
 * @param values row-major, float32 or (already rounded) halves
 */
export function uploadMatrix(
  values: Float32Array<ArrayBuffer> | Halves,
  rows: number,
  type: WeightType,
): np.Array {
  const shape = [rows, values.length / rows];
  if (!(values instanceof Float32Array)) return uploadHalves(values, shape);
  if (type === 'f32' || !fitsHalf(values)) return np.array(values, { shape });
  const Float16Array = constructorOfHalves();
  if (Float16Array) return uploadHalves(new Float16Array(values), shape);
  return np.array(values, { shape }).astype(np.float16);
}

const uploadHalves = (halves: Halves, shape: number[]): np.Array =>
  np.array(halves, { shape, dtype: np.float16 });
