import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findChromium } from '../../../../scripts/chromium.mjs';
import { WebGpuOps } from '../../../../src/policy/webgpu/ops.ts';
import type { DeviceOptions } from '../../../../src/policy/webgpu/device/device.ts';

/** Folders in which Chromium keeps SwiftShader and a Vulkan loader. */
function folders(): string[] {
  const chromium = findChromium();
  return [
    '/usr/lib/chromium',
    '/usr/lib/chromium-browser',
    '/opt/google/chrome',
    ...(chromium ? [dirname(realpathSync(chromium))] : []),
  ];
}

/** Loads a library for good, so that Dawn finds it by its name. */
function loadLibrary(path: string): void {
  const [RTLD_NOW, RTLD_GLOBAL, RTLD_NODELETE] = [0x2, 0x100, 0x1000];
  try {
    process.dlopen({ exports: {} }, path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  } catch {
    // It is not an addon of Node, but it stays loaded.
  }
}

let gpu: Promise<GPU> | undefined;

/**
 * WebGPU by Dawn (npm `webgpu`) on the driver that VK_ICD_FILENAMES names, else on Chromium's SwiftShader.
 * @throws Error where there is no adapter
 */
export function nodeGpu(): Promise<GPU> {
  return (gpu ??= open());
}

/**
 * Dawn asks on every turn of Node's loop whether the device is done, and makes a function to ask with: forty thousand a
 * small decoder, which takes as much processor time as what they wait for. On a CPU that is in for a GPU it asks every
 * millisecond instead.
 */
function askSeldom(): void {
  const soon = globalThis.setImmediate;
  // Dawn's functions are nameless ones of native code; those of anybody else are neither.
  const ofDawn = (work: () => void): boolean =>
    work.name === '' && Function.prototype.toString.call(work).includes('[native code]');
  const seldom = (work: () => void, ...given: []): unknown =>
    ofDawn(work) ? setTimeout(work, 1) : soon(work, ...given);
  globalThis.setImmediate = Object.assign(seldom, soon);
}

async function open(): Promise<GPU> {
  const folder = folders().find((path) => existsSync(join(path, 'vk_swiftshader_icd.json')));
  if (folder && process.env.VK_ICD_FILENAMES === undefined) {
    process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
    loadLibrary(join(folder, 'libvulkan.so.1'));
    askSeldom();
  }
  const { create } = await import('webgpu');
  // SwiftShader unrolls the zeros that WebGPU fills workgroup memory with, which makes it compile 20 times
  // longer. No kernel counts on them, nor on indices that WebGPU brings back into a binding: one that
  // leaves it reads what lies beside, which the oracle does not.
  const made = create(['enable-dawn-features=disable_workgroup_init,disable_robustness']);
  if (!(await made.requestAdapter()))
    throw new Error(
      'No WebGPU adapter: install Chromium (Debian, Ubuntu: apt-get install chromium), whose SwiftShader is used, or name a Vulkan driver in VK_ICD_FILENAMES',
    );
  return made;
}

/** The operations on that device. */
export const openOps = async (options: DeviceOptions = {}): Promise<WebGpuOps> =>
  WebGpuOps.open({ gpu: await nodeGpu(), ...options });
