import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installNullGpu, type NullGpu } from '../../bench/gpu-counts/null-gpu/install.ts';

const STORAGE = 128 | 4 | 8;
const READ = 1 | 8;

async function deviceOf(descriptor?: GPUDeviceDescriptor): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('no adapter');
  return adapter.requestDevice(descriptor);
}

const compute = (device: GPUDevice): GPUComputePipeline =>
  device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: '@compute fn main() {}' }) },
  });

let gpu: NullGpu;
beforeEach(() => {
  gpu = installNullGpu({ features: ['timestamp-query'], memory: 10_000 });
});
afterEach(() => gpu.uninstall());

describe('a GPU that counts', () => {
  it('a dispatch by the ranges it was given, when it is submitted', async () => {
    const device = await deviceOf();
    const buffer = device.createBuffer({ size: 4096, usage: STORAGE });
    const pipeline = compute(device);
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer, offset: 256, size: 512 } },
        { binding: 1, resource: { buffer, offset: 1024 } },
      ],
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(3, 2);
    pass.dispatchWorkgroupsIndirect(buffer, 0);
    pass.end();
    const commands = encoder.finish();
    expect(gpu.counter.counts.dispatches).toBe(0);
    device.queue.submit([commands]);
    expect(gpu.counter.counts).toMatchObject({
      dispatches: 2,
      indirectDispatches: 1,
      workgroups: 6,
      boundBytes: 2 * (512 + 3072),
      submits: 1,
      passes: 1,
      bindGroups: 1,
      pipelines: 1,
      errors: [],
    });
  });

  it('memory: live, at its peak, and the largest', async () => {
    const device = await deviceOf();
    const a = device.createBuffer({ size: 1000, usage: STORAGE });
    device.createBuffer({ size: 3000, usage: STORAGE });
    a.destroy();
    a.destroy();
    expect(gpu.counter.counts).toMatchObject({
      liveBytes: 3000,
      peakBytes: 4000,
      largestBuffer: 3000,
      buffersDestroyed: { count: 1, bytes: 1000 },
    });
  });

  it('what is read back, which is zeros', async () => {
    const device = await deviceOf();
    const buffer = device.createBuffer({ size: 64, usage: READ });
    await buffer.mapAsync(1, 0, 16);
    expect([...new Float32Array(buffer.getMappedRange(0, 16))]).toEqual([0, 0, 0, 0]);
    buffer.unmap();
    expect(gpu.counter.counts).toMatchObject({ readbacks: { count: 1, bytes: 16 }, unmaps: 1 });
  });
});

describe('a GPU that objects', () => {
  it('has no memory beyond its ceiling: an error in the scope, a buffer of no use', async () => {
    const device = await deviceOf();
    device.pushErrorScope('out-of-memory');
    const buffer = device.createBuffer({ size: 10_004, usage: STORAGE });
    expect(await device.popErrorScope()).toBeInstanceOf(GPUOutOfMemoryError);
    expect(gpu.counter.liveBytes).toBe(0);
    device.pushErrorScope('validation');
    device.queue.writeBuffer(buffer, 0, new Float32Array(1));
    expect(await device.popErrorScope()).toBeInstanceOf(GPUValidationError);
  });

  it('tells an error that no scope catches to the listener', async () => {
    const device = await deviceOf();
    const told: string[] = [];
    device.addEventListener('uncapturederror', ({ error }) => told.push(error.message));
    device.createBuffer({ size: 20_000, usage: STORAGE });
    expect(told).toEqual(['createBuffer: no memory for 20000 bytes']);
  });

  it('to a destroyed or mapped buffer in a submit, and to ranges that are misaligned or outside', async () => {
    const device = await deviceOf();
    const pipeline = compute(device);
    const [dead, read] = [STORAGE, READ].map((usage) => device.createBuffer({ size: 512, usage }));
    if (!dead || !read) throw new Error('two were made');
    const copy = (): GPUCommandBuffer => {
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(dead, 0, read, 0, 512);
      return encoder.finish();
    };
    await read.mapAsync(1);
    device.queue.submit([copy()]);
    read.unmap();
    dead.destroy();
    device.queue.submit([copy()]);
    const layout = pipeline.getBindGroupLayout(0);
    for (const offset of [512, 516])
      device.createBindGroup({
        layout,
        entries: [{ binding: 0, resource: { buffer: dead, offset } }],
      });
    expect(gpu.counter.counts.errors).toHaveLength(4);
    expect(gpu.counter.counts.copies.count).toBe(0);
  });

  it('to limits and features that it has not, and gives the defaults to who asks for none', async () => {
    await expect(deviceOf({ requiredFeatures: ['shader-f16'] })).rejects.toThrow('shader-f16');
    await expect(deviceOf({ requiredLimits: { maxBufferSize: 2 ** 40 } })).rejects.toThrow(
      'maxBufferSize',
    );
    const device = await deviceOf({ requiredFeatures: ['timestamp-query'] });
    expect(device.limits.maxStorageBufferBindingSize).toBe(134_217_728);
    expect(device.createQuerySet({ type: 'timestamp', count: 2 })).toBeDefined();
  });
});
