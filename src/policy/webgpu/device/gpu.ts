import { Device, type DeviceOptions, type GpuBuffer, type Range } from './device.ts';
import { Encoder } from './encoder.ts';
import { DeviceError } from '../../ops/faults.ts';

/** Reads buffers back by way of staging buffers, which are used again. */
class Reader {
  private readonly idle: GpuBuffer[] = [];

  constructor(private readonly encoder: Encoder) {}

  /**
   * Bytes of a buffer once everything that was encoded is done; submits.
   * @param offset a multiple of 4, as is `size`
   */
  async read(buffer: GpuBuffer, offset = 0, size = buffer.size - offset): Promise<ArrayBuffer> {
    if (size === 0) return new ArrayBuffer(0);
    const { device } = this.encoder;
    const staging = this.take(size);
    this.encoder.copy(buffer, offset, staging, 0, size);
    this.encoder.submit();
    await device.settle(
      staging.raw.mapAsync(1, 0, size).catch((error: unknown) => {
        device.check();
        throw new DeviceError(
          `WebGPU: ${buffer.label} could not be read back (${error instanceof Error ? error.message : String(error)}). ` +
            'Load the model again, or choose the CPU (WASM)',
        );
      }),
    );
    const bytes = staging.raw.getMappedRange(0, size).slice(0);
    staging.raw.unmap();
    this.idle.push(staging);
    return bytes;
  }

  /** Gives the staging buffers' memory back. */
  trim(): void {
    for (const buffer of this.idle.splice(0)) this.encoder.release(buffer);
  }

  private take(size: number): GpuBuffer {
    const at = this.idle.findIndex(
      (buffer) => buffer.size >= size && buffer.size <= 4 * size + 4096,
    );
    const [found] = at >= 0 ? this.idle.splice(at, 1) : [];
    if (found) return found;
    // What is kept for the next time is little: large readbacks are rare.
    if (this.idle.length > 4) this.trim();
    return this.encoder.device.buffer(size, 'staging', 'staging');
  }
}

/** A device, what is encoded for it, and the working memory that kernels share. */
export class Gpu {
  readonly encoder: Encoder;
  readonly reader: Reader;
  private readonly scratches = new Map<string, GpuBuffer>();
  /** Bytes that a rehearsal asks of each scratch; null outside of one. */
  private wanted: Map<string, number> | null = null;

  constructor(readonly device: Device) {
    this.encoder = new Encoder(device);
    this.reader = new Reader(this.encoder);
  }

  static async open(options?: DeviceOptions): Promise<Gpu> {
    return new Gpu(await Device.open(options));
  }

  /**
   * Working memory by name. It grows and is kept, so that a repeated step finds the same buffer; what it
   * holds is anybody's. Bound is what was asked for.
   */
  scratch(name: string, bytes: number): Range {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    let buffer = this.scratches.get(name);
    if (this.wanted) {
      this.wanted.set(name, Math.max(size, this.wanted.get(name) ?? 0));
      // Nothing is done with it.
      return { buffer: buffer ?? this.encoder.uniforms, offset: 0, size };
    }
    if (!buffer || buffer.size < size) {
      if (buffer) this.encoder.release(buffer);
      buffer = this.device.buffer(size, name);
      this.scratches.set(name, buffer);
    }
    return { buffer, offset: 0, size };
  }

  /**
   * Makes scratches as large as `work` asks for, of which nothing is run, once it is certain that the device has the
   * memory.
   * @throws MemoryError; scratches are then what they were
   */
  async reserve(work: () => void): Promise<void> {
    const wanted = (this.wanted = new Map<string, number>());
    try {
      this.encoder.rehearse(work);
    } finally {
      this.wanted = null;
    }
    const larger = [...wanted].filter(
      ([name, size]) => (this.scratches.get(name)?.size ?? 0) < size,
    );
    if (larger.length === 0) return;
    const made = await this.device.attempt(() =>
      larger.map(([name, size]) => ({ name, buffer: this.device.buffer(size, name) })),
    );
    for (const { name, buffer } of made) {
      const old = this.scratches.get(name);
      // Sampling meanwhile may have needed more.
      const [kept, spare] = old && old.size >= buffer.size ? [old, buffer] : [buffer, old];
      this.scratches.set(name, kept);
      if (spare) this.encoder.release(spare);
    }
  }

  /** Gives a scratch's memory back, or that of all of them. */
  trim(name?: string): void {
    for (const [label, buffer] of this.scratches)
      if (name === undefined || label === name) {
        this.scratches.delete(label);
        this.encoder.release(buffer);
      }
  }
}
