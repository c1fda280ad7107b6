import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { deriveSeed } from '../../base/random.ts';
import type { SettingsOverride } from '../../recipes/settings.ts';
import type { Curriculum, CurriculumContext, DrawnQuestion, Json } from '../rl/contracts.ts';
import { rewardById } from '../rewards/list.ts';
import type { TrainSettings } from '../../recipes/training.ts';
import { stageAt } from '../settings/stages.ts';
import { bucketOf, nextBucket, type Bucket } from './buckets.ts';
import { Cycle } from '../rl/cycle.ts';
import { scoreQuestions } from './score-questions.ts';
import { itemAt } from '../../base/items.ts';

const count = z.int().min(0);
const stateSchema = z.strictObject({
  /** s of the pool's questions, in its order; shorter than the pool while it is being scored. */
  scores: z.array(z.number().min(0).max(1)),
  /** Draws made from each bucket, and from the whole pool (stage 1 with `coldStart: all`). */
  drawn: z.strictObject({
    hard: count,
    medium: count,
    easy: count,
    dropped: count,
    all: count,
  }),
});
type State = z.infer<typeof stateSchema>;

const sampleOf = (questions: readonly Question[], size: number, seed: number): Question[] => {
  const cycle = new Cycle(questions, seed);
  return Array.from({ length: Math.min(size, questions.length) }, (_, i) => cycle.at(i));
};

/**
 * Nothing is retrieved, a recipe's background included. The policy is told that it cannot search; a
 * search is a fault, and its answer is asked for.
 */
const WITHOUT_RETRIEVAL: SettingsOverride = {
  retrieval: { maxSearches: 0 },
  background: { mode: 'off' },
};

/**
 * UR²'s difficulty-aware curriculum (arXiv 2508.06165, section 3.1.2). Before the first step a random
 * pool of questions is scored by repeated rollouts of the policy that the run begins with; steps then
 * draw hard, medium and easy questions by `mix`. Questions scored below 0.2 are drawn only in a stage
 * with UR²'s stage-1 reward, or where there are no others. The paper scores its whole training set
 * with another, larger model; here it is a pool, and the policy itself.
 */
export class DifficultyCurriculum implements Curriculum {
  readonly #settings: TrainSettings;
  readonly #seed: number;
  readonly #pool: readonly Question[];
  #state: State = { scores: [], drawn: { hard: 0, medium: 0, easy: 0, dropped: 0, all: 0 } };
  #buckets: Record<Bucket, Question[]> | null = null;
  readonly #cycles = new Map<Bucket | 'all', Cycle<{ question: Question; label: Bucket }>>();

  /** @throws Error without questions */
  constructor(settings: TrainSettings, questions: readonly Question[], seed: number) {
    this.#settings = settings;
    this.#seed = seed;
    this.#pool = sampleOf(questions, settings.curriculum.pool, deriveSeed(seed, 'pool'));
  }

  /** Questions of the pool that have no score yet, and the place of the first. */
  get unscored(): { from: number; questions: readonly Question[] } {
    const from = this.#state.scores.length;
    return { from, questions: this.#pool.slice(from) };
  }

  /** Takes the scores of the next questions of the pool. */
  addScores(more: readonly number[]): void {
    this.#state.scores.push(...more);
    this.#buckets = null;
    this.#cycles.clear();
  }

  prepare(context: CurriculumContext): Promise<boolean> {
    const { scores } = this.#state;
    if (scores.length === this.#pool.length) return Promise.resolve(true);
    return scoreQuestions(this.#settings, this.#pool, scores.length, context, async (more) => {
      this.addScores(more);
      await context.save();
    });
  }

  draw({ step, count: wanted }: { step: number; count: number }): Promise<DrawnQuestion[]> {
    if (this.#state.scores.length < this.#pool.length)
      return Promise.reject(new Error('curriculum: the questions are not scored yet'));
    const { stages } = this.#settings;
    const coldStart =
      rewardById(itemAt(stages, stageAt(stages, step), 'stages').reward)?.coldStart === true;
    return Promise.resolve(Array.from({ length: wanted }, () => this.#next(coldStart)));
  }

  state(): Json {
    return structuredClone(this.#state);
  }

  restore(state: Json): void {
    const parsed = stateSchema.parse(state);
    if (parsed.scores.length > this.#pool.length)
      throw new Error(
        `curriculum: ${parsed.scores.length} scores for a pool of ${this.#pool.length} questions`,
      );
    this.#state = parsed;
    this.#buckets = null;
    this.#cycles.clear();
  }

  #next(coldStart: boolean): DrawnQuestion {
    const name = this.#choose(coldStart);
    const { question, label } = this.#cycle(name).at(this.#state.drawn[name]++);
    const plain = this.#settings.curriculum.taskMixing && (label === 'medium' || label === 'easy');
    return { question, label, ...(plain ? { overrides: WITHOUT_RETRIEVAL } : {}) };
  }

  #choose(coldStart: boolean): Bucket | 'all' {
    const { coldStart: from, mix } = this.#settings.curriculum;
    const buckets = this.#sorted();
    if (coldStart && from === 'all') return 'all';
    if (coldStart && buckets.dropped.length > 0) return 'dropped';
    const sizes = {
      hard: buckets.hard.length,
      medium: buckets.medium.length,
      easy: buckets.easy.length,
    };
    return nextBucket(mix, sizes, this.#state.drawn) ?? 'dropped';
  }

  #sorted(): Record<Bucket, Question[]> {
    if (this.#buckets) return this.#buckets;
    const buckets: Record<Bucket, Question[]> = { hard: [], medium: [], easy: [], dropped: [] };
    this.#pool.forEach((question, i) => {
      buckets[bucketOf(itemAt(this.#state.scores, i, 'scores'))].push(question);
    });
    this.#buckets = buckets;
    return buckets;
  }

  #cycle(name: Bucket | 'all'): Cycle<{ question: Question; label: Bucket }> {
    const known = this.#cycles.get(name);
    if (known) return known;
    const labelled = Object.entries(this.#sorted()) as [Bucket, Question[]][];
    const items = labelled
      .filter(([label]) => name === 'all' || label === name)
      .flatMap(([label, questions]) => questions.map((question) => ({ question, label })));
    const made = new Cycle(items, deriveSeed(this.#seed, 'bucket', name));
    this.#cycles.set(name, made);
    return made;
  }
}
