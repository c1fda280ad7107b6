import { useEffect, useState } from 'react';
import type { DeviceLimits } from '../../../policy/open/fit.ts';

/** What this device allows a checkpoint, as far as a browser tells. */
export interface DeviceView extends DeviceLimits {
  device: 'webgpu' | 'wasm';
  /** Whether its shaders read halves. */
  shaderF16: boolean;
  /** Where the memory is from. */
  basis: string;
  /** What a GPU of this machine is taken to allow, where the browser offers none; null where it does. */
  gpu: DeviceLimits | null;
}

const GIB = 2 ** 30;
/** A 32-bit WebAssembly memory holds no more, and each engine has its own. */
const WASM_BYTES = 4 * GIB;

/** Browsers tell main memory in steps up to 8 GiB, and nothing of a GPU's. */
const mainMemory = (): number | null => {
  const told: unknown = Reflect.get(navigator, 'deviceMemory');
  return typeof told === 'number' ? told * GIB : null;
};

/** A GPU's is assumed to be as much. */
const gpuMemory = (): number => mainMemory() ?? 8 * GIB;

/** Without a GPU. What one would allow is kept beside, to say what it is that is missing. */
const onWasm = (): DeviceView => {
  const main = mainMemory();
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
    gpu: {
      device: 'webgpu',
      maxBinding: Infinity,
      maxBuffer: Infinity,
      memory: gpuMemory(),
    },
  };
};

/** On the GPU that the browser offers. */
const onGpu = ({ limits, features }: GPUAdapter): DeviceView => ({
  device: 'webgpu',
  shaderF16: features.has('shader-f16'),
  maxBinding: limits.maxStorageBufferBindingSize,
  maxBuffer: limits.maxBufferSize,
  memory: gpuMemory(),
  basis: 'assumed: browsers do not report GPU memory',
  gpu: null,
});

/** Asked once for the page, by whoever needs it first. */
let asked: Promise<DeviceView> | null = null;

const ask = async (): Promise<DeviceView> => {
  const adapter = (await navigator.gpu?.requestAdapter().catch(() => null)) ?? null;
  // A software adapter is not chosen by itself.
  const usable = adapter !== null && !adapter.info.isFallbackAdapter;
  return usable ? onGpu(adapter) : onWasm();
};

/** Null until the browser answered; it is asked once. */
export const useDeviceLimits = (): DeviceView | null => {
  const [view, setView] = useState<DeviceView | null>(null);
  useEffect(() => {
    let live = true;
    asked ??= ask();
    void asked.then((told) => {
      if (live) setView(told);
    });
    return () => {
      live = false;
    };
  }, []);
  return view;
};
