import { KeyedRandom } from '../../base/random.ts';
import type { TokenizedTrajectory } from './trajectory.ts';

/**
 * A sequence for the first phase of training: a few spans of random tokens, each repeated several
 * times in random order. Only a repeat can be predicted, so that is what the mask (1) trains: the
 * attention pattern "find what I just wrote, copy what followed".
 *
 * @param tokens ids to draw from (ordinary tokens only)
 * @param length length of the sequence in tokens
 */
export const copySpans = (
  rng: KeyedRandom,
  tokens: readonly number[],
  length: number,
): TokenizedTrajectory => {
  const ids: number[] = [];
  const mask: (0 | 1)[] = [];
  const spans: number[][] = [];
  while (ids.length < length) {
    const known = spans.length > 0 && rng.chance(0.6) ? rng.pick(spans) : undefined;
    const span = known ?? Array.from({ length: rng.between(3, 14) }, () => rng.pick(tokens));
    if (!known) spans.push(span);
    span.forEach((id, i) => {
      ids.push(id);
      // The first token of a repeat cannot be known before it is seen.
      mask.push(known && i > 0 ? 1 : 0);
    });
  }
  return { ids: ids.slice(0, length), mask: mask.slice(0, length) };
};

/** Ids of the ordinary tokens of a vocabulary whose first ids are special. */
export const ordinaryTokens = (vocabSize: number, specials: number): number[] =>
  Array.from({ length: vocabSize - specials }, (_, i) => specials + i);

export const spansRng = (seed: number, index: number): KeyedRandom =>
  new KeyedRandom(seed, 3, index);
