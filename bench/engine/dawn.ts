import { prepareNode } from '../../src/policy/node/prepare.ts';
import { isSoftware } from '../../src/policy/webgpu/device/software.ts';
import { WebGpuOps } from '../../src/policy/webgpu/ops.ts';

/**
 * Operations on Dawn whose clock is not rounded. A browser rounds timestamps to 0.1 ms, and so does Dawn by default:
 * kernels of a fast GPU take less.
 * @param toggles of Dawn, such as `enable-dawn-features=disable_robustness`
 * @throws DeviceError where there is no adapter
 */
export async function openDawn(toggles: readonly string[] = []): Promise<{
  ops: WebGpuOps;
  adapter: GPUAdapter;
  /** Whether the adapter is the CPU, whose times say nothing of a GPU. */
  software: boolean;
}> {
  prepareNode();
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const gpu = create(['disable-dawn-features=timestamp_quantization', ...toggles]);
  // Dawn's object must outlive the device.
  Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu, configurable: true });
  const ops = await WebGpuOps.open({ gpu });
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('WebGPU: the adapter is gone');
  return { ops, adapter, software: isSoftware(adapter.info) };
}
