import { z } from 'zod';
import { words } from '../../agent/answers/normalisers.ts';
import { itemAt } from '../../base/items.ts';
import type { Question } from '../../records/records.ts';
import { naiveAnswer } from '../../learn/frozen/answers.ts';
import type {
  Curriculum,
  CurriculumContext,
  DrawnQuestion,
  DrawRequest,
  Json,
} from '../../learn/rl/contracts.ts';
import { Cycle } from '../../learn/cycle.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import { UniformCurriculum } from '../../learn/rl/uniform.ts';
import type { Selection } from './system.ts';

/**
 * s3's choice of data (arXiv 2505.14146, section 3.3; code: pat-jj/s3): questions that one retrieval answers, and those whose
 * answer is yes, no, true or false, teach a searcher nothing and are left out. Theirs asks a model of 14 billion
 * parameters about the whole training set; here the policy as it begins answers a pool of it, greedily.
 */

const stateSchema = z.strictObject({
  /** Of the pool's questions so far, whether one retrieval answered them. */
  answered: z.array(z.boolean()),
  /** How far what is left is drawn; null before it is known. */
  inner: z.json(),
});

/** Questions that are asked together. */
const WAVE = 32;

const CLOSED = new Set(['yes', 'no', 'true', 'false']);
const isClosed = ({ answers }: Question): boolean =>
  answers.some((answer) => CLOSED.has(words(answer).join(' ')));

class LeavingOut implements Curriculum {
  readonly #asks: boolean;
  readonly #pool: readonly Question[];
  readonly #seed: number;
  #answered: boolean[] = [];
  #inner: UniformCurriculum | null = null;

  /** @throws Error where nothing is left */
  constructor({ pool, yesNo }: Selection, questions: readonly Question[], seed: number) {
    const open = yesNo ? questions.filter((question) => !isClosed(question)) : questions;
    if (open.length === 0)
      throw new Error('curriculum: all questions are answered by yes or no; set yesNo to false');
    this.#asks = pool !== null;
    const order = new Cycle(open, seed);
    this.#pool =
      pool === null
        ? open
        : Array.from({ length: Math.min(pool, open.length) }, (_, i) => order.at(i));
    this.#seed = seed;
    if (!this.#asks) this.#inner = new UniformCurriculum(open, seed);
  }

  async prepare(context: CurriculumContext): Promise<boolean> {
    while (!this.#inner) {
      const from = this.#answered.length;
      context.onProgress(from, this.#pool.length);
      if (from === this.#pool.length) this.#inner = this.#left();
      else if (context.shouldStop()) return false;
      else await this.#askSome(from, context);
    }
    return true;
  }

  draw(request: DrawRequest): Promise<DrawnQuestion[]> {
    if (!this.#inner)
      return Promise.reject(new Error('curriculum: the questions have not been asked yet'));
    return this.#inner.draw(request);
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

  #left(): UniformCurriculum {
    const left = this.#pool.filter((_, i) => !this.#asks || !itemAt(this.#answered, i, 'answers'));
    if (left.length > 0) return new UniformCurriculum(left, this.#seed);
    throw new Error(
      `curriculum: one retrieval answers all ${this.#pool.length} questions of the pool; set a larger pool, or pool to null`,
    );
  }
}

export const curriculum = (
  selection: Selection,
  { questions, seed }: CurriculumGround,
): Curriculum => new LeavingOut(selection, questions, seed);
