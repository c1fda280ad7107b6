import { coverageOf } from '../../agent/router/coverage.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import { itemAt } from '../../base/items.ts';
import type { ResolvedQuestions } from '../../evaluate/systems/plan/plan.ts';
import type { QuestionsSource, RetrievalChange } from '../../evaluate/systems/spec.ts';
import type { Passage } from '../../records/records.ts';
import { BUILT_IN_SETUP } from '../../records/setup.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { OpenSources, QuestionSet, SourceRequest } from '../ask/source-loader.ts';
import type { LoadedWorld, WorldSeed, NamesApi, RetrieverSpec } from '../contract/retrieval.ts';
import type { RemoteSources } from '../corpus/retrieval/start-retrieval.ts';

/** The questions of an evaluation with what is searched for them. */

/** A generated world in a worker of its own. */
export interface GeneratedWorld {
  world: LoadedWorld;
  open(spec: RetrieverSpec): Promise<RemoteSources>;
  lost: AbortSignal;
  terminate(): void;
}

export interface SetParts {
  /** Sources and questions of the page's own retrieval worker. */
  sourcesFor(
    request: SourceRequest,
  ): Promise<QuestionSet & Pick<OpenSources, 'retriever' | 'router' | 'local'>>;
  /** Makes a world. @param note told how far it is, as text */
  startWorld(made: WorldSeed, note: (text: string) => void): Promise<GeneratedWorld>;
  /** What decides the content of collections: their ids, and how much is in each. */
  collections(ids: readonly string[]): Promise<readonly { passages: number }[]>;
  /** Names of questions in the page's own retrieval worker. */
  names: NamesApi;
  /** Names of questions in a worker of its own, where worlds can be made that nobody searches. */
  startNames(): StartedNames;
}

export interface StartedNames {
  names: NamesApi;
  terminate(): void;
}

interface OpenSet extends ResolvedQuestions {
  source: QuestionsSource;
  identity: unknown;
  made: GeneratedWorld | null;
}

export interface OpenedPlace {
  retriever: Retriever;
  router: Router;
  lost: AbortSignal | undefined;
}

/** Those of a split, the first of them. */
export const chosen = <Q extends { split?: string | undefined }>(
  questions: readonly Q[],
  { split, limit }: QuestionsSource,
): readonly Q[] => {
  const fitting = questions.filter((one) => split === 'all' || one.split === split);
  return limit === null ? fitting : fitting.slice(0, limit);
};

/** Sets of questions that are open; worlds that were made for them end with it. */
export class OpenSets {
  readonly #parts: SetParts;
  readonly #sets: OpenSet[] = [];

  constructor(parts: SetParts) {
    this.#parts = parts;
  }

  get sets(): readonly ResolvedQuestions[] {
    return this.#sets;
  }

  /** @throws Error where questions are missing */
  async find(source: QuestionsSource, note: (text: string) => void): Promise<void> {
    const set = await this.#open(source, note);
    if (set.questions.length === 0)
      throw new Error(
        `${set.name} has no question in the split “${source.split}”; choose another.`,
      );
    this.#sets.push(set);
  }

  async #open(source: QuestionsSource, note: (text: string) => void): Promise<OpenSet> {
    switch (source.kind) {
      case 'files':
        throw new Error(
          'This evaluation names files of the command line; choose questions of this browser instead.',
        );
      case 'fresh': {
        const { seed } = source;
        const name = `world of seed ${seed}`;
        note(`making the ${name}`);
        const made = await this.#parts.startWorld({ seed }, note);
        return {
          key: `seed${seed}`,
          name,
          questions: chosen(made.world.questions, source),
          source,
          identity: { seed, digest: made.world.digest ?? null },
          made,
        };
      }
      case 'built-in': {
        note('loading the built-in world');
        const { questions, seed, digest = null } = await this.#parts.sourcesFor(BUILT_IN_SETUP);
        return {
          key: 'built-in',
          name: 'built-in world',
          questions: chosen(questions, source),
          source,
          identity: { seed, digest },
          made: null,
        };
      }
      case 'collections': {
        note('reading imported questions');
        const questions = { kind: 'collections' as const, ids: source.ids };
        const set = await this.#parts.sourcesFor({ ...BUILT_IN_SETUP, questions });
        const built = await this.#parts.sourcesFor(BUILT_IN_SETUP);
        return {
          key: `imported-${source.ids.join('-')}`,
          name: 'imported questions',
          questions: chosen(set.questions, source),
          source,
          // The questions themselves are hashed one by one.
          identity: { seed: built.seed, digest: built.digest ?? null },
          made: null,
        };
      }
    }
  }

  /** What decides what a set's searches find. */
  async identity(at: number, { local, web }: RetrievalChange): Promise<unknown> {
    const { identity } = itemAt(this.#sets, at, 'sets');
    const own = local?.kind === 'collections' ? await this.#parts.collections(local.ids) : null;
    return { world: identity, local: local ?? null, web: web ?? null, own };
  }

  /** @throws Error where sources cannot be opened */
  async open(
    at: number,
    retrieval: RetrievalChange,
    weights: RouterWeights | undefined,
  ): Promise<OpenedPlace> {
    const { made } = itemAt(this.#sets, at, 'sets');
    const { local = BUILT_IN_SETUP.local, web = BUILT_IN_SETUP.web } = retrieval;
    const opened: { retriever: Retriever; local: readonly Pick<Passage, 'title'>[] } = made
      ? await made.open({ local, web })
      : await this.#parts.sourcesFor({ local, web, questions: { kind: 'built-in' } });
    return {
      retriever: opened.retriever,
      router: createRouter({
        localCoverage: coverageOf(opened.local),
        weights,
      }),
      lost: made?.lost,
    };
  }

  end(): void {
    for (const { made } of this.#sets) made?.terminate();
    this.#sets.length = 0;
  }
}
