import { totalmem } from 'node:os';
import { keyTypeFor, type PolicyDevice } from '../../policy/open/device.ts';
import { planFit, type DeviceLimits } from '../../policy/open/fit.ts';
import { MATRIX_TYPES, type MatrixType, type StoreType } from '../../policy/ops/values.ts';
import type { CheckpointFolder } from './checkpoint-folder.ts';
import { UsageError } from './options.ts';

/** A 32-bit WebAssembly memory holds no more, and each thread has its own. */
const WASM_BYTES = 2 ** 32;

/** What each of some threads on the CPU may hold. */
export const cpuLimits = (threads: number): DeviceLimits => ({
  device: 'wasm',
  maxBinding: Infinity,
  maxBuffer: Infinity,
  memory: Math.min(WASM_BYTES, totalmem() / threads),
});

interface Precision {
  device: PolicyDevice;
  weights?: MatrixType | undefined;
  keys?: StoreType | undefined;
}

/**
 * Refuses a model whose weights and one context the CPU cannot hold, before anything is loaded.
 * @throws UsageError that says what would fit
 */
export function checkFits(
  { path, config, held, limits }: Pick<CheckpointFolder, 'path' | 'config' | 'held' | 'limits'>,
  { device, weights, keys }: Precision,
  cpu: DeviceLimits = cpuLimits(1),
): void {
  // Of a GPU nothing is known before it is asked.
  if (device === 'webgpu') return;
  const shape = { ...config, maxPositions: limits.maxContext };
  const question = {
    config: shape,
    keys: keys ?? keyTypeFor(shape, 1, device),
    slots: 1,
    context: limits.maxContext,
    train: null,
    limits: cpu,
  };
  const { verdict } = planFit({ ...question, type: weights ?? held });
  if (verdict.kind !== 'no') return;
  const fits = MATRIX_TYPES.filter((type) => planFit({ ...question, type }).verdict.kind !== 'no');
  const instead =
    fits.length > 0
      ? `Choose --weights ${fits.join(' or ')}, or --device webgpu.`
      : 'Choose a smaller model, or --device webgpu.';
  throw new UsageError(`${path} does not fit: ${verdict.why}. ${instead}`);
}
