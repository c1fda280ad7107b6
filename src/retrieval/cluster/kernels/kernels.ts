import {
  dot,
  emptyNearest,
  findNearest,
  halfNorms,
  rowCount,
  setNearest,
  type FindNearest,
} from '../partition/nearest.ts';
import { KERNELS } from './kernels.wasm.ts';

/** Exported functions of kernels.c; pointers are byte offsets. */
interface Exports {
  pack: (centroids: number, k: number, d: number, packed: number) => void;
  nearest: (
    points: number,
    n: number,
    d: number,
    packed: number,
    half: number,
    k: number,
    labels: number,
    best: number,
    second: number,
  ) => void;
  dots: (query: number, rows: number, n: number, d: number, out: number) => void;
}

const PAGE = 65_536;
/** The module's unused stack lies below. */
const HEAP = 2 * PAGE;
/** Points that are copied in at a time. */
const POINTS = 2048;

/** By WASM kernels where the engine has 128-bit SIMD, else in plain JavaScript. */
export async function fastestNearest(): Promise<FindNearest> {
  try {
    return (await ClusterKernels.start()).nearest;
  } catch {
    return findNearest;
  }
}

/**
 * The kernels of the cluster retriever with a memory of their own, which grows as needed. A call
 * overwrites what an earlier one left, so an instance is for one of its methods only.
 */
export class ClusterKernels {
  readonly #memory: WebAssembly.Memory;
  readonly #exports: Exports;

  private constructor(memory: WebAssembly.Memory, exports: Exports) {
    this.#memory = memory;
    this.#exports = exports;
  }

  /** @throws WebAssembly.CompileError where the engine has no 128-bit SIMD */
  static async start(): Promise<ClusterKernels> {
    const memory = new WebAssembly.Memory({ initial: HEAP / PAGE });
    const binary = Uint8Array.from(atob(KERNELS), (c) => c.charCodeAt(0));
    const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the exports of our own module
    return new ClusterKernels(memory, instance.exports as unknown as Exports);
  }

  /** As `findNearest` in plain JavaScript, with sums in single precision. */
  readonly nearest: FindNearest = (points, centroids) => {
    const n = rowCount(points);
    const k = rowCount(centroids);
    const { dimensions: d, values } = points;
    const padded = Math.ceil(k / 8) * 8;
    const { plain, packed, half, x, labels, best, second } = this.#lay({
      plain: k * d,
      packed: padded * d,
      half: padded,
      x: POINTS * d,
      labels: POINTS,
      best: POINTS,
      second: POINTS,
    });
    this.#floats(plain, k * d).set(centroids.values);
    const halves = this.#floats(half, padded).fill(Infinity);
    halves.set(halfNorms(centroids));
    this.#exports.pack(plain, k, d, packed);
    const found = emptyNearest(n);
    for (let from = 0; from < n; from += POINTS) {
      const count = Math.min(POINTS, n - from);
      this.#floats(x, POINTS * d).set(values.subarray(from * d, (from + count) * d));
      const whole = Math.ceil(count / 4) * 4;
      this.#exports.nearest(x, whole, d, packed, half, padded, labels, best, second);
      const label = new Int32Array(this.#memory.buffer, labels, count);
      const bests = this.#floats(best, count);
      const seconds = this.#floats(second, count);
      for (let i = 0; i < count; i++) {
        const at = (from + i) * d;
        setNearest(
          found,
          from + i,
          { label: label[i] ?? NaN, best: bests[i] ?? NaN, second: seconds[i] ?? NaN },
          dot(values, at, values, at, d),
        );
      }
    }
    return found;
  };

  /** Inner products with the rows of a table that stays in this memory. */
  table(values: Float32Array, dimensions: number): (query: Float32Array) => Float32Array {
    const n = values.length / dimensions;
    const { rows, query, out } = this.#lay({
      rows: values.length,
      query: dimensions,
      out: n,
    });
    this.#floats(rows, values.length).set(values);
    return (vector) => {
      this.#floats(query, dimensions).set(vector);
      this.#exports.dots(query, rows, n, dimensions, out);
      return this.#floats(out, n);
    };
  }

  #floats(pointer: number, length: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#memory.buffer, pointer, length);
  }

  /** Places named regions of these many 32-bit values one after another; grows the memory to hold them. */
  #lay<Name extends string>(lengths: Record<Name, number>): Record<Name, number> {
    let top = HEAP;
    const pointers = { ...lengths };
    for (const name in lengths) {
      pointers[name] = top;
      top = Math.ceil((top + 4 * lengths[name]) / 64) * 64;
    }
    const missing = Math.ceil((top - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(missing);
    return pointers;
  }
}
