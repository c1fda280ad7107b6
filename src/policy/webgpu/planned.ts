import type { Sizes, Working } from '../ops/planned.ts';
import * as sizes from './device/sizes.ts';
import { fewWorking } from './kernels/few/working.ts';
import { manyWorking } from './many/working.ts';

/** Contexts that the rows of one turn of reading, or of a batch, are of. */
const RUNS = 64;

/** Scratch of the operations, which sampling and training share. */
function working(
  { config, type, slots, context, prefillChunk, train }: Working,
  largest: number,
): number {
  if (!train) {
    const read = { config, type, rows: prefillChunk, runs: RUNS, adapter: null, train: false };
    const reading = manyWorking(read, largest);
    return reading + fewWorking({ config, slots, context, adapter: null });
  }
  const { adapter, limits } = train;
  const rows = limits.maxTokens;
  return manyWorking({ config, type, rows, runs: RUNS, adapter, train: true }, largest);
}

/**
 * What a WebGPU device holds of everything.
 * @param largest bytes of the largest binding: larger matrices are split
 */
export const webGpuSizes = (largest: number): Sizes => ({
  device: 'webgpu',
  activations: sizes.activationBytes,
  vector: sizes.vectorBytes,
  matrix: (shape) => sizes.matrixBytes(shape, largest),
  piece: (shape) => Math.max(...sizes.matrixParts(shape, largest).map(({ bytes }) => bytes)),
  rotary: sizes.rotaryBytes,
  kvCache: ({ positions, kvHeads, headDim, type }) =>
    sizes.kvCacheBytes(positions, kvHeads, headDim, type),
  tokens: sizes.tokensBytes,
  picks: sizes.picksBytes,
  draws: sizes.drawsBytes,
  adapter: sizes.adapterBytes,
  working: (of) => working(of, largest),
});
