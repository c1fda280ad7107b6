import { itemAt } from '../../base/items.ts';
import { nextByShare } from './shares.ts';

/** UR²'s difficulty levels (arXiv 2508.06165, section 3.1.2) and how they are mixed. */

export const MIXED = ['hard', 'medium', 'easy'] as const;
export type MixedBucket = (typeof MIXED)[number];
/** `dropped`: below 0.2, too hard to learn the answer from; stage 1 begins with these (C.5). */
export type Bucket = MixedBucket | 'dropped';

/** The level of a question whose rollouts score `score` on average, 0 to 1. */
export function bucketOf(score: number): Bucket {
  if (score >= 0.8) return 'easy';
  if (score >= 0.5) return 'medium';
  return score >= 0.2 ? 'hard' : 'dropped';
}

/** Shares of hard, medium and easy questions, in any unit. */
export type Mix = readonly [hard: number, medium: number, easy: number];

type Counts = Readonly<Record<MixedBucket, number>>;

/**
 * The bucket of the next draw: the one furthest behind its share, the harder one of equals, so that
 * 7 : 2 : 1 holds exactly over every ten draws. The share of an empty bucket goes to the others in
 * proportion; where all that are not empty have share 0, to these evenly.
 *
 * @param sizes questions in each bucket
 * @param drawn draws made from each so far
 * @returns null where all three are empty
 */
export const nextBucket = (mix: Mix, sizes: Counts, drawn: Counts): MixedBucket | null =>
  nextByShare(MIXED, (name) => itemAt(mix, MIXED.indexOf(name), 'shares'), sizes, drawn);
