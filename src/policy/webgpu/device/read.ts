import { DeviceError } from '../../ops/faults.ts';
import type { GpuBuffer } from './device.ts';
import type { Encoder } from './encoder.ts';

/** Reads buffers back by way of staging buffers, which are used again. */
export class Reader {
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
