import { itemAt } from '../../base/items.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterSlots, type ParameterSlot } from '../../policy/checkpoint/weights.ts';
import { isMuonSlot, updateSlot, type UpdateOptions } from '../../policy/lora/optimizer.ts';
import { Orthogonaliser } from './orthogonalise.ts';
import type { SharedState } from './replica.ts';

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
