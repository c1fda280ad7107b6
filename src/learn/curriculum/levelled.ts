import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { Cycle } from '../sampling/cycle.ts';
import { bucketOf, nextBucket, type Bucket, type Mix } from './buckets.ts';

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
  readonly #coldStart: TrainSettings['curriculum']['coldStart'];
  readonly #mix: Mix;
  readonly #seed: number;
  readonly #buckets: Record<Bucket, Question[]> = { hard: [], medium: [], easy: [], dropped: [] };
  readonly #cycles = new Map<Bucket | 'all', Cycle<Levelled>>();

  /** @param scores one per question */
  constructor(
    { coldStart, mix }: { coldStart: TrainSettings['curriculum']['coldStart']; mix: Mix },
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
