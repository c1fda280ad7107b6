import { joinedFloats } from '../../base/bytes.ts';

/** One token sequence to learn from. */
export interface TrainSequence {
  ids: ArrayLike<number>;
  /** Weight of predicting `ids[i]` from what precedes it, one per token; `weights[0]` is never used. */
  weights: ArrayLike<number>;
  /** What logits are divided by; 1 where absent. */
  temperature?: number;
  /** Tokens that went in as mixtures; absent: none. */
  latents?: Latents;
}

/** Tokens that the policy read mixed with what it had expected in their place (`latent/gates.ts`). */
export interface Latents {
  /** Places of the tokens in their sequence, rising. */
  positions: Int32Array;
  /** h of each, as the sampler computed it: [positions, hidden size]. */
  hidden: Float32Array;
}

/** Sequences end to end, without padding. */
export interface PackedBatch {
  /** [tokens] */
  ids: Int32Array;
  /** Lengths of the sequences, in order, or of their pieces; they sum to `tokens`. */
  lengths: Int32Array;
  /**
   * Of each piece the earlier one that it continues, −1: none. Absent: every piece is a whole sequence
   * (`shared-prefix.ts`).
   */
  after?: Int32Array;
  /** Rows whose next token has a weight other than 0: [targets] each. */
  rows: Int32Array;
  targets: Int32Array;
  weights: Float32Array;
  /** [targets], what the logits of each row are divided by; absent where that is 1 for all. */
  temperatures?: Float32Array;
  /** Those of all sequences, by place in `ids`; absent where there are none. */
  latents?: Latents;
}

/**
 * Joins sequences. Rows without weight never enter the output layer.
 * @throws Error where a sequence has not one weight per token; RangeError for a temperature of 0 or less
 */
export function packBatch(sequences: readonly TrainSequence[], weightScale = 1): PackedBatch {
  const lengths = Int32Array.from(sequences, (s) => s.ids.length);
  const ids = new Int32Array(lengths.reduce((a, b) => a + b, 0));
  const rows: number[] = [];
  const targets: number[] = [];
  const weights: number[] = [];
  const temperatures: number[] = [];
  const latents: { places: number[]; hidden: Float32Array[] } = { places: [], hidden: [] };
  let start = 0;
  for (const sequence of sequences) {
    if (sequence.weights.length !== sequence.ids.length)
      throw new Error('batch: a sequence needs one weight per token');
    const { temperature = 1 } = sequence;
    if (!(temperature > 0))
      throw new RangeError(`batch: logits cannot be divided by a temperature of ${temperature}`);
    ids.set(sequence.ids, start);
    for (let i = 1; i < sequence.ids.length; i++) {
      const weight = sequence.weights[i]!;
      if (weight === 0) continue;
      rows.push(start + i - 1);
      targets.push(sequence.ids[i]!);
      weights.push(weight * weightScale);
      temperatures.push(temperature);
    }
    for (const position of sequence.latents?.positions ?? []) latents.places.push(start + position);
    if (sequence.latents) latents.hidden.push(sequence.latents.hidden);
    start += sequence.ids.length;
  }
  return {
    ids,
    lengths,
    rows: Int32Array.from(rows),
    targets: Int32Array.from(targets),
    weights: Float32Array.from(weights),
    ...(temperatures.some((temperature) => temperature !== 1) && {
      temperatures: Float32Array.from(temperatures),
    }),
    ...(latents.places.length > 0 && {
      latents: { positions: Int32Array.from(latents.places), hidden: joinedFloats(latents.hidden) },
    }),
  };
}

/**
 * Cuts a list of sequences, in order, into runs of at most `packTokens` tokens each; a longer sequence is a run by itself.
 * @throws Error for one of more than `maxTokens`
 */
export function microBatches<S extends { ids: ArrayLike<number> }>(
  sequences: readonly S[],
  maxTokens: number,
  packTokens = maxTokens,
): S[][] {
  const runs: S[][] = [];
  let room = 0;
  for (const sequence of sequences) {
    const length = sequence.ids.length;
    if (length > maxTokens)
      throw new Error(`batch: a sequence has ${length} tokens, the limit is ${maxTokens}`);
    if (length > room) {
      runs.push([]);
      room = Math.max(packTokens, length);
    }
    runs.at(-1)!.push(sequence);
    room -= length;
  }
  return runs;
}

/** Deals sequences to workers so that their tokens are even: longest first, to the least loaded. */
export function shard<S extends { ids: ArrayLike<number> }>(
  sequences: readonly S[],
  workers: number,
): S[][] {
  const shards = Array.from({ length: workers }, () => ({ cost: 0, sequences: [] as S[] }));
  const order = sequences.map((_, i) => i);
  order.sort((a, b) => sequences[b]!.ids.length - sequences[a]!.ids.length || a - b);
  for (const i of order) {
    const least = shards.reduce((a, b) => (b.cost < a.cost ? b : a));
    least.sequences.push(sequences[i]!);
    least.cost += sequences[i]!.ids.length;
  }
  return shards.map((s) => s.sequences);
}

/** Most tokens of one call, and of one sequence in it. */
export interface TrainLimits {
  maxTokens: number;
  maxLength: number;
  /**
   * Most bytes that what all layers compute on the way forward may take, so that the way back finds it; where it is
   * more, each layer computes it again. What suits the device by default.
   */
  insideBytes?: number;
}
