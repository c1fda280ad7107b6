import { useEffect, useState } from 'react';
import type { DeviceLimits } from '../../policy/open/fit.ts';

/** What this device allows a checkpoint, as far as a browser tells. */
export interface DeviceView extends DeviceLimits {
  device: 'webgpu' | 'wasm';
  /** Whether its shaders read halves. */
  shaderF16: boolean;
  /** Where the memory is from. */
  basis: string;
}

const GIB = 2 ** 30;
/** A 32-bit WebAssembly memory holds no more, and each engine has its own. */
const WASM_BYTES = 4 * GIB;

/** Browsers tell main memory in steps up to 8 GiB, and nothing of a GPU's. */
const mainMemory = (): number | null => {
  const told: unknown = Reflect.get(navigator, 'deviceMemory');
  return typeof told === 'number' ? told * GIB : null;
};

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
        ? 'the main memory that the browser tells'
        : 'the most that WebAssembly can hold',
  };
};

const onGpu = ({ limits, features }: GPUAdapter): DeviceView => ({
  device: 'webgpu',
  shaderF16: features.has('shader-f16'),
  maxBinding: limits.maxStorageBufferBindingSize,
  maxBuffer: limits.maxBufferSize,
  memory: mainMemory() ?? 8 * GIB,
  basis: 'assumed: browsers do not tell the memory of a GPU',
});

/** Null until the browser answered. */
export const useDeviceLimits = (): DeviceView | null => {
  const [view, setView] = useState<DeviceView | null>(null);
  useEffect(() => {
    let live = true;
    const ask = async () => {
      const adapter = (await navigator.gpu?.requestAdapter().catch(() => null)) ?? null;
      // A software adapter is not chosen by itself.
      const usable = adapter !== null && !adapter.info.isFallbackAdapter;
      if (live) setView(usable ? onGpu(adapter) : onWasm());
    };
    void ask();
    return () => {
      live = false;
    };
  }, []);
  return view;
};
