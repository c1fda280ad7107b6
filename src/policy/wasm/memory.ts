import { MemoryError } from '../ops/faults.ts';
import { hasRelaxedSimd, startKernels, type Kernels } from './kernels.ts';

const PAGE = 65_536;
/** The module's stack lies below. */
const HEAP_START = 2 * PAGE;
/** 4 GiB, or what an engine lets us ask for: the most pages that a memory may grow to. */
const LIMITS = [65_536, 32_768, 16_384];
const ALIGNMENT = 64;
/** Kernels may read a vector past the end of a row. */
const SLACK = 64;

/** What a block of `bytes` takes. */
export const blockBytes = (bytes: number): number =>
  Math.ceil((bytes + SLACK) / ALIGNMENT) * ALIGNMENT;

interface Block {
  readonly at: number;
  readonly bytes: number;
}

const inWords = (pages: number): string =>
  pages < 16_384 ? `${pages / 16} MiB` : `${pages / 16_384} GiB`;

function newMemory(limits: readonly number[]): WebAssembly.Memory {
  for (const maximum of limits)
    try {
      return new WebAssembly.Memory({ initial: HEAP_START / PAGE, maximum });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  throw new MemoryError(
    `wasm: this browser gives no memory of ${inWords(limits.at(-1) ?? 0)}. Close other tabs, or restart it`,
  );
}

/** Memory of the kernels: it grows as wanted, and what is freed is used again. */
export class WasmMemory {
  readonly kernels: Kernels;
  readonly #memory: WebAssembly.Memory;
  #top = HEAP_START;
  /** By address; no two touch. */
  #free: Block[] = [];
  readonly #live = new Map<number, number>();
  readonly #scratch = new Map<string, Block>();
  #bytes = 0;

  private constructor(memory: WebAssembly.Memory, kernels: Kernels) {
    this.#memory = memory;
    this.kernels = kernels;
  }

  /**
   * @param limits pages of 64 KiB that it may grow to, as the engine allows: the first that it gives room for
   * @throws MemoryError where the engine gives none
   */
  static async create(
    relaxed = hasRelaxedSimd(),
    limits: readonly number[] = LIMITS,
  ): Promise<WasmMemory> {
    const memory = newMemory(limits);
    return new WasmMemory(memory, await startKernels(memory, relaxed));
  }

  /** Bytes that are allocated and not released. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * A block of `bytes`, aligned to a cache line. Views that were made before are of no use after it.
   * @throws MemoryError where there is no more
   */
  allocate(bytes: number, label: string): number {
    const size = blockBytes(bytes);
    const at = this.#reuse(size) ?? this.#extend(size, label);
    this.#live.set(at, size);
    this.#bytes += size;
    return at;
  }

  /** A block of zeros. */
  zeros(bytes: number, label: string): number {
    const at = this.allocate(bytes, label);
    this.bytesAt(at, bytes).fill(0);
    return at;
  }

  release(at: number): void {
    const bytes = this.#live.get(at);
    if (bytes === undefined) return;
    this.#live.delete(at);
    this.#bytes -= bytes;
    const blocks = [...this.#free, { at, bytes }].sort((a, b) => a.at - b.at);
    this.#free = [];
    for (const block of blocks) {
      const last = this.#free.at(-1);
      if (last && last.at + last.bytes === block.at)
        this.#free[this.#free.length - 1] = { at: last.at, bytes: last.bytes + block.bytes };
      else this.#free.push(block);
    }
    const last = this.#free.at(-1);
    if (!last || last.at + last.bytes !== this.#top) return;
    this.#top = last.at;
    this.#free.pop();
  }

  /** A block for the time of one operation, the same one for a name as long as it is large enough. */
  scratch(name: string, bytes: number): number {
    const held = this.#scratch.get(name);
    if (held && held.bytes >= bytes) return held.at;
    if (held) this.release(held.at);
    this.#scratch.delete(name);
    const at = this.allocate(bytes, name);
    this.#scratch.set(name, { at, bytes });
    return at;
  }

  /** Gives back what `scratch` held under a name. */
  drop(name: string): void {
    const held = this.#scratch.get(name);
    this.#scratch.delete(name);
    if (held) this.release(held.at);
  }

  floats(at: number, length: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#buffer, at, length);
  }

  doubles(at: number, length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#buffer, at, length);
  }

  integers(at: number, length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#buffer, at, length);
  }

  halves(at: number, length: number): Uint16Array<ArrayBuffer> {
    return new Uint16Array(this.#buffer, at, length);
  }

  bytesAt(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, at, length);
  }

  get #buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** The smallest free block that is large enough. */
  #reuse(bytes: number): number | null {
    let best = -1;
    this.#free.forEach((block, i) => {
      if (block.bytes < bytes) return;
      if (block.bytes < (this.#free[best]?.bytes ?? Infinity)) best = i;
    });
    const block = this.#free[best];
    if (!block) return null;
    if (block.bytes === bytes) this.#free.splice(best, 1);
    else this.#free[best] = { at: block.at + bytes, bytes: block.bytes - bytes };
    return block.at;
  }

  #extend(bytes: number, label: string): number {
    const at = this.#top;
    const pages = Math.ceil((at + bytes) / PAGE) - this.#memory.buffer.byteLength / PAGE;
    // A quarter more than is wanted, so that many small blocks grow it few times.
    if (pages > 0 && !this.#grow(pages + Math.ceil(at / PAGE / 4)) && !this.#grow(pages))
      throw new MemoryError(
        `wasm: no memory for ${label} (${Math.ceil(bytes / 2 ** 20)} MB beside ` +
          `${Math.ceil(this.#bytes / 2 ** 20)} MB in use; at most 4 GB). ` +
          'Choose packed weights (int4), fewer contexts or a smaller model',
      );
    this.#top = at + bytes;
    return at;
  }

  #grow(pages: number): boolean {
    try {
      this.#memory.grow(pages);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
}
