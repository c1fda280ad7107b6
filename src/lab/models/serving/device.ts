import { isSoftware } from '../../../policy/webgpu/device/software.ts';
import type { DeviceFacts, EngineDevice } from '../../contract/policy.ts';
import type { DeviceChoice } from '../../contract/settings.ts';

const adapterName = (info: GPUAdapterInfo): string =>
  info.description || [info.vendor, info.architecture].filter(Boolean).join(' ') || 'unnamed';

/** More engines decode faster, but each holds the weights; the page's other workers need a core too. */
const MOST_ENGINES = 2;

export interface Device {
  facts: DeviceFacts & { device: EngineDevice };
  /** Workers that decode: several on the cores of a CPU, one on a GPU. */
  engines: number;
}

/** What the engines of a CPU are called, this many of which have been started. */
export const enginesName = (started: number, engines: number): string =>
  started < engines
    ? `${started} of ${engines} engines`
    : `${engines} ${engines === 1 ? 'engine' : 'engines'}`;

/** Engines that decode and train on this many cores. */
export const enginesOn = (cores: number): number => Math.max(1, Math.min(MOST_ENGINES, cores));

const onCores = (cores: number): Device => {
  const engines = enginesOn(cores);
  const adapter = enginesName(engines, engines);
  return { facts: { device: 'wasm', adapter, fallback: false }, engines };
};

/**
 * Settles `auto`: a real GPU where there is one, else WASM.
 * @throws Error where WebGPU was asked for and does not exist here.
 */
export const chooseDevice = async (
  choice: DeviceChoice,
  gpu: GPU | undefined,
  cores: number,
): Promise<Device> => {
  if (choice === 'wasm') return onCores(cores);
  const adapter = (await gpu?.requestAdapter()) ?? null;
  if (adapter !== null && (choice === 'webgpu' || !isSoftware(adapter.info))) {
    const facts: Device['facts'] = {
      device: 'webgpu',
      adapter: adapterName(adapter.info),
      fallback: isSoftware(adapter.info),
    };
    return { facts, engines: 1 };
  }
  if (choice === 'auto') return onCores(cores);
  throw new Error('WebGPU is not available in this browser; choose the CPU (wasm)');
};
