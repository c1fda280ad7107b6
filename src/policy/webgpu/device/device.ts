import { DeviceError, MemoryError } from '../../ops/faults.ts';
import { isSoftware } from './software.ts';

/** A buffer on the device. */
export interface GpuBuffer {
  /** Its own for as long as the device lives. */
  readonly id: number;
  readonly raw: GPUBuffer;
  readonly size: number;
  readonly label: string;
}

/** Part of a buffer; offset and size in bytes, the offset a multiple of `ALIGNMENT`. */
export interface Range {
  readonly buffer: GpuBuffer;
  readonly offset: number;
  readonly size: number;
}

/** What every WebGPU device lets a binding begin at. */
export const ALIGNMENT = 256;

// The names of GPUBufferUsage and GPUMapMode exist only where a device does.
const STORAGE = 0x80 | 0x40 | 0x4 | 0x8; // STORAGE | UNIFORM | COPY_SRC | COPY_DST
const UNIFORM = 0x40 | 0x8; // UNIFORM | COPY_DST
const STAGING = 0x1 | 0x8; // MAP_READ | COPY_DST
const USAGES = { storage: STORAGE, uniform: UNIFORM, staging: STAGING } as const;

const WANTED: readonly GPUFeatureName[] = ['shader-f16', 'subgroups', 'timestamp-query'];
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxUniformBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

export type Limits = Readonly<Record<(typeof LIMITS)[number], number>>;

export interface Features {
  /** 16-bit floats in kernels. */
  readonly f16: boolean;
  /** Lanes hand values to each other. */
  readonly subgroups: boolean;
  readonly timestamps: boolean;
}

export interface DeviceOptions {
  /** Where adapters come from; `navigator.gpu` if absent. */
  readonly gpu?: GPU;
  /** Optional features that are not asked for even where there are. */
  readonly without?: readonly (keyof Features)[];
  /** Limits to stay below, as a smaller device has them. */
  readonly limits?: Partial<Limits>;
  /** Whether kernels are cut as for a CPU that is in for a GPU; as the adapter says by default. */
  readonly software?: boolean;
}

const FEATURE_NAMES: Record<keyof Features, GPUFeatureName> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  timestamps: 'timestamp-query',
};

/**
 * A WebGPU device with its memory counted and its failures kept. WebGPU says most failures later than the
 * call that failed; the first one is kept and thrown by `check`.
 */
export class Device {
  /** Bytes of all buffers that were made and not destroyed. */
  bytes = 0;
  /** Most that `bytes` ever was. */
  peak = 0;
  readonly features: Features;
  private nextId = 1;
  private failure: Error | null = null;
  private disposed = false;
  private readonly pending = new Set<Promise<unknown>>();
  /** What an attempt makes, and what is found wrong with it; null outside of one. */
  private trial: { made: GpuBuffer[]; faults: Promise<Error | null>[] } | null = null;
  /** Resolves with the reason when the device is gone for another reason than `dispose`. */
  readonly gone: Promise<string>;
  private tellGone: (reason: string) => void = () => undefined;
  /** Rejects nothing; resolves when the device is gone. */
  private readonly lost: Promise<void>;

  private constructor(
    readonly raw: GPUDevice,
    readonly limits: Limits,
    /** What the driver calls the device; for messages and records of measurements. */
    readonly name: string,
    /** Whether the CPU is in for a GPU: few threads do all the work, one after the other. */
    readonly software: boolean,
  ) {
    const has = (name: GPUFeatureName): boolean => raw.features.has(name);
    this.features = {
      f16: has('shader-f16'),
      subgroups: has('subgroups'),
      timestamps: has('timestamp-query'),
    };
    this.gone = new Promise((resolve) => {
      this.tellGone = resolve;
    });
    this.lost = raw.lost.then(({ message }) => {
      if (this.disposed) return;
      this.tellGone(message || 'no reason was given');
      this.fail(
        new DeviceError(
          `WebGPU: the GPU was taken away (${message || 'no reason was given'}). What was stored is ` +
            'safe: load the model again, with fewer slots or a smaller one if it happens twice, or ' +
            'choose the CPU (WASM)',
        ),
      );
    });
    raw.addEventListener('uncapturederror', (event) => {
      this.fail(this.wordsOf(event.error, 'a command'));
    });
  }

  /** @throws DeviceError where there is no WebGPU or no adapter */
  static async open(options: DeviceOptions = {}): Promise<Device> {
    const gpu = options.gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
    if (!gpu)
      throw new DeviceError(
        'WebGPU: this browser has none. Use Chrome, Edge, Safari 26 or Firefox 141, or choose the CPU (WASM)',
      );
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter)
      throw new DeviceError(
        'WebGPU: no adapter was found. Update the graphics driver, or choose the CPU (WASM)',
      );
    const without = new Set((options.without ?? []).map((name) => FEATURE_NAMES[name]));
    const limits = Object.fromEntries(
      LIMITS.map((name) => [
        name,
        Math.min(adapter.limits[name], options.limits?.[name] ?? Infinity),
      ]),
    ) as Record<(typeof LIMITS)[number], number>;
    const raw = await adapter
      .requestDevice({
        requiredFeatures: WANTED.filter((name) => adapter.features.has(name) && !without.has(name)),
        requiredLimits: limits,
      })
      .catch((error: unknown) => {
        throw new DeviceError(
          `WebGPU: the adapter gave no device (${error instanceof Error ? error.message : String(error)}). ` +
            'Close other pages that use the GPU and try again, or choose the CPU (WASM)',
        );
      });
    const { description, vendor, architecture } = adapter.info;
    const name = description || `${vendor} ${architecture}`.trim();
    return new Device(raw, limits, name, options.software ?? isSoftware(adapter.info));
  }

  /** Buffers hold zeros at first. @throws DeviceError where it is larger than the device allows */
  buffer(size: number, label: string, usage: keyof typeof USAGES = 'storage'): GpuBuffer {
    this.check();
    const bytes = Math.max(16, Math.ceil(size / 16) * 16);
    if (bytes > this.limits.maxBufferSize)
      throw new DeviceError(
        `WebGPU: ${label} needs a buffer of ${bytes} bytes; this device allows ` +
          `${this.limits.maxBufferSize}. Choose a smaller weight type, fewer slots or a smaller model`,
      );
    this.raw.pushErrorScope('validation');
    this.raw.pushErrorScope('out-of-memory');
    const raw = this.raw.createBuffer({ size: bytes, usage: USAGES[usage], label });
    const held = this.bytes + bytes;
    const buffer = { id: this.nextId++, raw, size: bytes, label };
    const memory = this.raw.popErrorScope();
    const scarce = (error: GPUError): Error => this.outOfMemory(error, label, bytes, held);
    if (this.trial) {
      this.trial.made.push(buffer);
      this.trial.faults.push(
        memory.then(
          (error) => error && scarce(error),
          () => null, // The device is lost, which is said by `lost`.
        ),
      );
    } else this.watch(memory, scarce);
    this.watch(this.raw.popErrorScope(), (error) => this.wordsOf(error, label));
    this.bytes = held;
    this.peak = Math.max(this.peak, held);
    return buffer;
  }

  /**
   * Runs `make` and waits until the device has said whether there is memory for the buffers that it made.
   * Where there is none they are destroyed, and the device continues.
   * @throws MemoryError
   */
  async attempt<T>(make: () => T): Promise<T> {
    this.check();
    const trial = (this.trial = { made: [] as GpuBuffer[], faults: [] as Promise<Error | null>[] });
    let result: T;
    try {
      result = make();
    } catch (error) {
      for (const buffer of trial.made) this.destroy(buffer);
      throw error;
    } finally {
      this.trial = null;
    }
    const fault = (await this.settle(Promise.all(trial.faults))).find((found) => found !== null);
    if (!fault) return result;
    for (const buffer of trial.made) this.destroy(buffer);
    throw fault;
  }

  /** Only when nothing that was encoded and not submitted reads it: see `Encoder.release`. */
  destroy(buffer: GpuBuffer): void {
    buffer.raw.destroy();
    this.bytes -= buffer.size;
  }

  /** Runs `work`; what WebGPU finds wrong with it is kept as a DeviceError that names `what`. */
  guarded<T>(what: string, work: () => T): T {
    this.raw.pushErrorScope('validation');
    this.raw.pushErrorScope('out-of-memory');
    try {
      return work();
    } finally {
      this.watch(this.raw.popErrorScope(), (error) => this.outOfMemory(error, what, 0, this.bytes));
      this.watch(this.raw.popErrorScope(), (error) => this.wordsOf(error, what));
    }
  }

  /** Keeps the first failure. */
  fail(error: Error): void {
    this.failure ??= error;
  }

  /** @throws the first failure that was seen */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** When `work` and all error scopes are done, or the device is lost. @throws the first failure */
  async settle<T>(work: Promise<T>): Promise<T> {
    const outcome = await Promise.race([
      work.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      this.lost.then(() => null),
    ]);
    if (outcome) await Promise.race([Promise.all(this.pending), this.lost]);
    this.check();
    if (outcome && 'value' in outcome) return outcome.value;
    throw this.wordsOf(outcome?.error, 'a readback');
  }

  dispose(): void {
    this.disposed = true;
    this.failure ??= new DeviceError('WebGPU: the engine was closed; load the model again');
    this.raw.destroy();
    this.bytes = 0;
  }

  private watch(scope: Promise<GPUError | null>, toError: (error: GPUError) => Error): void {
    const watched: Promise<unknown> = scope
      .then(
        (error) => {
          if (error && !this.disposed) this.fail(toError(error));
        },
        () => undefined, // The device is lost, which is said by `lost`.
      )
      .finally(() => this.pending.delete(watched));
    this.pending.add(watched);
  }

  private outOfMemory(error: GPUError, label: string, bytes: number, held: number): MemoryError {
    const mb = (n: number): string => `${Math.ceil(n / 1e6)} MB`;
    return new MemoryError(
      `WebGPU: out of memory at ${label}${bytes > 0 ? ` (${mb(bytes)})` : ''}, with ${mb(held)} in use: ` +
        `${error.message} Choose a smaller weight type, fewer slots or a smaller model, or close other ` +
        'pages that use the GPU',
    );
  }

  private wordsOf(error: unknown, what: string): DeviceError {
    const message =
      error instanceof Error ? error.message : (error as GPUError | undefined)?.message;
    return new DeviceError(
      `WebGPU: ${what} failed: ${message ?? 'no reason was given'}. Load the model again; if it fails the ` +
        'same way, update the graphics driver or choose the CPU (WASM)',
    );
  }
}
