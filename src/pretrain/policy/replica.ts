import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { isMuonSlot, updateSlot, type UpdateOptions } from '../../policy/lora/optimizer.ts';
import { Orthogonaliser } from './orthogonalise.ts';
import { microBatches, packBatch } from '../../policy/lora/train-batch.ts';
import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import { Trainer } from './train.ts';
import { parameterSlots, type ParameterSlot } from '../../policy/checkpoint/weights.ts';
import { itemAt } from '../../base/items.ts';

/** One sequence of a batch of pre-training. */
export interface Example {
  ids: Int32Array;
  /** Loss weight of each token. */
  weights: Float32Array;
  /** 1 where the policy wrote the token; only these count as right or wrong. */
  mask: Uint8Array;
  /** What it shows, for reports. */
  kind: string;
}

/** How one sequence fared, teacher forced. */
export interface Score {
  /** Summed negative log-probability (nats) of the policy's tokens, and their number. */
  nll: number;
  tokens: number;
  /** How many of them were the most probable token. */
  right: number;
}

/** A share of a batch, and the shared buffer that takes its gradient. */
export interface Part {
  buffer: number;
  examples: readonly Example[];
  /** Factor on the loss. */
  scale: number;
}

/** Flat float32 buffers that all replicas share; each as long as the parameters. */
export interface SharedState {
  weights: Float32Array;
  first: Float32Array;
  second: Float32Array;
  /** One for each part of a batch; the first also takes the sum. */
  gradients: Float32Array[];
}

/** One worker of data-parallel training. All state that lasts is in `SharedState`. */
export class Replica {
  readonly #trainer: Trainer;
  readonly #orthogonaliser: Orthogonaliser;
  readonly #slots: readonly ParameterSlot[];
  readonly #shared: SharedState;
  /** Which version of the shared weights the trainer holds. */
  #version = -1;

  private constructor(
    trainer: Trainer,
    orthogonaliser: Orthogonaliser,
    slots: readonly ParameterSlot[],
    shared: SharedState,
  ) {
    this.#trainer = trainer;
    this.#orthogonaliser = orthogonaliser;
    this.#slots = slots;
    this.#shared = shared;
  }

  /** @param place which of the `replicas` this is; it decides which tensors it updates */
  static async create(
    place: { index: number; replicas: number },
    config: PolicyConfig,
    limits: TrainLimits,
    shared: SharedState,
  ): Promise<Replica> {
    const trainer = await Trainer.create(config, limits);
    const orthogonaliser = await Orthogonaliser.forConfig(config);
    const slots = itemAt(
      ownSlots(parameterSlots(config), place.replicas),
      place.index,
      'shares of the parameters',
    );
    return new Replica(trainer, orthogonaliser, slots, shared);
  }

  /** Leaves the gradient of `scale · Σ weight · nll` in one of the shared buffers. */
  gradients(part: Part, version: number): Score[] {
    this.#load(version);
    this.#trainer.zeroGradients();
    const scores = this.#run(part.examples, part.scale, true);
    itemAt(this.#shared.gradients, part.buffer, 'gradient buffers').set(this.#trainer.gradients);
    return scores;
  }

  evaluate(examples: readonly Example[], version: number): Score[] {
    this.#load(version);
    return this.#run(examples, 1, false);
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

  #load(version: number): void {
    if (version === this.#version) return;
    this.#trainer.setWeights(this.#shared.weights);
    this.#version = version;
  }

  #run(examples: readonly Example[], scale: number, learn: boolean): Score[] {
    const { maxTokens } = this.#trainer.limits;
    const scores: Score[] = [];
    for (const run of microBatches(examples, maxTokens)) {
      const batch = packBatch(run, scale);
      const { nll, right } = learn
        ? this.#trainer.accumulate(batch)
        : this.#trainer.evaluate(batch);
      scores.push(...scoreRun(run, batch.rows, nll, right));
    }
    return scores;
  }
}

/** Counts the policy's tokens of each sequence; `rows` are positions in the joined batch. */
function scoreRun(
  run: readonly Example[],
  rows: Int32Array,
  nll: Float32Array,
  right: Uint8Array,
): Score[] {
  let start = 0;
  let at = 0;
  return run.map(({ ids, mask }) => {
    const score = { nll: 0, tokens: 0, right: 0 };
    for (; at < rows.length && (rows[at] ?? 0) < start + ids.length; at++) {
      if (mask[(rows[at] ?? 0) - start + 1] !== 1) continue;
      score.nll += nll[at] ?? 0;
      score.tokens++;
      score.right += right[at] ?? 0;
    }
    start += ids.length;
    return score;
  });
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
