import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import { Cycle } from '../../learn/cycle.ts';
import type { Params } from './system.ts';

/** UR²'s difficulty levels (arXiv 2508.06165, section 3.1.2) and how they are mixed. */

export const MIXED = ['hard', 'medium', 'easy'] as const;
type MixedBucket = (typeof MIXED)[number];
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

/**
 * The name of the next draw: the one furthest behind its share, the first of equals. Names without
 * questions leave theirs to the others in proportion; where all that have some have share 0, to these evenly.
 */
export function nextByShare<Name extends string>(
  names: readonly Name[],
  shareOf: (name: Name) => number,
  sizes: Readonly<Record<Name, number>>,
  drawn: Readonly<Record<Name, number>>,
): Name | null {
  const filled = names.filter((name) => sizes[name] > 0);
  const shared = filled.filter((name) => shareOf(name) > 0);
  const wanted = (shared.length > 0 ? shared : filled).map((name) => ({
    name,
    share: shared.length > 0 ? shareOf(name) : 1,
  }));
  const whole = wanted.reduce((sum, { share }) => sum + share, 0);
  const draws = wanted.reduce((sum, { name }) => sum + drawn[name], 1);
  let best: Name | null = null;
  let furthest = -Infinity;
  for (const { name, share } of wanted) {
    // In units of 1 / whole: exact for whole shares, so that equals are equal.
    const behind = share * draws - drawn[name] * whole;
    if (behind > furthest) [best, furthest] = [name, behind];
  }
  return best;
}

const count = z.int().min(0);
export const drawnSchema = z.strictObject({
  hard: count,
  medium: count,
  easy: count,
  dropped: count,
  all: count,
});
/** Draws made from each bucket, and from all together (stage 1 with `coldStart: all`). */
export type DrawnCounts = z.infer<typeof drawnSchema>;

export const noDraws = (): DrawnCounts => ({ hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 });

export interface Levelled {
  question: Question;
  label: Bucket;
}

/** Scored questions by level of difficulty, and the draws from them. */
export class LevelledQuestions {
  drawn = noDraws();
  readonly #coldStart: Params['coldStart'];
  readonly #mix: Mix;
  readonly #seed: number;
  readonly #buckets: Record<Bucket, Question[]> = { hard: [], medium: [], easy: [], dropped: [] };
  readonly #cycles = new Map<Bucket | 'all', Cycle<Levelled>>();

  /** @param scores one per question */
  constructor(
    { coldStart, mix }: { coldStart: Params['coldStart']; mix: Mix },
    questions: readonly Question[],
    scores: readonly number[],
    seed: number,
  ) {
    this.#coldStart = coldStart;
    this.#mix = mix;
    this.#seed = seed;
    questions.forEach((question, i) => {
      this.#buckets[bucketOf(itemAt(scores, i, 'scores'))].push(question);
    });
  }

  /** Questions that are drawn in the cold start, or outside of it. */
  size(coldStart: boolean): number {
    const { hard, medium, easy, dropped } = this.#buckets;
    const mixed = hard.length + medium.length + easy.length;
    if (!coldStart) return mixed;
    return this.#coldStart === 'all' ? mixed + dropped.length : dropped.length;
  }

  /** Those below 0.2 are drawn in the cold start alone, or where there are no others. */
  next(coldStart: boolean): Levelled {
    const name = this.#choose(coldStart);
    return this.#cycle(name).at(this.drawn[name]++);
  }

  #choose(coldStart: boolean): Bucket | 'all' {
    const buckets = this.#buckets;
    if (coldStart && this.#coldStart === 'all') return 'all';
    if (coldStart && buckets.dropped.length > 0) return 'dropped';
    const sizes = {
      hard: buckets.hard.length,
      medium: buckets.medium.length,
      easy: buckets.easy.length,
    };
    return nextBucket(this.#mix, sizes, this.drawn) ?? 'dropped';
  }

  #cycle(name: Bucket | 'all'): Cycle<Levelled> {
    const known = this.#cycles.get(name);
    if (known) return known;
    const labelled = Object.entries(this.#buckets) as [Bucket, Question[]][];
    const items = labelled
      .filter(([label]) => name === 'all' || label === name)
      .flatMap(([label, questions]) => questions.map((question) => ({ question, label })));
    const made = new Cycle(items, deriveSeed(this.#seed, 'bucket', name));
    this.#cycles.set(name, made);
    return made;
  }
}
