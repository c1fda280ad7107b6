import { itemAt } from '../../base/items.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterSlots, type ParameterSlot } from '../../policy/checkpoint/weights.ts';
import { adamW, type TensorState } from '../../policy/lora/optimizer.ts';
import type { UpdateOptions } from './plan.ts';
import type { SharedState } from './replica.ts';
import { WasmMemory } from '../../policy/wasm/memory.ts';

/** Replaces a matrix [rows, columns] in place by (nearly) the closest one with orthonormal rows or columns. */
interface Orthogonalises {
  apply(matrix: Float32Array, rows: number, columns: number): void;
}

/**
 * Muon (Jordan et al., 2024) on one matrix [rows, columns], in place: the Nesterov momentum is
 * orthogonalised by five Newton–Schulz steps and scaled by `sqrt(max(1, rows / columns))`.
 */
export function muon(
  t: TensorState,
  rows: number,
  columns: number,
  o: UpdateOptions,
  orthogonaliser: Orthogonalises,
): void {
  const { values, gradient, first } = t;
  const direction = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const g = (gradient[i] ?? 0) * o.gradientScale;
    const m = o.momentum * (first[i] ?? 0) + (1 - o.momentum) * g;
    first[i] = m;
    direction[i] = o.momentum * m + (1 - o.momentum) * g;
  }
  orthogonaliser.apply(direction, rows, columns);
  const rate = o.muonLr * Math.sqrt(Math.max(1, rows / columns));
  const keep = 1 - o.muonLr * o.weightDecay;
  for (let i = 0; i < values.length; i++)
    values[i] = keep * (values[i] ?? 0) - rate * (direction[i] ?? 0);
}

/** Whether Muon takes a tensor: a matrix inside a layer. */
export const isMuonSlot = (slot: ParameterSlot): boolean =>
  slot.shape.length === 2 && slot.name.startsWith('model.layers.');

/** Updates one tensor by the rule that its kind asks for. */
export function updateSlot(
  slot: ParameterSlot,
  state: TensorState,
  options: UpdateOptions,
  orthogonaliser: Orthogonalises,
): void {
  const inLayer = isMuonSlot(slot);
  if (inLayer && options.optimizer === 'muon')
    muon(state, slot.shape[0]!, slot.shape[1]!, options, orthogonaliser);
  else adamW(state, options, inLayer ? options.weightDecay : 0);
}

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

/** Updates some of the tensors, and sums up gradients. All state that lasts is in `SharedState`. */
export class Updater {
  readonly #orthogonaliser: Orthogonaliser;
  readonly #slots: readonly ParameterSlot[];
  readonly #shared: SharedState;

  private constructor(
    orthogonaliser: Orthogonaliser,
    slots: readonly ParameterSlot[],
    shared: SharedState,
  ) {
    this.#orthogonaliser = orthogonaliser;
    this.#slots = slots;
    this.#shared = shared;
  }

  /** @param place which of the `replicas` this is; it decides which tensors it updates */
  static async create(
    place: { index: number; replicas: number },
    config: PolicyConfig,
    shared: SharedState,
  ): Promise<Updater> {
    const orthogonaliser = await Orthogonaliser.forConfig(config);
    const slots = itemAt(
      ownSlots(parameterSlots(config), place.replicas),
      place.index,
      'shares of the parameters',
    );
    return new Updater(orthogonaliser, slots, shared);
  }

  /** Sums values `from` to `to` of the first `buffers` gradients into the first; returns Σ g². */
  reduce(from: number, to: number, buffers: number): number {
    const [sum = new Float32Array(), ...rest] = this.#shared.gradients
      .slice(0, buffers)
      .map((gradient) => gradient.subarray(from, to));
    for (const other of rest)
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (other[i] ?? 0);
    let squares = 0;
    for (const g of sum) squares += g * g;
    return squares;
  }

  /** Updates the tensors that this replica owns from the summed gradient. */
  update(options: UpdateOptions): void {
    const { weights, first, second, gradients } = this.#shared;
    const summed = itemAt(gradients, 0, 'gradient buffers');
    for (const slot of this.#slots) {
      const cut = (values: Float32Array): Float32Array =>
        values.subarray(slot.offset, slot.offset + slot.length);
      const state = {
        values: cut(weights),
        gradient: cut(summed),
        first: cut(first),
        second: cut(second),
      };
      updateSlot(slot, state, options, this.#orthogonaliser);
    }
  }
}

/** Orthogonalising a matrix takes products with its short side; AdamW a few operations a value. */
const updateCost = (slot: ParameterSlot): number =>
  slot.length * (isMuonSlot(slot) ? Math.min(...slot.shape) : 8);

/** Tensors dealt to replicas so that their updates take about as long. */
function ownSlots(slots: readonly ParameterSlot[], replicas: number): ParameterSlot[][] {
  const owned = Array.from({ length: replicas }, () => ({ cost: 0, slots: [] as ParameterSlot[] }));
  for (const slot of slots.toSorted(
    (a, b) => updateCost(b) - updateCost(a) || a.offset - b.offset,
  )) {
    const least = owned.reduce((a, b) => (b.cost < a.cost ? b : a));
    least.slots.push(slot);
    least.cost += updateCost(slot);
  }
  return owned.map((o) => o.slots);
}
