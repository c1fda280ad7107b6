import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { POOL, PROBE_STEPS, type OneShot, type Weakness } from './define.ts';
import type { Curriculum, DrawnQuestion, DrawRequest, Json } from '../../learn/rl/contracts.ts';
import { Cycle } from '../../learn/cycle.ts';
import { passRate } from '../../learn/band.ts';
import { mean } from '../../base/statistics.ts';
import { groupBy } from '../../base/items.ts';

/** What accuracies of a question over epochs tell of it. */

/**
 * One-Shot RLVR (arXiv 2504.20571) ranks questions by the variance of their accuracy over the epochs of an earlier run,
 * its code by the deviation (biased): the same order.
 */
export function spread(accuracies: readonly number[]): number {
  if (accuracies.length === 0) return 0;
  const middle = mean(accuracies);
  return Math.sqrt(mean(accuracies.map((one) => (one - middle) ** 2)));
}

/** Slope of the line of least squares through the accuracies, by epoch. */
function slope(accuracies: readonly number[]): number {
  const middle = (accuracies.length - 1) / 2;
  return accuracies.reduce((sum, one, epoch) => sum + (epoch - middle) * one, 0);
}

/** Best accuracy that a weakness may have had; the paper's threshold was not available. */
const MASTERED = 0.5;

/** SwS (arXiv 2506.08989): a question that was never mastered and does not improve. */
export const isWeakness = (accuracies: readonly number[]): boolean =>
  accuracies.length > 0 && Math.max(...accuracies) <= MASTERED && slope(accuracies) <= 0;

/** SwS: how many questions of each category to make, in proportion to its share of weaknesses, rounded down. */
export function weaknessBudget(failRatios: readonly number[], budget: number): number[] {
  const sum = failRatios.reduce((total, ratio) => total + ratio, 0);
  return failRatios.map((ratio) => (sum === 0 ? 0 : Math.floor((budget * ratio) / sum)));
}

/** What is trained on after the steps that tell questions apart. */

/** Accuracies of a question, epoch by epoch, by its id. */
type History = Readonly<Record<string, readonly number[]>>;

/** One-Shot RLVR: the questions whose accuracy spread most, in the order of the pool among equals. */
export const mostSpread = (
  pool: readonly Question[],
  history: History,
  count: number,
): Question[] =>
  [...pool]
    .sort((a, b) => spread(history[b.id] ?? []) - spread(history[a.id] ?? []))
    .slice(0, count);

/** SwS's category: form, hops and the relation that is asked for last. */
export const categoryOf = ({ type, hops, composition = '' }: Question): string =>
  `${type ?? ''} ${hops ?? ''} ${composition.split('>').at(-1) ?? ''}`;

/**
 * SwS: further questions of the categories in which the policy is weak, as many of each as its share of weaknesses.
 * @param fresh questions that the pool does not hold
 * @param budget all of them together, at most
 */
export function weaknessQuestions(
  pool: readonly Question[],
  fresh: readonly Question[],
  history: History,
  budget: number,
): Question[] {
  const byCategory = groupBy(pool, categoryOf);
  const categories = [...byCategory.keys()];
  const ratios = [...byCategory.values()].map(
    (own) => own.filter(({ id }) => isWeakness(history[id] ?? [])).length / own.length,
  );
  const counts = weaknessBudget(ratios, budget);
  const ofFresh = groupBy(fresh, categoryOf);
  return categories.flatMap((name, i) => ofFresh.get(name)?.slice(0, counts[i]) ?? []);
}

/**
 * Curricula that look at a pool of questions first and then choose.
 * - One-Shot RLVR (arXiv 2504.20571): one question, or a few, fills every batch. Difference: their accuracies come from an
 *   earlier whole run; here from the first steps of this one, unless the questions are named.
 * - SwS (arXiv 2506.08989): after a first phase the pool is joined by further questions of its weak categories. Difference:
 *   a language model writes theirs, eight samples vote on the answer; here they come from the generator, answers certain.
 */

const stateSchema = z.strictObject({
  drawn: z.int().min(0),
  later: z.int().min(0),
  history: z.record(z.string(), z.array(z.number().min(0).max(1))),
  chosen: z.array(z.string()).nullable(),
});

export class HistoryCurriculum implements Curriculum {
  readonly #kind: 'one-shot' | 'weakness';
  readonly #random: boolean;
  readonly #pool: readonly Question[];
  readonly #fresh: readonly Question[];
  readonly #byId: ReadonlyMap<string, Question>;
  readonly #seed: number;
  readonly #count: number;
  readonly #probeSteps: number;
  readonly #first: Cycle<Question>;
  #drawn = 0;
  /** Draws of the second phase. */
  #later = 0;
  #history: Record<string, number[]> = {};
  #chosen: readonly Question[] | null = null;
  #then: Cycle<Question> | null = null;

  /** @throws Error without questions, or where a named one is not among them */
  constructor(
    kind: 'one-shot' | 'weakness',
    { pool = POOL, ids = [], count = 1, probeSteps = PROBE_STEPS, added }: OneShot & Weakness,
    { questions, seed }: Pick<CurriculumGround, 'questions' | 'seed'>,
  ) {
    this.#random = added === 'random';
    this.#kind = kind;
    this.#seed = seed;
    this.#count = count;
    const order = new Cycle(questions, seed);
    const shuffled = questions.map((_, i) => order.at(i));
    this.#pool = shuffled.slice(0, pool);
    this.#fresh = shuffled.slice(pool);
    this.#byId = new Map(questions.map((question) => [question.id, question]));
    const named = kind === 'one-shot' && ids.length > 0;
    this.#probeSteps = named ? 0 : probeSteps;
    this.#first = new Cycle(this.#pool, seed);
    if (named) this.#choose(ids.map((id) => this.#question(id)));
  }

  draw({ step, count }: Pick<DrawRequest, 'step' | 'count'>): Promise<DrawnQuestion[]> {
    const probing = step <= this.#probeSteps;
    if (!probing && !this.#chosen) this.#choose(this.#chosenNow());
    return Promise.resolve(
      Array.from({ length: count }, () => {
        const question = probing ? this.#first.at(this.#drawn++) : this.#then?.at(this.#later++);
        if (!question) throw new Error('curriculum: no question was chosen to continue with');
        return { question, label: probing ? 'probe' : this.#kind };
      }),
    );
  }

  observe(groups: readonly (readonly Rollout[])[]): void {
    if (this.#chosen) return;
    for (const group of groups) {
      const id = group[0]?.question.id;
      if (id !== undefined) (this.#history[id] ??= []).push(passRate(group));
    }
  }

  state(): Json {
    return {
      drawn: this.#drawn,
      later: this.#later,
      history: structuredClone(this.#history),
      chosen: this.#chosen?.map(({ id }) => id) ?? null,
    };
  }

  restore(state: Json): void {
    const { drawn, later, history, chosen } = stateSchema.parse(state);
    [this.#drawn, this.#later, this.#history] = [drawn, later, history];
    if (chosen) this.#choose(chosen.map((id) => this.#question(id)));
  }

  #chosenNow(): Question[] {
    if (this.#kind === 'one-shot') return mostSpread(this.#pool, this.#history, this.#count);
    const more = weaknessQuestions(this.#pool, this.#fresh, this.#history, this.#pool.length);
    // Those after the pool are in the order of the seed.
    return [...this.#pool, ...(this.#random ? this.#fresh.slice(0, more.length) : more)];
  }

  #choose(chosen: readonly Question[]): void {
    this.#chosen = chosen;
    this.#then = new Cycle(chosen, this.#seed);
  }

  #question(id: string): Question {
    const found = this.#byId.get(id);
    if (found) return found;
    throw new Error(
      `curriculum: question "${id}" is not a training question; name other ids, or leave curriculum.system.ids out`,
    );
  }
}
