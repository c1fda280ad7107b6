import type { PolicyConfig } from '../checkpoint/config.ts';
import type { TensorSource } from '../checkpoint/tensor-source.ts';
import type { HeldTypes, StoredType } from '../checkpoint/weight-type.ts';
import type { Ops } from '../ops/ops.ts';
import type { MatrixType, StoreType } from '../ops/values.ts';

export type PolicyDevice = 'wasm' | 'webgpu';

/**
 * Block operations on a device, loaded late: a page that never uses a device never loads its kernels.
 * @throws DeviceError where the device does not exist here
 */
export async function startOps(device: PolicyDevice): Promise<Ops> {
  if (device === 'webgpu') {
    const { createWebGpuOps } = await import('../webgpu/ops.ts');
    return createWebGpuOps();
  }
  const { createWasmOps } = await import('../wasm/ops.ts');
  return createWasmOps();
}

/**
 * Names weights as they are computed with: packed ones are not those of the checkpoint any more, so a
 * run that began with others notices.
 */
export const heldRevision = (revision: string, type: MatrixType | undefined): string =>
  type === 'int8' || type === 'int4' ? `${revision}+${type}` : revision;

/**
 * What matrices are held in unless someone chooses: on a GPU halves where the checkpoint has no more, on
 * the CPU float32, which needs no widening.
 */
export const matrixTypeFor = (stored: StoredType, device: PolicyDevice): MatrixType =>
  stored !== 'f32' && device === 'webgpu' ? 'f16' : 'f32';

/**
 * The same of a source whose tensors are stored in several types: each as it is stored, where that is a type of ours.
 * On a GPU bfloat16 becomes halves, as in a checkpoint that has nothing else.
 */
export function heldTypesFor(
  { dtype, packing }: Pick<TensorSource, 'dtype' | 'packing'>,
  device: PolicyDevice,
): HeldTypes {
  if (!packing) return matrixTypeFor(dtype, device);
  const widened = ([name, type]: [string, MatrixType]): [string, MatrixType] => [
    name,
    device === 'webgpu' && packing.storedAs(name) === 'BF16' ? 'f16' : type,
  ];
  return Object.fromEntries(Object.entries(packing.held).map(widened));
}

/** Contexts that take more than this in float32 are held in halves on a GPU. */
const MUCH = 256 * 2 ** 20;

/**
 * What keys and values are held in unless someone chooses: on a GPU halves where all contexts of an engine take
 * much of its memory, else float32. Of a small model they would save nothing that matters.
 * @param slots contexts at a time, each of as many positions as the config allows
 */
export function keyTypeFor(config: PolicyConfig, slots: number, device: PolicyDevice): StoreType {
  const { layers, kvHeads, headDim, maxPositions } = config;
  const bytes = 2 * 4 * layers * kvHeads * headDim * maxPositions * slots;
  return device === 'webgpu' && bytes > MUCH ? 'f16' : 'f32';
}
