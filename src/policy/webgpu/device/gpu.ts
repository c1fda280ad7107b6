import { Device, type DeviceOptions, type GpuBuffer, type Range } from './device.ts';
import { Encoder } from './encoder.ts';
import { Reader } from './read.ts';

/** A device, what is encoded for it, and the working memory that kernels share. */
export class Gpu {
  readonly encoder: Encoder;
  readonly reader: Reader;
  private readonly scratches = new Map<string, GpuBuffer>();

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
    if (!buffer || buffer.size < size) {
      if (buffer) this.encoder.release(buffer);
      buffer = this.device.buffer(size, name);
      this.scratches.set(name, buffer);
    }
    return { buffer, offset: 0, size };
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
