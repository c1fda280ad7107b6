import { PLAIN, RELAXED } from './kernels.wasm.ts';

type Numbers<N extends number, A extends number[] = []> = A['length'] extends N
  ? A
  : Numbers<N, [...A, number]>;
type Kernel<N extends number> = (...args: Numbers<N>) => void;

/** The exported functions of kernels.c; pointers are byte offsets into the memory. */
export interface Kernels {
  pack: Kernel<5>;
  pack_transposed: Kernel<5>;
  gemm: Kernel<10>;
  gemm_transposed: Kernel<10>;
  rms_norm: Kernel<7>;
  rms_norm_backward: Kernel<8>;
  heads_forward: Kernel<15>;
  heads_backward: Kernel<18>;
  attention_forward: Kernel<10>;
  attention_backward: Kernel<14>;
  swiglu: Kernel<4>;
  swiglu_backward: Kernel<4>;
  cross_entropy: Kernel<7>;
  softmax_scores: Kernel<6>;
  add_to: Kernel<3>;
  gather: Kernel<5>;
  scatter_add: Kernel<5>;
}

/** A region of the memory as 32-bit floats or integers; `pointer` is what kernels take. */
export interface Region {
  pointer: number;
  length: number;
}

/** `(module (func (param v128 v128 v128) (result v128) … f32x4.relaxed_madd))`, to ask the engine. */
const RELAXED_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0, 10, 13, 1, 11, 0,
  32, 0, 32, 1, 32, 2, 253, 133, 2, 11,
]);

/** Whether fused multiply-add is compiled by this engine; results differ from those without it. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(RELAXED_PROBE);
}

const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

const PAGE = 65_536;
/** The module's unused stack lies below. */
const HEAP_START = 2 * PAGE;

/**
 * Memory laid out once, then kernels over it: `plan` regions first, `start` when all are known.
 * Growing later would detach every view, so there is no growing.
 */
export class KernelMemory {
  #top = HEAP_START;
  #kernels: Kernels | undefined;
  #buffer: ArrayBuffer | undefined;

  /** Reserves `length` 32-bit values, 64-byte aligned. */
  plan(length: number): Region {
    if (this.#kernels !== undefined) throw new Error('kernels: memory is already laid out');
    const pointer = this.#top;
    // One cache line of slack: kernels may read a vector past the end of a row.
    this.#top = Math.ceil((pointer + 4 * length + 64) / 64) * 64;
    return { pointer, length };
  }

  /** @throws RangeError where the engine cannot give that much memory. */
  async start(relaxed = hasRelaxedSimd()): Promise<Kernels> {
    const pages = Math.ceil(this.#top / PAGE) + 1;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { instance } = await WebAssembly.instantiate(decodeBase64(relaxed ? RELAXED : PLAIN), {
      env: { memory },
    });
    this.#buffer = memory.buffer;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the exports of our own module
    this.#kernels = instance.exports as unknown as Kernels;
    return this.#kernels;
  }

  get bytes(): number {
    return this.#top;
  }

  floats(region: Region): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#started(), region.pointer, region.length);
  }

  integers(region: Region): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#started(), region.pointer, region.length);
  }

  #started(): ArrayBuffer {
    if (this.#buffer === undefined) throw new Error('kernels: memory is not laid out yet');
    return this.#buffer;
  }
}
