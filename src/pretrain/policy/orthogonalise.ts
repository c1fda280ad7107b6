import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterSlots } from '../../policy/checkpoint/weights.ts';
import { WasmMemory } from '../../policy/wasm/memory.ts';

/** Quintic Newton–Schulz coefficients of Muon; singular values end near 1, not exactly there. */
const [A, B, C] = [3.4445, -4.775, 2.0315];
const STEPS = 5;

/** Where buffers of float32 values lie; matrices as panels are what the kernels multiply with. */
interface Places {
  readonly x: number;
  readonly y: number;
  readonly panels: number;
  readonly gram: number;
  readonly square: number;
  readonly gramPanels: number;
  /** 32 kB of scratch. */
  readonly block: number;
}

/** Replaces a matrix by (nearly) the closest matrix with orthonormal rows or columns, U Vᵀ. */
export class Orthogonaliser {
  readonly #memory: WasmMemory;
  readonly #places: Places;

  private constructor(memory: WasmMemory, places: Places) {
    this.#memory = memory;
    this.#places = places;
  }

  /** @param short longest short side; @param area most values of one matrix. */
  static async create(short: number, area: number, relaxed?: boolean): Promise<Orthogonaliser> {
    const memory = await WasmMemory.create(relaxed);
    const floats = (count: number): number => memory.zeros(4 * count, 'orthogonalising');
    return new Orthogonaliser(memory, {
      x: floats(area),
      y: floats(area),
      panels: floats(area),
      gram: floats(short * short),
      square: floats(short * short),
      gramPanels: floats(short * short),
      block: floats(8192),
    });
  }

  /** Room for every layer matrix of a shape. */
  static forConfig(config: PolicyConfig, relaxed?: boolean): Promise<Orthogonaliser> {
    const matrices = parameterSlots(config).filter(
      (slot) => slot.shape.length === 2 && slot.name.startsWith('model.layers.'),
    );
    const short = Math.max(...matrices.map((m) => Math.min(...m.shape)));
    return Orthogonaliser.create(short, Math.max(...matrices.map((m) => m.length)), relaxed);
  }

  /** In place; both sides multiples of 8. */
  apply(matrix: Float32Array, rows: number, columns: number): void {
    const tall = rows > columns;
    const [m, n] = tall ? [columns, rows] : [rows, columns];
    let squares = 0;
    for (let i = 0; i < matrix.length; i++) squares += (matrix[i] ?? 0) * (matrix[i] ?? 0);
    const inverse = 1 / (Math.sqrt(squares) + 1e-7);
    let x = this.#memory.floats(this.#places.x, matrix.length);
    let y = this.#memory.floats(this.#places.y, matrix.length);
    if (tall) transpose(matrix, rows, columns, x);
    else x.set(matrix);
    for (let i = 0; i < x.length; i++) x[i] = (x[i] ?? 0) * inverse;
    for (let step = 0; step < STEPS; step++) {
      this.#step(x, y, m, n);
      [x, y] = [y, x];
    }
    if (tall) transpose(x, m, n, matrix);
    else matrix.set(x);
  }

  /** y = a x + (b G + c G²) x, with G = x xᵀ. */
  #step(x: Float32Array, y: Float32Array, m: number, n: number): void {
    const { kernels } = this.#memory;
    const { panels, gram, square, gramPanels, block } = this.#places;
    const at = x.byteOffset;
    kernels.place_floats(at, n, 0, m, n, panels);
    kernels.multiply(0, at, n, panels, 0, n, gram, m, m, m, n, 0, 0, block);
    // G is its own transpose, so that G Gᵀ is its square.
    kernels.place_floats(gram, m, 0, m, m, gramPanels);
    kernels.multiply(0, gram, m, gramPanels, 0, m, square, m, m, m, m, 0, 0, block);
    const g = this.#memory.floats(gram, m * m);
    const g2 = this.#memory.floats(square, m * m);
    for (let i = 0; i < g.length; i++) g[i] = B * (g[i] ?? 0) + C * (g2[i] ?? 0);
    for (let i = 0; i < x.length; i++) y[i] = A * (x[i] ?? 0);
    kernels.multiply_back(0, gram, m, panels, 0, n, y.byteOffset, n, m, m, n, 1, block);
  }
}

function transpose(from: Float32Array, rows: number, columns: number, to: Float32Array): void {
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c] ?? 0;
}
