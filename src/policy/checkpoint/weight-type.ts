/**
 * Type of the matrices on the device. Products and sums are float32 in either: a kernel widens what it
 * reads. Norms, biases, keys and values, activations and adapters are always float32.
 */
export type WeightType = 'f32' | 'f16';

/** How most weights of a checkpoint are stored. */
export type StoredType = 'f32' | 'f16' | 'bf16';

/** Largest value of binary16. */
const MOST_F16 = 65_504;

/**
 * Halves where nothing is lost by it: weights that are stored in 16 bits, on a GPU whose shaders read
 * them. (bfloat16 has fewer digits than binary16; what is below 2^-14 loses some of them, and a matrix
 * with values beyond 65,504 stays in float32: `fitsHalf`.)
 */
export const weightTypeFor = (stored: StoredType, shaderF16: boolean): WeightType =>
  stored !== 'f32' && shaderF16 ? 'f16' : 'f32';

/** Whether the GPU that WebGPU gives has shaders that read halves; false without WebGPU. */
export async function hasShaderF16(): Promise<boolean> {
  // Node 20 has no `navigator`; prepared for WebGPU it has one with `gpu`.
  const gpu = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' });
  return adapter?.features.has('shader-f16') ?? false;
}

/** Whether no value is beyond the range of binary16. */
export function fitsHalf(values: Float32Array): boolean {
  for (const value of values) if (!(Math.abs(value) <= MOST_F16)) return false;
  return true;
}
