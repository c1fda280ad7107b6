import { coverageOf } from '../../agent/router/coverage.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import type { ImportedQuestion } from '../../formats/import/values/types.ts';
import type { Question } from '../../records/records.ts';
import { BUILT_IN_SETUP, type Setup, type QuestionsSpec } from '../../records/setup.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { AskMessage, WorldFacts, QuestionRow } from '../contract/ask.ts';
import { NO_BYTES } from '../contract/progress.ts';
import type { PartTracker } from '../workers/part-tracker.ts';
import { messageOf } from '../../base/errors.ts';
import type { LoadedWorld, RetrievalFiles } from '../contract/retrieval.ts';
import { splitQuestions, type QuestionSplit } from '../corpus/retrieval/split.ts';
import { emptySlot, type Slot } from '../workers/slot.ts';
import {
  startRetrieval,
  type RemoteSources,
  type StartedRetrieval,
} from '../corpus/retrieval/start-retrieval.ts';
import type { WorkerFactory } from '../workers/workers.ts';

/** The sources and questions that are asked for. */
export type SourceRequest = Pick<Setup, 'local' | 'web' | 'questions'>;

export interface OpenSources extends RemoteSources {
  router: Router;
}

export interface QuestionSet {
  /** Seed of the built-in world; 0 for imported questions. */
  seed: number;
  questions: readonly (Question & Pick<WorldQuestion, 'split'>)[];
  /** Names the content of the built-in world. */
  digest?: string;
  /** How imported questions were split; absent for those of the world. */
  split?: QuestionSplit;
}

interface LoadedSet {
  set: QuestionSet;
  facts: WorldFacts;
}

const asSet = ({ questions, facts, seed, digest }: LoadedWorld): LoadedSet => ({
  set: { seed, questions, digest },
  facts,
});

export interface SourceLoaderDeps {
  workers: WorkerFactory;
  files: RetrievalFiles;
  tracker: PartTracker;
  /** Imported questions. @throws Error where a collection is not there */
  imported: (collections: string[]) => Promise<ImportedQuestion[]>;
  send: (messages: AskMessage[]) => void;
  /** Told when the worker is lost. */
  onLost: (error: Error) => void;
}

type ListedQuestion = Question & { split?: string | undefined };
type ById = ReadonlyMap<string, Question>;

const toRow = (question: ListedQuestion): QuestionRow => ({
  id: question.id,
  text: question.text,
  split: question.split ?? '',
  hops: question.hops ?? 0,
  type: question.type ?? null,
  localSuffices: question.localSuffices ?? null,
  supporting: question.supporting,
});

/** Test questions first: they are what the policy was never trained on. */
const SPLIT_ORDER = ['test', 'dev', 'train', ''];
const bySplit = (a: QuestionRow, b: QuestionRow): number =>
  SPLIT_ORDER.indexOf(a.split) - SPLIT_ORDER.indexOf(b.split);

/**
 * The questions of the page's list. Imported ones are read from storage, which takes a while, so a
 * look-up waits until those that were chosen last are read.
 */
export class QuestionList {
  readonly #read: (spec: QuestionsSpec) => Promise<readonly ListedQuestion[]>;
  readonly #send: (messages: AskMessage[]) => void;
  #byId: Promise<ById> = Promise.resolve(new Map());

  constructor(
    read: (spec: QuestionsSpec) => Promise<readonly ListedQuestion[]>,
    send: (messages: AskMessage[]) => void,
  ) {
    this.#read = read;
    this.#send = send;
  }

  /** Reads these questions and sends their rows; after a failure an empty list, and why. */
  show(spec: QuestionsSpec): void {
    const byId: Promise<ById> = this.#questions(spec).then(({ questions, problem }) => {
      // Others were chosen meanwhile.
      if (this.#byId === byId)
        this.#send([{ type: 'questions', rows: questions.map(toRow).sort(bySplit), problem }]);
      return new Map(questions.map((question) => [question.id, question]));
    });
    this.#byId = byId;
  }

  /** The question of this id in the list that was chosen last; null where it has none. */
  async find(id: string): Promise<Question | null> {
    for (;;) {
      const byId = this.#byId;
      const found = (await byId).get(id) ?? null;
      if (this.#byId === byId) return found;
    }
  }

  async #questions(
    spec: QuestionsSpec,
  ): Promise<{ questions: readonly ListedQuestion[]; problem: string | null }> {
    try {
      return { questions: await this.#read(spec), problem: null };
    } catch (error) {
      return { questions: [], problem: messageOf(error) };
    }
  }
}

/**
 * The retrieval worker with the built-in world, the sources that the next run searches, and the
 * questions of the list.
 */
export class SourceLoader {
  readonly #deps: SourceLoaderDeps;
  #request: SourceRequest = BUILT_IN_SETUP;
  #slot: Slot<StartedRetrieval> = emptySlot();
  /** Whether the slot's worker has its first world. */
  #started = false;
  /** The built-in world of the slot's worker, loading or loaded. */
  #loaded: Promise<LoadedSet> | null = null;
  #worldLoaded: Promise<unknown> = Promise.resolve();
  readonly #list: QuestionList;
  /** Sources of the request, as soon as the worker is there. */
  #open: Promise<OpenSources> | null = null;
  /** Withdraws the request for sources that are not open yet. */
  #opening = new AbortController();

  constructor(deps: SourceLoaderDeps) {
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

  want(request: SourceRequest): void {
    const before = this.#request;
    this.#request = request;
    const same = (part: keyof SourceRequest) =>
      JSON.stringify(before[part]) === JSON.stringify(request[part]);
    if (!same('local') || !same('web')) {
      // An index of what was chosen before helps nobody.
      this.#opening.abort(new Error('other sources were chosen'));
      this.#open = null;
    }
    if (!same('questions') && this.#started) this.#list.show(request.questions);
  }

  load(): void {
    if (!this.#slot.loading) this.#start();
    else if (!this.#open) this.#openRequest(this.#slot);
  }

  /** The question of this id in the list. */
  async question(id: string): Promise<Question | null> {
    // An address may name per question before the world is there.
    await this.#worldLoaded;
    return this.#list.find(id);
  }

  /** Sources and questions of any setup, for training; they stay open beside those of the page. */
  async openFor(
    request: SourceRequest,
  ): Promise<QuestionSet & Pick<OpenSources, 'retriever' | 'router' | 'local'>> {
    this.load();
    const started = await this.#slot.loading;
    if (!started) throw new Error('The world is not loaded; load it again first.');
    const [{ retriever, router, local }, set] = await Promise.all([
      this.#sources(started, request),
      this.#questionsOf(request),
    ]);
    return { ...set, retriever, router, local };
  }

  async #sources(
    started: StartedRetrieval,
    { local, web }: SourceRequest,
    signal?: AbortSignal,
  ): Promise<OpenSources> {
    const opened = await started.open({ local, web }, signal);
    return { ...opened, router: createRouter({ localCoverage: coverageOf(opened.local) }) };
  }

  async #questionsOf({ questions }: Pick<SourceRequest, 'questions'>): Promise<QuestionSet> {
    if (questions.kind === 'built-in') return (await this.#world()).set;
    const imported = await this.#deps.imported(questions.ids);
    return { seed: 0, ...splitQuestions(imported) };
  }

  /** The built-in world of the worker. @throws Error where it cannot be loaded */
  #world(): Promise<LoadedSet> {
    if (this.#loaded) return this.#loaded;
    const loading = this.#load();
    this.#loaded = loading;
    loading.catch(() => {
      if (this.#loaded === loading) this.#loaded = null;
    });
    return loading;
  }

  async #load(): Promise<LoadedSet> {
    const started = await this.#slot.loading;
    if (!started) throw new Error('The world is not loaded; load it again first.');
    return asSet(await started.api.loadWorld());
  }

  #start(): void {
    const { workers, files, tracker, onLost } = this.#deps;
    const slot = emptySlot<StartedRetrieval>();
    this.#slot = slot;
    this.#open = null;
    this.#started = false;
    this.#loaded = null;
    const fail = (error: unknown) => {
      if (this.#slot !== slot) return;
      slot.loading = null;
      this.#open = null;
      slot.terminate();
      tracker.failed(tracker.parts.world.status === 'ready' ? 'retrieval' : 'world', error);
      if (error instanceof Error) onLost(error);
    };
    let loaded = (): void => undefined;
    this.#worldLoaded = new Promise<void>((resolve) => (loaded = resolve));
    slot.loading = startRetrieval({
      workers,
      files,
      tracker,
      onLost: fail,
      onWorld: (world) => {
        this.#loaded = Promise.resolve(asSet(world));
        this.#started = true;
        this.#list.show(this.#request.questions);
        loaded();
      },
      onStarted: (terminate) => (slot.terminate = terminate),
    });
    slot.loading.catch(fail).finally(loaded);
    this.#openRequest(slot);
  }

  #openRequest(slot: Slot<StartedRetrieval>): void {
    const { tracker } = this.#deps;
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    const open = Promise.resolve(slot.loading).then((started) => {
      if (!started) throw new Error('The world is not loaded; load it again first.');
      tracker.loading('retrieval', 'opening the sources', NO_BYTES);
      return this.#sources(started, this.#request, signal);
    });
    this.#open = open;
    open.then(
      (sources) => {
        if (this.#open !== open) return;
        tracker.ready('retrieval', sources.note);
        this.#sendFacts(sources).catch(() => undefined);
      },
      (error: unknown) => {
        // That a worker was lost is known already.
        if (this.#open !== open || !slot.loading) return;
        this.#open = null;
        tracker.failed('retrieval', error);
      },
    );
  }

  async #sendFacts({ local, memory }: OpenSources): Promise<void> {
    const { local: localSpec, web } = this.#request;
    const { facts } = await this.#world();
    this.#deps.send([
      {
        type: 'sources',
        facts: {
          localPassages: localSpec.kind === 'built-in' ? facts.localPassages : local.length,
          webPassages: web.kind === 'built-in' ? facts.webPassages : null,
          web: 'url' in web ? new URL(web.url).host : null,
          memory,
        },
      },
    ]);
  }
}
