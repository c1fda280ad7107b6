import { BUFFER_USAGE, MAP_MODE } from './buffer.ts';
import { GpuCounter } from './counts.ts';
import { NullDevice } from './device.ts';
import { NullInternalError, NullOutOfMemoryError, NullValidationError } from './errors.ts';

/** What WebGPU promises of every adapter, and a device gets that asks for nothing (its section 3.6.2). */
const DEFAULT_LIMITS = {
  maxBindGroups: 4,
  maxBindingsPerBindGroup: 1000,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxStorageBuffersPerShaderStage: 8,
  maxStorageTexturesPerShaderStage: 4,
  maxUniformBuffersPerShaderStage: 12,
  maxUniformBufferBindingSize: 65_536,
  maxStorageBufferBindingSize: 134_217_728,
  maxBufferSize: 268_435_456,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65_535,
} as const;

/** A desktop adapter of today, as Chromium shows it. */
export const DESKTOP_LIMITS = {
  maxStorageBuffersPerShaderStage: 10,
  maxStorageTexturesPerShaderStage: 8,
  maxStorageBufferBindingSize: 4_294_967_292,
  maxBufferSize: 4_294_967_296,
  maxComputeWorkgroupStorageSize: 32_768,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
} as const;

type LimitName = keyof typeof DEFAULT_LIMITS;

export interface NullGpuOptions {
  /** What the adapter has beyond the defaults; `DESKTOP_LIMITS` by default. */
  readonly limits?: Partial<Record<LimitName, number>>;
  /** For instance `shader-f16`, `subgroups`, `timestamp-query`; none by default. */
  readonly features?: readonly string[];
  /** Bytes beyond which `createBuffer` reports an out-of-memory error; no end by default. */
  readonly memory?: number;
}

export interface NullGpu {
  /** Of all devices of this adapter together. */
  readonly counter: GpuCounter;
  /** Those that were handed out, in their order. */
  readonly devices: readonly NullDevice[];
  /** Puts back what was there before. */
  uninstall(): void;
}

/** Whether a larger or (alignments) a smaller number is more than what was promised. */
const exceeds = (name: string, wanted: number, has: number): boolean =>
  name.startsWith('min') ? wanted < has : wanted > has;

const info = {
  vendor: 'null',
  architecture: '',
  device: '',
  description: 'counts, executes nothing',
};

class NullAdapter {
  readonly limits: Readonly<Record<string, number>>;
  readonly features: ReadonlySet<string>;
  readonly info = { ...info, isFallbackAdapter: false };
  readonly isFallbackAdapter = false;
  readonly #opened: (device: NullDevice) => void;
  readonly #counter: GpuCounter;
  readonly #memory: number;

  constructor(options: NullGpuOptions, counter: GpuCounter, opened: (device: NullDevice) => void) {
    this.limits = { ...DEFAULT_LIMITS, ...(options.limits ?? DESKTOP_LIMITS) };
    this.features = new Set(options.features ?? []);
    this.#memory = options.memory ?? Infinity;
    this.#counter = counter;
    this.#opened = opened;
  }

  requestDevice(descriptor: GPUDeviceDescriptor = {}): Promise<NullDevice> {
    const wanted = Object.entries(descriptor.requiredLimits ?? {});
    const features = [...(descriptor.requiredFeatures ?? [])];
    const lacking = features.find((feature) => !this.features.has(feature));
    if (lacking !== undefined)
      return Promise.reject(new TypeError(`requestDevice: the adapter has no ${lacking}`));
    const over = wanted.find(([name, value]) =>
      exceeds(name, Number(value), this.limits[name] ?? -Infinity),
    );
    if (over)
      return Promise.reject(
        new DOMException(
          `requestDevice: ${over[0]} of ${over[1]} is over the adapter's limit`,
          'OperationError',
        ),
      );
    const limits = { ...DEFAULT_LIMITS, ...Object.fromEntries(wanted) } as Record<string, number>;
    const given = { limits, features: new Set<string>(features), adapterInfo: this.info };
    const device = new NullDevice(given, this.#counter, this.#memory);
    this.#opened(device);
    return Promise.resolve(device);
  }
}

/**
 * Puts a WebGPU that executes nothing and counts everything at `navigator.gpu`, with the constants and
 * classes that WebGPU adds to the global scope. Node 20 has no `navigator`; there `prepareNode` comes first.
 * What is read back is zeros.
 */
export function installNullGpu(options: NullGpuOptions = {}): NullGpu {
  const counter = new GpuCounter();
  const devices: NullDevice[] = [];
  const gpu = {
    requestAdapter: () =>
      Promise.resolve(new NullAdapter(options, counter, (device) => devices.push(device))),
    getPreferredCanvasFormat: () => 'bgra8unorm',
    wgslLanguageFeatures: new Set<string>(),
  };
  const places: [object, string, unknown][] = [
    [globalThis, 'GPUBufferUsage', BUFFER_USAGE],
    [globalThis, 'GPUMapMode', MAP_MODE],
    [globalThis, 'GPUShaderStage', { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 }],
    [globalThis, 'GPUAdapter', NullAdapter],
    [globalThis, 'GPUDevice', NullDevice],
    [globalThis, 'GPUValidationError', NullValidationError],
    [globalThis, 'GPUOutOfMemoryError', NullOutOfMemoryError],
    [globalThis, 'GPUInternalError', NullInternalError],
    [globalThis.navigator, 'gpu', gpu],
  ];
  const undo = places.map(([target, name, value]) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    return (): void => {
      if (before) Object.defineProperty(target, name, before);
      else Reflect.deleteProperty(target, name);
    };
  });
  return {
    counter,
    devices,
    uninstall: () => {
      for (const put of undo) put();
    },
  };
}
