import { DeviceError } from '../../ops/faults.ts';
import type { KernelTime } from '../../ops/ops.ts';
import { ALIGNMENT, type Device, type GpuBuffer, type Range } from './device.ts';

/** A kernel. Equal keys mean equal code. Its entry point is `main`. */
export interface Kernel {
  readonly key: string;
  /**
   * WGSL, asked for once a key. `@group(0) @binding(0)` is its uniform (at most 256 bytes), if it has one;
   * others follow from 1 on in the order of `access`.
   */
  readonly code: () => string;
  /** A letter a binding: `r` storage that is read, `w` storage that is read and written, `u` uniform. */
  readonly access: string;
}

/** Workgroups. A number may be of any size: see `GROUP_ID`. */
export type Grid = number | readonly [x: number, y: number, z?: number];

const MOST_GROUPS = 65_535;
/** Width of a grid that was too long for one dimension. */
const FOLD = 32_768;
const UNIFORM_SLOTS = 2_048;
/** Kernels that one set of timestamps is for; WebGPU allows 4,096 of these. */
const MOST_TIMED = 2_048;
export const UNIFORM_BYTES = UNIFORM_SLOTS * ALIGNMENT;

/**
 * WGSL of the number of a workgroup of a grid that was given as a number. What is beyond the wanted count
 * is for the kernel to leave out. `wid` is `workgroup_id`, `groups` is `num_workgroups`.
 */
export const GROUP_ID = '(wid.x + wid.y * groups.x)';

const bits = new DataView(new ArrayBuffer(4));
/** A float32 as a word of a uniform. */
export function float(value: number): number {
  bits.setFloat32(0, value, true);
  return bits.getUint32(0, true);
}

const TYPES: Record<string, GPUBufferBindingType> = {
  r: 'read-only-storage',
  w: 'storage',
  u: 'uniform',
};

interface Layout {
  readonly id: number;
  readonly group: GPUBindGroupLayout;
  readonly pipeline: GPUPipelineLayout;
}

interface Pipeline {
  readonly raw: GPUComputePipeline;
  readonly layout: Layout;
}

/** What a run of the encoder counts; for benches. */
export interface Counts {
  dispatches: number;
  submits: number;
  bindGroups: number;
  pipelines: number;
}

/**
 * Takes dispatches down into one compute pass until they are submitted. Pipelines are made once a key, bind
 * groups once for the same buffers; uniforms of a submit are written by one call.
 */
export class Encoder {
  readonly counts: Counts = { dispatches: 0, submits: 0, bindGroups: 0, pipelines: 0 };
  private readonly layouts = new Map<string, Layout>();
  private readonly pipelines = new Map<string, Pipeline>();
  private readonly groups = new Map<string, GPUBindGroup>();
  /** Keys of the bind groups that hold a buffer. */
  private readonly groupsOf = new Map<number, Set<string>>();
  readonly uniforms: GpuBuffer;
  private readonly words = new Uint32Array(UNIFORM_BYTES / 4);
  private slots = 0;
  private commands: GPUCommandEncoder | null = null;
  private pass: GPUComputePassEncoder | null = null;
  private current: Pipeline | null = null;
  /** Buffers that commands which are not submitted yet use. */
  private readonly inUse = new Set<number>();
  private readonly released: GpuBuffer[] = [];
  /** Kernels that a warm-up met; null outside of one. */
  private met: Map<string, Kernel> | null = null;
  private profile: { set: GPUQuerySet; labels: string[] } | null = null;

  constructor(readonly device: Device) {
    this.uniforms = device.buffer(UNIFORM_BYTES, 'uniforms', 'uniform');
  }

  /** @param uniforms at most 64 words */
  dispatch(
    kernel: Kernel,
    bindings: readonly (GpuBuffer | Range)[],
    uniforms: readonly number[],
    grid: Grid,
  ): void {
    if (bindings.length !== kernel.access.length)
      throw new Error(`${kernel.key}: ${bindings.length} bindings for "${kernel.access}"`);
    if (this.met) {
      if (!this.pipelines.has(kernel.key)) this.met.set(kernel.key, kernel);
      return;
    }
    const [x, y, z] = gridOf(grid, kernel.key);
    if (x * y * z === 0) return;
    if (this.slots === UNIFORM_SLOTS) this.submit();
    const pipeline = this.pipeline(kernel);
    const group = this.group(pipeline.layout, kernel, bindings);
    const pass = this.openPass(kernel.key);
    if (this.current !== pipeline) pass.setPipeline(pipeline.raw);
    this.current = pipeline;
    const slot = this.slots++;
    this.words.set(uniforms, (slot * ALIGNMENT) / 4);
    pass.setBindGroup(0, group, [slot * ALIGNMENT]);
    pass.dispatchWorkgroups(x, y, z);
    this.counts.dispatches++;
    if (this.profile) this.endPass();
  }

  /** Copies bytes between two buffers, in the order of the calls. */
  copy(from: GpuBuffer, fromOffset: number, to: GpuBuffer, toOffset: number, size: number): void {
    if (this.met || size === 0) return;
    this.endPass();
    this.inUse.add(from.id).add(to.id);
    this.open().copyBufferToBuffer(from.raw, fromOffset, to.raw, toOffset, size);
  }

  /** Fills a buffer with zeros, in the order of the calls. */
  clear(buffer: GpuBuffer, offset = 0, size = buffer.size - offset): void {
    if (this.met || size === 0) return;
    this.endPass();
    this.inUse.add(buffer.id);
    this.open().clearBuffer(buffer.raw, offset, size);
  }

  /** Writes from the host, in the order of the calls: what was encoded before sees what was there before. */
  write(buffer: GpuBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>): void {
    if (this.met || data.byteLength === 0) return;
    if (this.inUse.has(buffer.id)) this.submit();
    this.device.raw.queue.writeBuffer(
      buffer.raw,
      offset,
      data.buffer,
      data.byteOffset,
      data.byteLength,
    );
  }

  /** Destroys a buffer as soon as nothing that was encoded uses it. */
  release(buffer: GpuBuffer): void {
    for (const key of this.groupsOf.get(buffer.id) ?? []) this.groups.delete(key);
    this.groupsOf.delete(buffer.id);
    if (this.inUse.has(buffer.id)) this.released.push(buffer);
    else this.device.destroy(buffer);
  }

  /** Hands everything that was encoded to the device. */
  submit(): void {
    if (!this.commands) return;
    this.endPass();
    const { raw } = this.device;
    const commands = this.commands;
    this.device.guarded('a submit', () => {
      const used = (this.slots * ALIGNMENT) / 4;
      if (used > 0) raw.queue.writeBuffer(this.uniforms.raw, 0, this.words, 0, used);
      raw.queue.submit([commands.finish()]);
    });
    this.commands = null;
    this.slots = 0;
    this.inUse.clear();
    for (const buffer of this.released.splice(0)) this.device.destroy(buffer);
    this.counts.submits++;
  }

  /** Compiles the kernels that `work` dispatches, and dispatches none of them. */
  async warmUp(work: () => void, onProgress?: (done: number, all: number) => void): Promise<void> {
    const met = new Map<string, Kernel>();
    this.met = met;
    try {
      work();
    } finally {
      this.met = null;
    }
    let done = 0;
    onProgress?.(0, met.size);
    for (const kernel of met.values()) {
      const descriptor = this.descriptor(kernel);
      const raw = await this.device.raw
        .createComputePipelineAsync(descriptor.pipeline)
        .catch((error: unknown) => {
          throw new DeviceError(
            `WebGPU: the kernel ${kernel.key} did not compile: ` +
              `${error instanceof Error ? error.message : String(error)}. Update the graphics driver or ` +
              'choose the CPU (WASM)',
          );
        });
      this.pipelines.set(kernel.key, { raw, layout: descriptor.layout });
      this.counts.pipelines++;
      onProgress?.(++done, met.size);
    }
  }

  /** Runs `work` without anything that it dispatches, copies, clears or writes. */
  rehearse(work: () => void): void {
    const before = this.met;
    this.met = new Map();
    try {
      work();
    } finally {
      this.met = before;
    }
  }

  /** Whether dispatches are only noted, not run. */
  get warming(): boolean {
    return this.met !== null;
  }

  /**
   * Seconds of the first 2,048 kernels that `work` runs, each in a pass of its own with two timestamps.
   * @throws DeviceError without the feature
   */
  async profiled(work: () => Promise<void>): Promise<KernelTime[]> {
    const { raw, features } = this.device;
    if (!features.timestamps)
      throw new DeviceError('WebGPU: this device has no timestamps, so kernels cannot be timed');
    this.submit();
    const labels: string[] = [];
    const set = raw.createQuerySet({ type: 'timestamp', count: 2 * MOST_TIMED });
    const made: GPUBuffer[] = [];
    try {
      this.profile = { set, labels };
      try {
        await work();
        this.submit();
      } finally {
        this.profile = null;
      }
      if (labels.length === 0) return [];
      const size = labels.length * 16;
      const resolved = raw.createBuffer({ size, usage: 0x200 | 0x4 }); // QUERY_RESOLVE | COPY_SRC
      const staging = raw.createBuffer({ size, usage: 0x1 | 0x8 }); // MAP_READ | COPY_DST
      made.push(resolved, staging);
      const commands = this.open();
      commands.resolveQuerySet(set, 0, labels.length * 2, resolved, 0);
      commands.copyBufferToBuffer(resolved, 0, staging, 0, size);
      this.submit();
      await this.device.settle(staging.mapAsync(1));
      const times = new BigUint64Array(staging.getMappedRange().slice(0));
      return labels.map((kernel, i) => ({
        kernel,
        // Clocks that are rounded or start again may go back.
        seconds: Math.max(0, Number((times[2 * i + 1] ?? 0n) - (times[2 * i] ?? 0n)) / 1e9),
      }));
    } finally {
      for (const buffer of made) buffer.destroy();
      set.destroy();
    }
  }

  private open(): GPUCommandEncoder {
    this.device.check();
    return (this.commands ??= this.device.raw.createCommandEncoder());
  }

  private openPass(label: string): GPUComputePassEncoder {
    if (this.pass) return this.pass;
    const commands = this.open();
    if (!this.profile || this.profile.labels.length >= MOST_TIMED)
      return (this.pass = commands.beginComputePass());
    const { set, labels } = this.profile;
    const at = labels.push(label) * 2 - 2;
    return (this.pass = commands.beginComputePass({
      timestampWrites: {
        querySet: set,
        beginningOfPassWriteIndex: at,
        endOfPassWriteIndex: at + 1,
      },
    }));
  }

  private endPass(): void {
    this.pass?.end();
    this.pass = null;
    this.current = null;
  }

  private layout(access: string): Layout {
    const known = this.layouts.get(access);
    if (known) return known;
    const visibility = 4; // COMPUTE
    const group = this.device.raw.createBindGroupLayout({
      entries: [
        { binding: 0, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
        ...Array.from(access, (letter, i): GPUBindGroupLayoutEntry => ({
          binding: i + 1,
          visibility,
          buffer: { type: TYPES[letter] ?? 'storage' },
        })),
      ],
    });
    const pipeline = this.device.raw.createPipelineLayout({ bindGroupLayouts: [group] });
    const layout = { id: this.layouts.size, group, pipeline };
    this.layouts.set(access, layout);
    return layout;
  }

  private descriptor(kernel: Kernel): { pipeline: GPUComputePipelineDescriptor; layout: Layout } {
    const layout = this.layout(kernel.access);
    const module = this.device.raw.createShaderModule({ code: kernel.code(), label: kernel.key });
    const pipeline = {
      label: kernel.key,
      layout: layout.pipeline,
      compute: { module, entryPoint: 'main' },
    };
    return { pipeline, layout };
  }

  private pipeline(kernel: Kernel): Pipeline {
    const known = this.pipelines.get(kernel.key);
    if (known) return known;
    const made = this.device.guarded(`the kernel ${kernel.key}`, () => {
      const descriptor = this.descriptor(kernel);
      const raw = this.device.raw.createComputePipeline(descriptor.pipeline);
      return { raw, layout: descriptor.layout };
    });
    this.pipelines.set(kernel.key, made);
    this.counts.pipelines++;
    return made;
  }

  private group(
    layout: Layout,
    kernel: Kernel,
    bindings: readonly (GpuBuffer | Range)[],
  ): GPUBindGroup {
    let key = `${layout.id}`;
    for (const binding of bindings) {
      const range = 'raw' in binding ? null : binding;
      const { id } = range ? range.buffer : (binding as GpuBuffer);
      key += range ? ` ${id}:${range.offset}:${range.size}` : ` ${id}`;
      this.inUse.add(id);
    }
    const known = this.groups.get(key);
    if (known) return known;
    const { maxStorageBufferBindingSize, maxUniformBufferBindingSize } = this.device.limits;
    const entries: GPUBindGroupEntry[] = bindings.map((binding, i) => {
      const { buffer, offset, size } =
        'raw' in binding ? { buffer: binding, offset: 0, size: binding.size } : binding;
      const limit =
        kernel.access[i] === 'u' ? maxUniformBufferBindingSize : maxStorageBufferBindingSize;
      if (size > limit)
        throw new DeviceError(
          `WebGPU: ${buffer.label} (${size} bytes) is larger than what this device binds at once ` +
            `(${limit} bytes). Choose a smaller weight type, fewer slots or a smaller model`,
        );
      const holds = this.groupsOf.get(buffer.id) ?? new Set();
      this.groupsOf.set(buffer.id, holds.add(key));
      return { binding: i + 1, resource: { buffer: buffer.raw, offset, size } };
    });
    const group = this.device.guarded(`the bindings of ${kernel.key}`, () =>
      this.device.raw.createBindGroup({
        layout: layout.group,
        entries: [
          { binding: 0, resource: { buffer: this.uniforms.raw, size: ALIGNMENT } },
          ...entries,
        ],
      }),
    );
    this.groups.set(key, group);
    this.counts.bindGroups++;
    return group;
  }
}

function gridOf(grid: Grid, key: string): readonly [number, number, number] {
  if (typeof grid === 'number')
    return grid <= MOST_GROUPS ? [grid, 1, 1] : [FOLD, Math.ceil(grid / FOLD), 1];
  const [x, y, z = 1] = grid;
  if (Math.max(x, y, z) > MOST_GROUPS)
    throw new DeviceError(
      `WebGPU: ${key} needs ${x} × ${y} × ${z} workgroups, more than ${MOST_GROUPS} in one direction. ` +
        'Work on less text at once',
    );
  return [x, y, z];
}
