import type { DeviceLimits } from '../../../policy/open/fit.ts';
import { isSoftware } from '../../../policy/webgpu/device/software.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import { enginesOn } from './device.ts';

/** What this device allows a checkpoint, as far as a browser says: the same count for Models and for Train. */

export interface DeviceView extends DeviceLimits {
  device: 'webgpu' | 'wasm';
  /** Whether its shaders read halves. */
  shaderF16: boolean;
  /** Where the memory is from. */
  basis: string;
  /** Engines that sample and train, each with weights of its own; `memory` is that of one. */
  engines: number;
  /** What a GPU of this machine is taken to allow, where the browser offers none; null where it does. */
  gpu: DeviceLimits | null;
}

/** What is asked of a navigator, of a page or a worker. */
export interface Machine {
  gpu?: GPU | undefined;
  hardwareConcurrency: number;
  /** Main memory in GiB, rounded; browsers that say it say 8 at most for more. */
  deviceMemory?: unknown;
}

const GIB = 2 ** 30;
/** A 32-bit WebAssembly memory holds no more, and each engine has its own. */
const WASM_BYTES = 4 * GIB;

const mainMemory = ({ deviceMemory }: Machine): number | null =>
  typeof deviceMemory === 'number' ? deviceMemory * GIB : null;

/** A GPU's is assumed to be as much. */
const gpuMemory = (machine: Machine): number => mainMemory(machine) ?? 8 * GIB;

/** Without a GPU. What one would allow is kept beside, to say what is missing. */
const onWasm = (machine: Machine): DeviceView => {
  const main = mainMemory(machine);
  return {
    device: 'wasm',
    shaderF16: false,
    maxBinding: Infinity,
    maxBuffer: Infinity,
    memory: Math.min(WASM_BYTES, main ?? WASM_BYTES),
    basis:
      main !== null && main < WASM_BYTES
        ? 'main memory reported by the browser'
        : 'the limit of WebAssembly',
    engines: enginesOn(machine.hardwareConcurrency),
    gpu: {
      device: 'webgpu',
      maxBinding: Infinity,
      maxBuffer: Infinity,
      memory: gpuMemory(machine),
    },
  };
};

/** On the GPU that the browser offers. */
const onGpu = ({ limits, features }: GPUAdapter, machine: Machine): DeviceView => ({
  device: 'webgpu',
  shaderF16: features.has('shader-f16'),
  maxBinding: limits.maxStorageBufferBindingSize,
  maxBuffer: limits.maxBufferSize,
  memory: gpuMemory(machine),
  basis: 'assumed: browsers do not report GPU memory',
  engines: 1,
  gpu: null,
});

/** The limits of the device that `chooseDevice` settles on for this choice. */
export async function deviceLimits(choice: DeviceChoice, machine: Machine): Promise<DeviceView> {
  if (choice === 'wasm') return onWasm(machine);
  const adapter = (await machine.gpu?.requestAdapter().catch(() => null)) ?? null;
  // A software adapter is not chosen by itself.
  const usable = adapter !== null && (choice === 'webgpu' || !isSoftware(adapter.info));
  return usable ? onGpu(adapter, machine) : onWasm(machine);
}
