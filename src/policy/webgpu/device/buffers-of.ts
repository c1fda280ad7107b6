import type { Handle } from '../../ops/ops.ts';
import type { Adapter } from '../../ops/values.ts';
import type { GpuBuffer } from './device.ts';
import {
  GpuActivations,
  GpuAdapter,
  GpuDraws,
  GpuKvCache,
  GpuMatrix,
  GpuPicks,
  GpuRotary,
  GpuTokens,
  GpuVector,
  own,
} from './values.ts';

/** @throws Error for an adapter that is not trained */
export function gradientsOf(adapter: Adapter): GpuBuffer {
  const { gradients } = own(GpuAdapter, adapter);
  if (!gradients) throw new Error('this adapter is not trained, so it has no gradients');
  return gradients;
}

/** All that a handle holds. */
export function buffersOf(handle: Handle): GpuBuffer[] {
  if (handle instanceof GpuActivations || handle instanceof GpuVector) return [handle.buffer];
  if (handle instanceof GpuRotary || handle instanceof GpuKvCache) return [handle.buffer];
  if (handle instanceof GpuMatrix) return handle.parts.map(({ units }) => units.buffer);
  if (handle instanceof GpuTokens) return [handle.table, handle.runTable];
  if (handle instanceof GpuDraws || handle instanceof GpuPicks)
    return [handle.table, handle.results];
  if (handle instanceof GpuAdapter)
    return handle.gradients ? [handle.values, handle.gradients] : [handle.values];
  throw new TypeError(`WebGPU: this ${handle.kind} was made by another device`);
}
