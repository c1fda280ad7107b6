import { describe, expect, it } from 'vitest';
import { chooseDevice } from '../../../../src/lab/models/serving/device.ts';

/** A browser's GPU as far as it is looked at. */
const gpuWith = (info: Partial<GPUAdapterInfo> | null): GPU =>
  ({ requestAdapter: async () => (info ? { info } : null) }) as unknown as GPU;

const real = gpuWith({ vendor: 'acme', architecture: 'one', description: '' });
const software = gpuWith({ vendor: 'google', architecture: 'swiftshader', description: '' });

describe('the device of the policy', () => {
  it('is a real GPU by itself, with one engine', async () => {
    expect(await chooseDevice('auto', real, 8)).toEqual({
      facts: { device: 'webgpu', adapter: 'acme one', fallback: false },
      engines: 1,
    });
  });

  it('is the CPU where there is no GPU or only software, with at most two engines', async () => {
    const two = { facts: { device: 'wasm', adapter: '2 engines', fallback: false }, engines: 2 };
    expect(await chooseDevice('auto', undefined, 8)).toEqual(two);
    expect(await chooseDevice('auto', gpuWith(null), 2)).toEqual(two);
    expect(await chooseDevice('auto', software, 8)).toEqual(two);
    expect(await chooseDevice('wasm', real, 1)).toEqual({
      facts: { device: 'wasm', adapter: '1 engine', fallback: false },
      engines: 1,
    });
  });

  it('is software WebGPU only where that was asked for, and says so', async () => {
    const { facts } = await chooseDevice('webgpu', software, 8);
    expect(facts).toEqual({ device: 'webgpu', adapter: 'google swiftshader', fallback: true });
    await expect(chooseDevice('webgpu', undefined, 8)).rejects.toThrow(/not available/);
  });
});
