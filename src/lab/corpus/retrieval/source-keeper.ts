import { coverageOf } from '../../../agent/router/coverage.ts';
import { createRouter, type Router } from '../../../agent/router/router.ts';
import type { ImportedQuestion } from '../../../formats/import/values/types.ts';
import type { Question } from '../../../records/records.ts';
import { BUILT_IN_SETUP, type Setup } from '../../../records/setup.ts';
import type { WorldQuestion } from '../../../retrieval/world/manifest.ts';
import type { ConductorMessage, WorldFacts } from '../../ask/messages.ts';
import type { PartsBoard } from '../../ask/parts.ts';
import { QuestionList } from '../../ask/question-list.ts';
import type { RetrievalFiles } from '../../ask/retrieval-api.ts';
import { splitOf } from './split.ts';
import { emptySlot, type Slot } from '../../workers/slot.ts';
import { startRetrieval, type RemoteSources, type StartedRetrieval } from './start-retrieval.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

/** Sources and questions of a setup. */
export type SourceWish = Pick<Setup, 'local' | 'web' | 'questions'>;

export interface OpenSources extends RemoteSources {
  router: Router;
}

export interface QuestionSet {
  /** Seed of the built-in world; 0 for imported questions. */
  seed: number;
  questions: readonly (Question & Pick<WorldQuestion, 'split'>)[];
}

export interface SourceKeeperDeps {
  workers: WorkerFactory;
  files: RetrievalFiles;
  board: PartsBoard;
  /** Imported questions. @throws Error where a collection is not there */
  imported: (collections: string[]) => Promise<ImportedQuestion[]>;
  send: (messages: ConductorMessage[]) => void;
  /** Told when the worker is lost. */
  onLost: (error: Error) => void;
}

/**
 * The retrieval worker with the built-in world, the sources that the next run searches, and the
 * questions of the list.
 */
export class SourceKeeper {
  readonly #deps: SourceKeeperDeps;
  #wish: SourceWish = BUILT_IN_SETUP;
  #slot: Slot<StartedRetrieval> = emptySlot();
  #world: { set: QuestionSet; facts: WorldFacts } | null = null;
  #worldLoaded: Promise<unknown> = Promise.resolve();
  readonly #list: QuestionList;
  /** Sources of the wish, as soon as the worker is there. */
  #open: Promise<OpenSources> | null = null;
  /** They are not open yet. */
  #opening = false;

  constructor(deps: SourceKeeperDeps) {
    this.#deps = deps;
    this.#list = new QuestionList(
      async (questions) => (await this.#questionsOf({ questions })).questions,
      deps.send,
    );
  }

  get started(): Promise<StartedRetrieval> | null {
    return this.#slot.loading;
  }

  get loading(): Promise<OpenSources> | null {
    return this.#open;
  }

  want(wish: SourceWish): void {
    const before = this.#wish;
    this.#wish = wish;
    const same = (part: keyof SourceWish) =>
      JSON.stringify(before[part]) === JSON.stringify(wish[part]);
    if (!same('local') || !same('web')) this.#leave(before);
    if (!same('questions') && this.#world) this.#list.show(wish.questions);
  }

  /** What is not open yet is stopped: an index of what was chosen before helps nobody. */
  #leave({ local, web }: SourceWish): void {
    if (this.#opening) void this.#slot.loading?.then((started) => started.giveUp({ local, web }));
    this.#opening = false;
    this.#open = null;
  }

  load(): void {
    if (!this.#slot.loading) this.#start();
    else if (!this.#open) this.#openWish(this.#slot);
  }

  /** The question of this id in the list. */
  async question(id: string): Promise<Question | null> {
    // An address may name a question before the world is there.
    await this.#worldLoaded;
    return this.#list.find(id);
  }

  /** Sources and questions of any setup, for training; they stay open beside those of the page. */
  async lend(wish: SourceWish): Promise<QuestionSet & Pick<OpenSources, 'retriever' | 'router'>> {
    this.load();
    const started = await this.#slot.loading;
    if (!started || !this.#world) throw new Error('The world is not loaded; load it again first.');
    const [{ retriever, router }, set] = await Promise.all([
      this.#sources(started, wish),
      this.#questionsOf(wish),
    ]);
    return { ...set, retriever, router };
  }

  async #sources(started: StartedRetrieval, { local, web }: SourceWish): Promise<OpenSources> {
    const opened = await started.open({ local, web });
    return { ...opened, router: createRouter({ localCoverage: coverageOf(opened.local) }) };
  }

  async #questionsOf({ questions }: Pick<SourceWish, 'questions'>): Promise<QuestionSet> {
    if (questions.kind === 'built-in') return this.#world!.set;
    const imported = await this.#deps.imported(questions.ids);
    return {
      seed: 0,
      questions: imported.map((question) => ({ ...question, split: splitOf(question.id) })),
    };
  }

  #start(): void {
    const { workers, files, board, onLost } = this.#deps;
    const slot = emptySlot<StartedRetrieval>();
    this.#slot = slot;
    this.#open = null;
    const fail = (error: unknown) => {
      if (this.#slot !== slot) return;
      slot.loading = null;
      this.#open = null;
      slot.terminate();
      board.failed(board.parts.world.status === 'ready' ? 'retrieval' : 'world', error);
      if (error instanceof Error) onLost(error);
    };
    let told = (): void => undefined;
    this.#worldLoaded = new Promise<void>((resolve) => (told = resolve));
    slot.loading = startRetrieval({
      workers,
      files,
      board,
      onLost: fail,
      onWorld: ({ questions, facts, seed }) => {
        this.#world = { set: { seed, questions }, facts };
        this.#list.show(this.#wish.questions);
        told();
      },
      onStarted: (terminate) => (slot.terminate = terminate),
    });
    slot.loading.catch(fail).finally(told);
    this.#openWish(slot);
  }

  #openWish(slot: Slot<StartedRetrieval>): void {
    const { board } = this.#deps;
    const open = slot.loading!.then((started) => {
      board.loading('retrieval', 'opening the sources', { loaded: 0, total: 0 });
      return this.#sources(started, this.#wish);
    });
    this.#open = open;
    this.#opening = true;
    open.then(
      (sources) => {
        if (this.#open !== open) return;
        this.#opening = false;
        board.ready('retrieval', sources.note);
        this.#tellFacts(sources);
      },
      (error: unknown) => {
        // A lost worker was told already.
        if (this.#open !== open || !slot.loading) return;
        this.#open = null;
        this.#opening = false;
        board.failed('retrieval', error);
      },
    );
  }

  #tellFacts({ local, memory }: OpenSources): void {
    if (!this.#world) return;
    const { facts } = this.#world;
    const { local: localSpec, web } = this.#wish;
    this.#deps.send([
      {
        type: 'sources',
        facts: {
          localPassages: localSpec.kind === 'built-in' ? facts.localPassages : local.length,
          webPassages: web.kind === 'built-in' ? facts.webPassages : null,
          web: web.kind === 'built-in' ? null : new URL(web.url).host,
          memory,
        },
      },
    ]);
  }
}
