import type { TokenDistribution as Sampling } from '../../records/rollout.ts';
import { logAtLeastOne, LOWEST, uniform, weightOf } from './numeric.ts';
import type { Drawn } from './ops.ts';

/**
 * Random number of a draw, in [0, 1): the first 24 bits of `uniform`, so that a device with 32-bit floats
 * has the same one.
 */
export const drawNumber = (seed: number, counter: number): number =>
  Math.floor(uniform(seed, counter) * 2 ** 24) / 2 ** 24;

/** Σ w and Σ w · x over ids, with weights w = e^x and x = (logit − max) / temperature. */
interface Sums {
  readonly total: number;
  readonly weighted: number;
}

/** What a row of logits weighs at a temperature. */
interface Weighed extends Sums {
  readonly max: number;
  /** The first id with the largest logit. */
  readonly id: number;
  /** Whether all logits are finite; what else is said means nothing if not. */
  readonly finite: boolean;
}

/** What a row is drawn with: on the host, or in a kernel that gives the same bits. */
export interface Weigher {
  /** Writes the weight of every id into `weights`. */
  weigh(logits: Float32Array, temperature: number, weights: Float64Array): Weighed;
  /** The first id at which the running sum of weights is above `target`. */
  pick(weights: Float64Array, count: number, target: number): number;
}

/** The ids that are drawn from: those with a logit above `logit`, and of those at it the ids up to `id`. */
interface Cut {
  readonly logit: number;
  readonly id: number;
}

const BINS = 2048;
/** Bins a nat of the scaled logit: all but e^-32 of the largest lies in a bin of its own kind. */
const BINS_PER_NAT = 64;

/** Where in the ranking a bin begins: how many ids, of what weight together, come before it. */
interface Before {
  readonly count: number;
  readonly weight: number;
}

/**
 * Ids ranked by logit, then by id, without ranking all: they are dealt into bins by their distance from
 * the largest logit, and a bin is ranked only when the end that is sought lies in it.
 */
class Ranking {
  readonly #logits: Float32Array;
  readonly #weights: Float64Array;
  readonly #max: number;
  readonly #perUnit: number;
  readonly #counts = new Uint32Array(BINS);
  readonly #sums = new Float64Array(BINS);

  constructor(logits: Float32Array, max: number, temperature: number, weights: Float64Array) {
    this.#logits = logits;
    this.#weights = weights;
    this.#max = max;
    this.#perUnit = BINS_PER_NAT / temperature;
    for (let id = 0; id < logits.length; id++) {
      const bin = this.#bin(id);
      this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
      this.#sums[bin] = (this.#sums[bin] ?? 0) + (weights[id] ?? 0);
    }
  }

  #bin(id: number): number {
    return Math.min(BINS - 1, Math.floor((this.#max - (this.#logits[id] ?? 0)) * this.#perUnit));
  }

  /** The first id, most likely first, with which `reached` is true; the last id where it never is. */
  end(reached: (count: number, weight: number) => boolean): Cut & Before {
    let before: Before = { count: 0, weight: 0 };
    let last = 0;
    for (let bin = 0; bin < BINS; bin++) {
      const size = this.#counts[bin] ?? 0;
      if (size === 0) continue;
      const after = { count: before.count + size, weight: before.weight + (this.#sums[bin] ?? 0) };
      if (reached(after.count, after.weight)) {
        const found = this.#within(bin, before, reached);
        if (found) return found;
      }
      before = after;
      last = bin;
    }
    // Reached by no sum, or lost to rounding: everything is kept.
    const all = this.#members(last);
    const id = all.at(-1) ?? 0;
    return { logit: this.#logits[id] ?? 0, id, ...before };
  }

  #members(bin: number): number[] {
    const ids: number[] = [];
    for (let id = 0; id < this.#logits.length; id++) if (this.#bin(id) === bin) ids.push(id);
    return ids.sort((a, b) => (this.#logits[b] ?? 0) - (this.#logits[a] ?? 0) || a - b);
  }

  #within(
    bin: number,
    before: Before,
    reached: (count: number, weight: number) => boolean,
  ): (Cut & Before) | null {
    let { count, weight } = before;
    for (const id of this.#members(bin)) {
      count++;
      weight += this.#weights[id] ?? 0;
      if (reached(count, weight)) return { logit: this.#logits[id] ?? 0, id, count, weight };
    }
    return null;
  }
}

/**
 * What top-k, then top-p leave: the smallest set of the k most likely ids whose share of their probability
 * reaches topP; at least one id. Null where that is all ids.
 */
function cutOf(
  logits: Float32Array,
  max: number,
  { temperature, topK, topP }: Sampling,
  weights: Float64Array,
  total: number,
): Cut | null {
  const k = topK > 0 && topK < logits.length ? topK : logits.length;
  if (k === logits.length && topP >= 1) return null;
  const ranking = new Ranking(logits, max, temperature, weights);
  const first = k < logits.length ? ranking.end((count) => count >= k) : null;
  if (topP >= 1) return first;
  const wanted = topP * (first?.weight ?? total);
  return ranking.end((count, weight) => count >= k || weight >= wanted);
}

const HOST: Weigher = {
  weigh(logits, temperature, weights) {
    let max = -Infinity;
    let id = 0;
    // Finite exactly where every logit is: a sum of float32 numbers cannot outgrow a double.
    let magnitude = 0;
    for (let i = 0; i < logits.length; i++) {
      const value = logits[i] ?? NaN;
      magnitude += Math.abs(value);
      if (value > max) {
        max = value;
        id = i;
      }
    }
    if (!Number.isFinite(magnitude))
      return { max, id, finite: false, total: Number.NaN, weighted: Number.NaN };
    // Sums of even and of odd ids apart: a kernel computes two at a time.
    const total: [number, number] = [0, 0];
    const weighted: [number, number] = [0, 0];
    for (let i = 0; i < logits.length; i++) {
      const x = ((logits[i] ?? 0) - max) / temperature;
      const weight = weightOf(x);
      weights[i] = weight;
      const lane = i & 1 ? 1 : 0;
      total[lane] += weight;
      // A weight of zero adds zero even where x is infinite.
      weighted[lane] += weight * Math.max(x, LOWEST);
    }
    return {
      max,
      id,
      finite: true,
      total: total[0] + total[1],
      weighted: weighted[0] + weighted[1],
    };
  },

  pick(weights, count, target) {
    let sum = 0;
    let last = 0;
    for (let id = 0; id < count; id++) {
      const weight = weights[id] ?? 0;
      if (weight === 0) continue;
      sum += weight;
      last = id;
      if (sum > target) return id;
    }
    return last;
  },
};

/** Sets the weights of ids that are not drawn from to zero; the sums over the others. */
function keep(
  logits: Float32Array,
  max: number,
  temperature: number,
  weights: Float64Array,
  cut: Cut,
): Sums {
  let total = 0;
  let weighted = 0;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id] ?? 0;
    const weight = weights[id] ?? 0;
    if (weight === 0) continue;
    if (logit < cut.logit || (logit === cut.logit && id > cut.id)) {
      weights[id] = 0;
      continue;
    }
    total += weight;
    weighted += weight * ((logit - max) / temperature);
  }
  return { total, weighted };
}

/**
 * Draws the next token from one row of logits: logits / temperature, then top-k, then top-p, then the
 * inverse of the distribution function over the ids that are left, in the order of ids.
 * @param u in [0, 1), see `drawNumber`
 * @param scratch at least as long as the vocabulary; overwritten
 */
export function draw(
  logits: Float32Array,
  sampling: Sampling,
  u: number,
  scratch: Float64Array = new Float64Array(logits.length),
  by: Weigher = HOST,
): Drawn {
  const { temperature } = sampling;
  const model = by.weigh(logits, 1, scratch);
  const { max, finite } = model;
  if (!finite)
    return { id: 0, logprob: 0, modelLogprob: 0, entropy: 0, modelEntropy: 0, finite: false };
  let { id } = model;
  let sums: Sums = model;
  if (temperature > 0) {
    if (temperature !== 1) sums = by.weigh(logits, temperature, scratch);
    const cut = cutOf(logits, max, sampling, scratch, sums.total);
    if (cut) sums = keep(logits, max, temperature, scratch, cut);
    id = by.pick(scratch, logits.length, u * sums.total);
  }
  const difference = (logits[id] ?? 0) - max;
  const [logTotal, logModel] = [logAtLeastOne(sums.total), logAtLeastOne(model.total)];
  return {
    id,
    logprob: difference / (temperature > 0 ? temperature : 1) - logTotal,
    modelLogprob: difference - logModel,
    entropy: logTotal - sums.weighted / sums.total,
    modelEntropy: logModel - model.weighted / model.total,
    finite: true,
  };
}
