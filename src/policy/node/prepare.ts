import { cpus } from 'node:os';
import v8 from 'node:v8';
import { hasRelaxedSimd } from '../wasm/kernels.ts';

/**
 * Makes Node compute what a browser computes. Call it before kernels are first started.
 *
 * Browsers have fused multiply-add in WebAssembly; Node 20 needs a flag for it, and without it sums
 * end in other bits. `navigator` is there from Node 21 on only.
 */
export function prepareNode(): void {
  if (!hasRelaxedSimd()) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  if (!('navigator' in globalThis))
    Object.defineProperty(globalThis, 'navigator', {
      value: { hardwareConcurrency: cpus().length, userAgent: `Node.js/${process.versions.node}` },
      configurable: true,
      writable: true,
    });
}

/**
 * Gives Node WebGPU by Dawn (npm `webgpu`); which driver Vulkan uses is set by VK_ICD_FILENAMES.
 * Call it after `prepareNode` and before a policy is loaded.
 * @throws Error where the package or a driver is missing
 */
export async function prepareNodeWebGpu(): Promise<void> {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const gpu = create([]);
  if (!(await gpu.requestAdapter()))
    throw new Error('WebGPU: no adapter was found; install a Vulkan driver or use the WASM device');
  Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu, configurable: true });
}
