import type { Question, ChainStep } from '../../records/records.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import type { Retriever, Retrieval } from '../../retrieval/retriever.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import type { Curriculum } from '../../learn/rl/contracts.ts';
import type { Params } from './system.ts';
import { UniformCurriculum } from '../../learn/rl/uniform.ts';
import type { Hit, SearchTarget } from '../../records/hits.ts';
import { f1Score } from '../../agent/answers/scores.ts';
import { NoisyRetriever } from '../../learn/curriculum/noisy-retriever.ts';

/** What one rollout of a batch has searched. */
interface Row<T> {
  of: T;
  searches: number;
  over: boolean;
}

/** One rollout's part in the rounds. */
interface Member<T> {
  /** Waits until all that began before it have searched as often or ended. @returns whom its search is answered for */
  search(): Promise<T>;
  /** It has ended. */
  leave(): void;
}

/**
 * Searches of a batch in rounds, as ZeroSearch's released code answers them (Alibaba-NLP/ZeroSearch,
 * llm_agent/generation.py, `batch_search`): the queries of a round are those of the rollouts that search in it, but
 * question and answer are taken by place in the whole batch, so that the j-th of them is answered for the batch's j-th
 * rollout. A rollout's n-th search is of round n. One that begins when all others have ended begins the next batch.
 */
export class SearchRounds<T> {
  #rows: Row<T>[] = [];
  #waiting: (() => void)[] = [];

  /** The next rollout of the batch. @param of what its own searches are about */
  join(of: T): Member<T> {
    if (this.#rows.every(({ over }) => over)) this.#rows = [];
    const rows = this.#rows;
    const row: Row<T> = { of, searches: 0, over: false };
    const before = rows.slice();
    rows.push(row);
    return {
      search: async () => {
        const round = ++row.searches;
        this.#goOn();
        while (before.some(({ over, searches }) => !over && searches < round)) await this.#change();
        const place = before.filter(({ searches }) => searches >= round).length;
        return rows[place]?.of ?? of;
      },
      leave: () => {
        row.over = true;
        this.#goOn();
      },
    };
  }

  /** Until some rollout has searched or ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #goOn(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/**
 * ZeroSearch's noise rate at step i of m (arXiv 2505.04588, equation of its curriculum):
 * p_i = p_s + (b^{i/m} − 1) / (b − 1) · (p_e − p_s), and p_e from step m on.
 */
export function noiseRate(
  step: number,
  steps: number,
  { start, end, base }: { start: number; end: number; base: number },
): number {
  const share = Math.min(1, step / steps);
  return start + ((base ** share - 1) / (base - 1)) * (end - start);
}

/** How far down the list a gold passage is looked for. */
const DEPTH = 20;

/**
 * What is in for ZeroSearch's simulator: a search brings either what the step asked for needs, or noise, by one
 * draw for each search. The paper uses a language model that sees question and answer and writes documents; this one
 * looks up passages that are there. It knows the gold chain, so it is only for training.
 */
export class SimulatedRetriever implements Retriever {
  readonly #base: Retriever;
  readonly #noisy: Retriever;
  readonly #chain: readonly ChainStep[];
  readonly #rate: number;
  readonly #seed: number;

  /** @param rate probability with which a search brings noise, 0 to 1 */
  constructor(base: Retriever, question: Question, rate: number, seed: number) {
    this.#base = base;
    this.#chain = question.chain ?? [];
    this.#rate = rate;
    this.#seed = seed;
    const { supporting } = question;
    this.#noisy = new NoisyRetriever(base, { strength: 1, seed, supporting });
  }

  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    // Useful iff u > p: the same query meets the same fate, for all of a group.
    const useful = uniform(deriveSeed(this.#seed, 'useful', query)) > this.#rate;
    if (!useful) return this.#noisy.search(source, query, k, signal);
    const found = await this.#base.search(source, query, k, signal);
    const step = this.#nearest(query);
    const gold = step && (await this.#gold(step, found.hits, signal));
    if (!gold || found.hits.some(({ passage }) => passage.id === gold.passage.id)) return found;
    return { ...found, hits: [gold, ...found.hits].slice(0, k) };
  }

  /** The step whose gold query is most like this one. */
  #nearest(query: string): ChainStep | undefined {
    let best: ChainStep | undefined;
    let most = 0;
    for (const step of this.#chain) {
      const likeness = f1Score(query, [step.query]);
      if (likeness <= most) continue;
      most = likeness;
      best = step;
    }
    return best;
  }

  /** A passage that states the step, found by its title where the query did not bring it. */
  async #gold(
    { title, passageId, passageIds = [passageId] }: ChainStep,
    shown: readonly Hit[],
    signal?: AbortSignal,
  ): Promise<Hit | undefined> {
    const isGold = ({ passage }: Hit): boolean => passageIds.includes(passage.id);
    const here = shown.find(isGold);
    if (here) return here;
    const { hits } = await this.#base.search('both', title, DEPTH, signal);
    return hits.find(isGold);
  }
}

/**
 * The simulator of one question in a batch whose rollouts search in rounds: as in the released code, it may get the
 * question of another. Outside a rollout it gets its own.
 */
export class SimulatedByPlace implements Retriever {
  readonly #told: (question: Question) => Retriever;
  readonly #own: Question;
  readonly #rounds: SearchRounds<Question>;

  /** @param told makes the simulator of a question */
  constructor(
    told: (question: Question) => Retriever,
    own: Question,
    rounds: SearchRounds<Question>,
  ) {
    this.#told = told;
    this.#own = own;
    this.#rounds = rounds;
  }

  join(): { retriever: Retriever; leave: () => void } {
    const member = this.#rounds.join(this.#own);
    const search: Retriever['search'] = async (source, query, k, signal) =>
      this.#told(await member.search()).search(source, query, k, signal);
    return { retriever: { search }, leave: () => member.leave() };
  }

  search: Retriever['search'] = (source, query, k, signal) =>
    this.#told(this.#own).search(source, query, k, signal);
}

/** ZeroSearch's constants (its code): noise from 0 to one half, growing by powers of 4. */
const SCHEDULE = { start: 0, end: 0.5, base: 4 } as const;

/**
 * ZeroSearch's curriculum (arXiv 2505.04588): questions as they come, searched by a simulated engine whose noise
 * grows over the run.
 */
export function curriculum(
  { simulator }: Params,
  { settings, questions, retriever, seed: base }: CurriculumGround,
): Curriculum {
  return new UniformCurriculum(questions, base, (drawn, { step, batch }) => {
    const rate = noiseRate(step, settings.steps, SCHEDULE);
    const rounds = new SearchRounds<Question>();
    return drawn.map((question, i) => {
      const seed = deriveSeed(base, 'simulated', step, batch, i);
      const told = (of: Question): Retriever => new SimulatedRetriever(retriever, of, rate, seed);
      const byPlace = simulator === 'by-place';
      const engine = byPlace ? new SimulatedByPlace(told, question, rounds) : told(question);
      return { question, label: 'simulated', agent: { retriever: engine } };
    });
  });
}
