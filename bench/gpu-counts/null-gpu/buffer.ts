import type { GpuCounter } from './counts.ts';
import type { ErrorScopes } from './errors.ts';

export const BUFFER_USAGE = {
  MAP_READ: 1,
  MAP_WRITE: 2,
  COPY_SRC: 4,
  COPY_DST: 8,
  INDEX: 16,
  VERTEX: 32,
  UNIFORM: 64,
  STORAGE: 128,
  INDIRECT: 256,
  QUERY_RESOLVE: 512,
} as const;
export const MAP_MODE = { READ: 1, WRITE: 2 } as const;

export interface Book {
  readonly counter: GpuCounter;
  readonly scopes: ErrorScopes;
}

const failure = (name: string, message: string): Promise<never> =>
  Promise.reject(new DOMException(message, name));

let made = 0;

/** Buffers up to this size keep what the host wrote to them: tables and uniforms, which say how much a kernel does. */
const KEPT = 2 ** 20;

/** A buffer of no contents but what the host wrote to a small one: what is mapped of it is zeros. */
export class NullBuffer {
  readonly id = ++made;
  readonly size: number;
  readonly usage: number;
  readonly label: string;
  mapState: 'unmapped' | 'pending' | 'mapped' = 'unmapped';
  /** Neither destroyed nor, for want of memory, never there. */
  alive: boolean;
  /** What the host wrote, of a small buffer. */
  written: Uint8Array<ArrayBuffer> | null = null;
  readonly #book: Book;
  #mode = 0;
  readonly #mapped = new Map<string, ArrayBuffer>();

  /** @param valid false for what a device without memory hands out */
  constructor(descriptor: GPUBufferDescriptor, book: Book, valid: boolean) {
    this.size = descriptor.size;
    this.usage = descriptor.usage;
    this.label = descriptor.label ?? '';
    this.#book = book;
    this.alive = valid;
    if (valid) book.counter.created(this.size);
    if (!descriptor.mappedAtCreation) return;
    this.mapState = 'mapped';
    this.#mode = MAP_MODE.WRITE;
  }

  /** Takes down what the host writes. */
  write(offset: number, bytes: Uint8Array): void {
    if (this.size > KEPT) return;
    this.written ??= new Uint8Array(this.size);
    this.written.set(bytes, offset);
  }

  destroy(): void {
    if (this.mapState === 'mapped') this.unmap();
    if (!this.alive) return;
    this.alive = false;
    this.#book.counter.destroyed(this.size);
  }

  mapAsync(mode: number, offset = 0, size = this.size - offset): Promise<void> {
    const fault = this.#mapFault(mode, offset, size);
    if (fault) {
      this.#book.scopes.report('validation', `mapAsync: ${fault}`);
      return failure('OperationError', fault);
    }
    this.mapState = 'pending';
    this.#mode = mode;
    return Promise.resolve().then(() => {
      if (this.mapState !== 'pending') return failure('AbortError', 'mapAsync: it was unmapped');
      this.mapState = 'mapped';
      if (mode === MAP_MODE.READ) this.#book.counter.flow('readbacks', size);
      return undefined;
    });
  }

  #mapFault(mode: number, offset: number, size: number): string | null {
    if (!this.alive) return `buffer "${this.label}" is destroyed`;
    if (this.mapState !== 'unmapped') return `buffer "${this.label}" is ${this.mapState}`;
    const needed = mode === MAP_MODE.READ ? BUFFER_USAGE.MAP_READ : BUFFER_USAGE.MAP_WRITE;
    if ((this.usage & needed) === 0) return `buffer "${this.label}" may not be mapped so`;
    if (offset % 8 !== 0 || size % 4 !== 0) return 'offset must be a multiple of 8, size of 4';
    return offset + size > this.size ? 'the range is outside of the buffer' : null;
  }

  getMappedRange(offset = 0, size = this.size - offset): ArrayBuffer {
    if (this.mapState !== 'mapped')
      throw new DOMException('getMappedRange: the buffer is not mapped', 'OperationError');
    const key = `${offset}+${size}`;
    const range = this.#mapped.get(key) ?? new ArrayBuffer(size);
    this.#mapped.set(key, range);
    return range;
  }

  unmap(): void {
    if (this.mapState === 'unmapped') return;
    if (this.mapState === 'mapped' && this.#mode === MAP_MODE.WRITE)
      for (const { byteLength } of this.#mapped.values())
        this.#book.counter.flow('writes', byteLength);
    this.#mapped.clear();
    this.mapState = 'unmapped';
    this.#book.counter.event('unmaps');
  }
}
