import { KernelMemory, type Kernels, type Region } from '../kernels/kernels.ts';
import { parameterSlots } from '../checkpoint/weights.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';

/** Quintic Newton–Schulz coefficients of Muon; singular values end near 1, not exactly there. */
const [A, B, C] = [3.4445, -4.775, 2.0315];
const STEPS = 5;

/** Replaces a matrix by (nearly) the closest matrix with orthonormal rows or columns, U Vᵀ. */
export class Orthogonaliser {
  readonly #memory: KernelMemory;
  readonly #kernels: Kernels;
  readonly #regions: Record<'x' | 'y' | 'packed' | 'gram' | 'square' | 'packedGram', Region>;

  private constructor(
    memory: KernelMemory,
    kernels: Kernels,
    regions: Record<'x' | 'y' | 'packed' | 'gram' | 'square' | 'packedGram', Region>,
  ) {
    this.#memory = memory;
    this.#kernels = kernels;
    this.#regions = regions;
  }

  /** @param short longest short side; @param area most values of one matrix. */
  static async create(short: number, area: number, relaxed?: boolean): Promise<Orthogonaliser> {
    const memory = new KernelMemory();
    const regions = {
      x: memory.plan(area),
      y: memory.plan(area),
      packed: memory.plan(area),
      gram: memory.plan(short * short),
      square: memory.plan(short * short),
      packedGram: memory.plan(short * short),
    };
    return new Orthogonaliser(memory, await memory.start(relaxed), regions);
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
    let x = this.#memory.floats({ ...this.#regions.x, length: matrix.length });
    let y = this.#memory.floats({ ...this.#regions.y, length: matrix.length });
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
    const kernels = this.#kernels;
    const { packed, gram, square, packedGram } = this.#regions;
    kernels.pack_transposed(x.byteOffset, n, n, m, packed.pointer);
    kernels.gemm(x.byteOffset, n, packed.pointer, n * 8, gram.pointer, m, m, m, n, 0);
    kernels.pack(gram.pointer, m, m, m, packedGram.pointer);
    kernels.gemm(gram.pointer, m, packedGram.pointer, m * 8, square.pointer, m, m, m, m, 0);
    const g = this.#memory.floats({ ...gram, length: m * m });
    const g2 = this.#memory.floats({ ...square, length: m * m });
    for (let i = 0; i < g.length; i++) g[i] = B * (g[i] ?? 0) + C * (g2[i] ?? 0);
    kernels.pack(x.byteOffset, n, m, n, packed.pointer);
    for (let i = 0; i < x.length; i++) y[i] = A * (x[i] ?? 0);
    kernels.gemm(gram.pointer, m, packed.pointer, m * 8, y.byteOffset, n, m, n, m, 1);
  }
}

function transpose(from: Float32Array, rows: number, columns: number, to: Float32Array): void {
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c] ?? 0;
}
