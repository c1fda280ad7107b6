import type { Sampling } from '../policy.ts';
import { expNonPositive, logAtLeastOne } from './numeric.ts';

export interface SampledToken {
  id: number;
  /** ln of the id's probability. */
  logprob: number;
  /** Entropy of the same distribution in nats. */
  entropy: number;
}

/**
 * The model gave logits that are no finite numbers, so nothing can be drawn. Sampling on would take ids
 * from a distribution that does not exist.
 */
export class NonFiniteLogits extends Error {
  override readonly name = 'NonFiniteLogits';

  static of(logits: Float32Array): NonFiniteLogits {
    const nan = logits.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
    const bad = logits.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
    return new NonFiniteLogits(
      `policy: ${bad} of ${logits.length} logits of the next token are no finite numbers ` +
        `(${nan} NaN, ${bad - nan} infinite). Its weights are broken, or a value outgrew 16-bit ` +
        'floats: check or import the checkpoint again, or choose the CPU, which computes in 32 bits',
    );
  }
}

/** Ids with the highest logits first; equal logits by id. */
function ranked(logits: Float32Array): Uint32Array {
  const ids = new Uint32Array(logits.length);
  for (let i = 0; i < ids.length; i++) ids[i] = i;
  return ids.sort((a, b) => logits[b]! - logits[a]! || a - b);
}

/**
 * Ids that top-k, then top-p leave, most likely first: the smallest set of the k most likely ones
 * whose share of their probability at this temperature reaches topP; at least one.
 */
function shortlist(logits: Float32Array, max: number, sampling: Sampling): Uint32Array {
  const order = ranked(logits);
  const kept = sampling.topK > 0 ? order.subarray(0, sampling.topK) : order;
  if (sampling.topP >= 1) return kept;
  const weight = (id: number): number => expNonPositive((logits[id]! - max) / sampling.temperature);
  let total = 0;
  for (const id of kept) total += weight(id);
  let sum = 0;
  for (let n = 0; n < kept.length; n++) {
    sum += weight(kept[n]!);
    if (sum >= sampling.topP * total) return kept.subarray(0, n + 1);
  }
  return kept;
}

/** The id at share `u` of the running sum of the weights of `ids`, or of all ids. */
function pick(weights: Float64Array, total: number, u: number, ids?: Uint32Array): number {
  const count = ids?.length ?? weights.length;
  const target = u * total;
  let sum = 0;
  let last = 0;
  for (let n = 0; n < count; n++) {
    const id = ids ? ids[n]! : n;
    const weight = weights[id]!;
    if (weight === 0) continue;
    sum += weight;
    last = id;
    if (sum > target) return id;
  }
  return last;
}

/** Σ exp(d) and Σ d · exp(d) over ids, with d = (logit − max) / temperature. */
interface Sums {
  total: number;
  weighted: number;
}

/** Writes exp(d) of `ids`, or of all ids, into `weights`. */
function weigh(
  logits: Float32Array,
  max: number,
  temperature: number,
  weights: Float64Array,
  ids?: Uint32Array,
): Sums {
  let total = 0;
  let weighted = 0;
  const count = ids?.length ?? logits.length;
  for (let n = 0; n < count; n++) {
    const id = ids ? ids[n]! : n;
    const difference = (logits[id]! - max) / temperature;
    const weight = expNonPositive(difference);
    weights[id] = weight;
    total += weight;
    weighted += weight * difference;
  }
  return { total, weighted };
}

/** @param difference d of the id */
function scored(id: number, difference: number, { total, weighted }: Sums): SampledToken {
  const logTotal = logAtLeastOne(total);
  return { id, logprob: difference - logTotal, entropy: logTotal - weighted / total };
}

/**
 * Draws the next token from one row of logits with the uniform number `u` in [0, 1).
 * @param scores as `GenerateOptions.scores`: the distribution that log-probability and entropy are of
 * @param scratch as long as the vocabulary; overwritten.
 * @throws NonFiniteLogits where any logit is NaN or infinite
 */
export function sampleToken(
  logits: Float32Array,
  sampling: Sampling,
  u: number,
  scratch: Float64Array,
  scores: 'sampling' | 'model' = 'sampling',
): SampledToken {
  let max = -Infinity;
  let greedy = 0;
  // Finite exactly where every logit is: a sum of float32 numbers cannot outgrow a double.
  let magnitude = 0;
  for (let i = 0; i < logits.length; i++) {
    const value = logits[i]!;
    magnitude += Math.abs(value);
    if (value > max) {
      max = value;
      greedy = i;
    }
  }
  if (!Number.isFinite(magnitude)) throw NonFiniteLogits.of(logits);
  const { temperature, topK, topP } = sampling;
  const ofModel = (id: number): SampledToken =>
    scored(id, logits[id]! - max, weigh(logits, max, 1, scratch));
  if (temperature === 0) return ofModel(greedy);
  const ids = topK > 0 || topP < 1 ? shortlist(logits, max, sampling) : undefined;
  const sums = weigh(logits, max, temperature, scratch, ids);
  const id = pick(scratch, sums.total, u, ids);
  const drawsFromModel = temperature === 1 && ids === undefined;
  if (scores === 'model' && !drawsFromModel) return ofModel(id);
  return scored(id, (logits[id]! - max) / temperature, sums);
}
