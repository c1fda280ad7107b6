import type { Sizes } from '../ops/planned.ts';
import * as sizes from './device/sizes.ts';

/**
 * What a WebGPU device holds of everything.
 * @param largest bytes of the largest binding: larger matrices are split
 */
export const webGpuSizes = (largest: number): Sizes => ({
  device: 'webgpu',
  activations: sizes.activationBytes,
  vector: sizes.vectorBytes,
  matrix: (shape) => sizes.matrixBytes(shape, largest),
  rotary: sizes.rotaryBytes,
  keyStore: ({ positions, kvHeads, headDim, type }) =>
    sizes.keyStoreBytes(positions, kvHeads, headDim, type),
  tokens: sizes.tokensBytes,
  picks: sizes.picksBytes,
  draws: sizes.drawsBytes,
  adapter: sizes.adapterBytes,
  working: () => 0,
});
