import { z } from 'zod';
import { words } from '../../agent/answers/normalisers.ts';
import { itemAt } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Question } from '../../records/records.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { naiveAnswer } from '../frozen/answers.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type {
  Curriculum,
  CurriculumContext,
  DrawnQuestion,
  DrawRequest,
  Json,
} from '../rl/contracts.ts';
import { Cycle } from '../cycle.ts';

/**
 * s3's choice of data (arXiv 2505.14146, section 3.3; code: pat-jj/s3): questions that one retrieval answers, and those whose
 * answer is yes, no, true or false, teach a searcher nothing and are left out. Theirs asks a model of 14 billion
 * parameters about the whole training set; here the policy as it begins answers a pool of it, greedily. Any curriculum draws
 * from what is left.
 */

type LeaveOut = NonNullable<TrainSettings['curriculum']['leaveOut']>;

const stateSchema = z.strictObject({
  /** Of the pool's questions so far, whether one retrieval answered them. */
  answered: z.array(z.boolean()),
  /** State of the curriculum over what is left; null before there is one. */
  inner: z.json(),
});

/** Questions that are asked together. */
const WAVE = 32;

const CLOSED = new Set(['yes', 'no', 'true', 'false']);
const isClosed = ({ answers }: Question): boolean =>
  answers.some((answer) => CLOSED.has(words(answer).join(' ')));

export class LeavingOut implements Curriculum {
  readonly #asks: boolean;
  readonly #pool: readonly Question[];
  readonly #make: (questions: readonly Question[]) => Curriculum;
  #answered: boolean[] = [];
  #inner: Curriculum | null = null;

  /**
   * @param make the curriculum over what is left
   * @throws Error where nothing is left
   */
  constructor(
    leaveOut: LeaveOut,
    { questions, pool, seed }: { questions: readonly Question[]; pool: number; seed: number },
    make: (questions: readonly Question[]) => Curriculum,
  ) {
    const open = leaveOut.includes('yes-no')
      ? questions.filter((question) => !isClosed(question))
      : questions;
    if (open.length === 0)
      throw new Error(
        'curriculum: all questions are answered by yes or no; set leaveOut without yes-no',
      );
    this.#asks = leaveOut.includes('one-retrieval');
    const order = new Cycle(open, seed);
    this.#pool = this.#asks
      ? Array.from({ length: Math.min(pool, open.length) }, (_, i) => order.at(i))
      : open;
    this.#make = make;
    if (!this.#asks) this.#inner = make(open);
  }

  async prepare(context: CurriculumContext): Promise<boolean> {
    while (!this.#inner) {
      const from = this.#answered.length;
      context.onProgress(from, this.#pool.length);
      if (from === this.#pool.length) this.#inner = this.#left();
      else if (context.shouldStop()) return false;
      else await this.#askSome(from, context);
    }
    return (await this.#inner.prepare?.(context)) ?? true;
  }

  draw(request: DrawRequest): Promise<DrawnQuestion[]> {
    if (!this.#inner)
      return Promise.reject(new Error('curriculum: the questions have not been asked yet'));
    return this.#inner.draw(request);
  }

  observe(groups: readonly (readonly Rollout[])[]): void {
    this.#inner?.observe?.(groups);
  }

  heldOut(): SettingsOverride {
    return this.#inner?.heldOut?.() ?? {};
  }

  state(): Json {
    return { answered: [...this.#answered], inner: this.#inner?.state() ?? null };
  }

  restore(state: Json): void {
    const { answered, inner } = stateSchema.parse(state);
    this.#answered = answered;
    if (inner === null) return;
    this.#inner ??= this.#left();
    this.#inner.restore(inner);
  }

  async #askSome(from: number, context: CurriculumContext): Promise<void> {
    const { agent, signal } = context;
    const some = this.#pool.slice(from, from + WAVE);
    const found = await Promise.all(
      some.map((question) => naiveAnswer(agent, question, signal && { signal })),
    );
    signal?.throwIfAborted();
    this.#answered.push(...found.map(({ holds }) => holds === 1));
    await context.save();
  }

  #left(): Curriculum {
    const left = this.#pool.filter((_, i) => !this.#asks || !itemAt(this.#answered, i, 'answers'));
    if (left.length > 0) return this.#make(left);
    throw new Error(
      `curriculum: one retrieval answers all ${this.#pool.length} questions of the pool; set a larger curriculum.pool, or curriculum.leaveOut without one-retrieval`,
    );
  }
}
