import { z } from 'zod';
import type { Question } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { Curriculum, DrawnQuestion, Json } from '../../rl/contracts.ts';
import { Cycle } from '../../sampling/cycle.ts';
import { passRate } from '../../sampling/band.ts';
import { mostSpread, weaknessQuestions } from './choose.ts';

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

/** Steps of the first phase, and questions of One-Shot RLVR, where the settings name neither. */
export const PROBE_STEPS = 12;
const ONE = 1;

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
    { curriculum }: Pick<TrainSettings, 'curriculum'>,
    questions: readonly Question[],
    seed: number,
  ) {
    const { kind, pool, ids, count = ONE, probeSteps = PROBE_STEPS, added } = curriculum;
    this.#random = added === 'random';
    this.#kind = kind === 'weakness' ? 'weakness' : 'one-shot';
    this.#seed = seed;
    this.#count = count;
    const order = new Cycle(questions, seed);
    const shuffled = questions.map((_, i) => order.at(i));
    this.#pool = shuffled.slice(0, pool);
    this.#fresh = shuffled.slice(pool);
    this.#byId = new Map(questions.map((question) => [question.id, question]));
    const named = kind === 'one-shot' && ids !== undefined && ids.length > 0;
    this.#probeSteps = named ? 0 : probeSteps;
    this.#first = new Cycle(this.#pool, seed);
    if (named) this.#choose(ids.map((id) => this.#question(id)));
  }

  draw({ step, count }: { step: number; count: number }): Promise<DrawnQuestion[]> {
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
      `curriculum: question "${id}" is not a training question; name other ids, or leave curriculum.ids out`,
    );
  }
}
