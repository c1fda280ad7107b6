import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { CurriculumContext, DrawnQuestion, Json } from '../../learn/rl/contracts.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { scoreQuestions, type ScoredCurriculum } from '../../learn/curriculum/score-questions.ts';
import { Cycle } from '../../learn/cycle.ts';
import { rewardById } from '../../learn/rewards/registry.ts';
import { stageAt } from '../../learn/schedule.ts';
import type { Params } from './system.ts';
import {
  drawnSchema,
  LevelledQuestions,
  nextByShare,
  noDraws,
  type Bucket,
  type Mix,
} from './levelled.ts';

/**
 * UR²'s task mixing (arXiv 2508.06165, section 3.1.2): which task a question is, and which of its draws
 * may retrieve. In the paper 3,000 questions each of mathematics, open-domain QA and MedQA (4.1).
 */

export const TASKS = ['qa', 'arithmetic', 'choice'] as const;
export type Task = (typeof TASKS)[number];
type Shares = Readonly<Record<Task, number>>;

/**
 * `choice` has options; `arithmetic` is answered by a number that is computed, of what the question gives
 * or of what is looked up; anything else is `qa`.
 */
export function taskOf({ options = [], type }: Pick<Question, 'options' | 'type'>): Task {
  if (options.length > 0) return 'choice';
  return type === 'arithmetic' || type === 'computation' ? 'arithmetic' : 'qa';
}

/** How many of a pool of `size` come from each task: by its share, as far as there are questions. */
export function poolSizes(
  shares: Shares,
  available: Readonly<Record<Task, number>>,
  size: number,
): Record<Task, number> {
  const taken: Record<Task, number> = { qa: 0, arithmetic: 0, choice: 0 };
  for (let drawn = 0; drawn < size; drawn++) {
    const left = {
      qa: available.qa - taken.qa,
      arithmetic: available.arithmetic - taken.arithmetic,
      choice: available.choice - taken.choice,
    };
    const next = nextByShare(TASKS, (task) => shares[task], left, taken);
    if (next === null) break;
    taken[next]++;
  }
  return taken;
}

/** How a task's draws so far divide. */
export interface Divided {
  retrieving: number;
  plain: number;
}

/**
 * Whether a draw may retrieve. Retrieval QA always may, since its facts have to be looked up; arithmetic
 * where it is hard; of multiple choice hard ones, until they are half of all draws of it. Questions of the
 * cold start always may: it teaches to search.
 */
export function retrievalAllowed(task: Task, bucket: Bucket, sofar: Divided): boolean {
  if (bucket === 'dropped' || task === 'qa') return true;
  if (bucket !== 'hard') return false;
  return task === 'arithmetic' || sofar.retrieving <= sofar.plain;
}

/** Questions by task, in their order. */
export const byTask = <Q extends Question>(questions: readonly Q[]): Record<Task, Q[]> => ({
  qa: questions.filter((one) => taskOf(one) === 'qa'),
  arithmetic: questions.filter((one) => taskOf(one) === 'arithmetic'),
  choice: questions.filter((one) => taskOf(one) === 'choice'),
});

const count = z.int().min(0);
const scores = z.array(z.number().min(0).max(1));
const taskDrawsSchema = z.strictObject({ drawn: drawnSchema, retrieving: count, plain: count });
const stateSchema = z.union([
  z.strictObject({
    /** s of the pool's questions, in its order; shorter than the pool while it is being scored. */
    scores,
    drawn: drawnSchema,
  }),
  /** With `tasks`: draws of each task, and how those outside the cold start divide. */
  z.strictObject({
    scores,
    tasks: z.strictObject({
      qa: taskDrawsSchema,
      arithmetic: taskDrawsSchema,
      choice: taskDrawsSchema,
    }),
  }),
]);

const sampleOf = (questions: readonly Question[], size: number, seed: number): Question[] => {
  const most = Math.min(size, questions.length);
  if (most === 0) return [];
  const cycle = new Cycle(questions, seed);
  return Array.from({ length: most }, (_, i) => cycle.at(i));
};

/** A pool of questions: at random, or by the shares of their tasks. */
function poolOf({ pool, tasks }: Params, questions: readonly Question[], seed: number): Question[] {
  if (questions.length === 0) throw new Error('curriculum: there are no questions');
  if (!tasks) return sampleOf(questions, pool, deriveSeed(seed, 'pool'));
  const split = byTask(questions);
  const available = {
    qa: split.qa.length,
    arithmetic: split.arithmetic.length,
    choice: split.choice.length,
  };
  const sizes = poolSizes(tasks, available, pool);
  return TASKS.flatMap((task) =>
    sampleOf(split[task], sizes[task], deriveSeed(seed, 'pool', task)),
  );
}

/** A name for all questions where tasks are not distinguished. */
type Part = Task | 'whole';

/** Without tasks all questions have the shares of retrieval QA. */
const mixOf = ({ mix }: Params, part: Part): Mix =>
  Array.isArray(mix) ? mix : mix[part === 'whole' ? 'qa' : part];

interface PartOfPool {
  levels: LevelledQuestions;
  retrieving: number;
  plain: number;
}

/**
 * UR²'s difficulty-aware curriculum (arXiv 2508.06165, section 3.1.2). Before the first step a random
 * pool of questions is scored by repeated rollouts of the policy that the run begins with; steps then
 * draw hard, medium and easy questions by `mix`, tasks by `tasks`. Questions scored below 0.2 are
 * drawn only in a stage with UR²'s stage-1 reward, or where there are no others. The paper scores its
 * whole training set with another, larger model; here it is a pool, and the policy itself.
 */
export class DifficultyCurriculum implements ScoredCurriculum {
  readonly #settings: TrainSettings;
  readonly #params: Params;
  readonly #seed: number;
  readonly #pool: readonly Question[];
  #scores: number[] = [];
  #parts: Map<Part, PartOfPool> | null = null;

  /** @throws Error without questions */
  constructor(
    params: Params,
    { settings, questions, seed }: Pick<CurriculumGround, 'settings' | 'questions' | 'seed'>,
  ) {
    this.#settings = settings;
    this.#params = params;
    this.#seed = seed;
    this.#pool = poolOf(params, questions, seed);
  }

  get unscored(): ScoredCurriculum['unscored'] {
    const from = this.#scores.length;
    return { from, questions: this.#pool.slice(from), size: this.#params.scoringRollouts };
  }

  addScores(more: readonly number[]): void {
    this.#scores.push(...more);
    this.#parts = null;
  }

  prepare(context: CurriculumContext): Promise<boolean> {
    if (this.#scores.length === this.#pool.length) return Promise.resolve(true);
    const from = this.#scores.length;
    const pool = { questions: this.#pool, size: this.#params.scoringRollouts, from };
    return scoreQuestions(this.#settings, pool, context, async (more) => {
      this.addScores(more);
      await context.save();
    });
  }

  draw({ step, count: wanted }: { step: number; count: number }): Promise<DrawnQuestion[]> {
    if (this.#scores.length < this.#pool.length)
      return Promise.reject(new Error('curriculum: the questions have not been scored yet'));
    const { stages } = this.#settings;
    const coldStart =
      rewardById(itemAt(stages, stageAt(stages, step), 'stages').reward)?.coldStart === true;
    return Promise.resolve(Array.from({ length: wanted }, () => this.#next(coldStart)));
  }

  state(): Json {
    const { tasks } = this.#params;
    const of = (part: Part): z.infer<typeof taskDrawsSchema> => {
      const { levels, retrieving = 0, plain = 0 } = this.#parts?.get(part) ?? {};
      return { drawn: { ...(levels?.drawn ?? noDraws()) }, retrieving, plain };
    };
    const known = { scores: [...this.#scores] };
    if (!tasks) return { ...known, drawn: of('whole').drawn };
    return {
      ...known,
      tasks: { qa: of('qa'), arithmetic: of('arithmetic'), choice: of('choice') },
    };
  }

  restore(state: Json): void {
    const parsed = stateSchema.parse(state);
    if (parsed.scores.length > this.#pool.length)
      throw new Error(
        `curriculum: ${parsed.scores.length} scores for a pool of ${this.#pool.length} questions`,
      );
    if ('tasks' in parsed !== Boolean(this.#params.tasks))
      throw new Error('curriculum: a state of draws by task, and settings without, or the reverse');
    this.#scores = [...parsed.scores];
    this.#parts = null;
    // While questions are being scored none was drawn.
    if (parsed.scores.length < this.#pool.length) return;
    for (const [part, into] of this.#levelled()) {
      if ('drawn' in parsed) into.levels.drawn = { ...parsed.drawn };
      else if (part !== 'whole') {
        const { drawn, ...divided } = parsed.tasks[part];
        Object.assign(into, divided);
        into.levels.drawn = { ...drawn };
      }
    }
  }

  #next(coldStart: boolean): DrawnQuestion {
    const [part, from] = this.#choosePart(coldStart);
    const { question, label } = from.levels.next(coldStart);
    const allowed = this.#allowed(part, label, from);
    if (!coldStart) from[allowed ? 'retrieving' : 'plain']++;
    return { question: allowed ? question : { ...question, mayRetrieve: false }, label };
  }

  #allowed(part: Part, label: Bucket, sofar: PartOfPool): boolean {
    if (!this.#params.taskMixing) return true;
    if (part === 'whole') return label === 'hard' || label === 'dropped';
    return retrievalAllowed(part, label, sofar);
  }

  /** Where the next draw comes from: tasks by their shares, as far as they have questions for it. */
  #choosePart(coldStart: boolean): [Part, PartOfPool] {
    const parts = this.#levelled();
    const { tasks } = this.#params;
    const found = (part: Part): PartOfPool => {
      const one = parts.get(part);
      if (!one) throw new Error(`curriculum: no questions of ${part}`);
      return one;
    };
    if (!tasks) return ['whole', found('whole')];
    const sizeOf = (cold: boolean, task: Task): number => found(task).levels.size(cold);
    const sizes = (of: (task: Task) => number): Record<Task, number> => ({
      qa: of('qa'),
      arithmetic: of('arithmetic'),
      choice: of('choice'),
    });
    const draws = sizes((task) =>
      Object.values(found(task).levels.drawn).reduce((sum, n) => sum + n, 0),
    );
    // Where nothing was dropped, the cold start draws what there is; where all was, so does stage 2.
    const order = coldStart ? [true, false] : [false, true];
    for (const cold of order) {
      const next = nextByShare(
        TASKS,
        (task) => tasks[task],
        sizes((task) => sizeOf(cold, task)),
        draws,
      );
      if (next !== null) return [next, found(next)];
    }
    throw new Error('curriculum: there are no questions');
  }

  #levelled(): Map<Part, PartOfPool> {
    if (this.#parts) return this.#parts;
    const scored = this.#pool.map((question, i) => ({
      question,
      score: itemAt(this.#scores, i, 'scores'),
    }));
    const partOf = (part: Part): PartOfPool => {
      const own = scored.filter(({ question }) => part === 'whole' || taskOf(question) === part);
      const levels = new LevelledQuestions(
        { coldStart: this.#params.coldStart, mix: mixOf(this.#params, part) },
        own.map(({ question }) => question),
        own.map(({ score }) => score),
        part === 'whole' ? this.#seed : deriveSeed(this.#seed, 'task', part),
      );
      return { levels, retrieving: 0, plain: 0 };
    };
    const names: readonly Part[] = this.#params.tasks ? TASKS : ['whole'];
    this.#parts = new Map(names.map((name) => [name, partOf(name)]));
    return this.#parts;
  }
}

export const curriculum = (params: Params, ground: CurriculumGround): DifficultyCurriculum =>
  new DifficultyCurriculum(params, ground);
