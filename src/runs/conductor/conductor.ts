import { coverageOf } from '../../agent/router/coverage.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import { runGroup } from '../../agent/run.ts';
import type { SearchTarget } from '../../data/hits.ts';
import type { Question } from '../../data/records.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { ClusterApi } from './cluster-messages.ts';
import { createUpdateBatcher } from './batcher.ts';
import { describeFailure } from './failures.ts';
import type { ConductorApi, ConductorMessage, QuestionRow, RunState } from './messages.ts';
import { PartsBoard } from './parts.ts';
import { createRateMeter, type RateMeter } from './rate.ts';
import { recipeFor, typedQuestion } from './request.ts';
import type { DeviceChoice, RunRequest } from './settings.ts';
import { startPolicy, type LoadedPolicy } from './start-policy.ts';
import { startRetrieval } from './start-retrieval.ts';
import type { TrainWorld } from '../training/parts.ts';
import type { Places, WorkerFactory } from './workers.ts';

/** How often the state of a run (tokens, rate) is told. */
const TELL_MS = 250;

interface Running {
  request: RunRequest;
  abort: AbortController;
  state: RunState;
  rate: RateMeter;
}

/** Something that is loaded in a worker: its promise, and how to end it. */
interface Slot<T> {
  loading: Promise<T> | null;
  terminate: () => void;
}

const emptySlot = <T>(): Slot<T> => ({ loading: null, terminate: () => undefined });

const toRow = (question: WorldQuestion): QuestionRow => ({
  id: question.id,
  text: question.text,
  split: question.split ?? '',
  hops: question.hops ?? 0,
  type: question.type ?? 'bridge',
  localSuffices: question.localSuffices ?? false,
});

/** Test questions first: they are what the policy was never trained on. */
const SPLIT_ORDER = ['test', 'dev', 'train', ''];
const bySplit = (a: QuestionRow, b: QuestionRow): number =>
  SPLIT_ORDER.indexOf(a.split) - SPLIT_ORDER.indexOf(b.split);

/**
 * Loads world, retriever and policy, runs groups of rollouts and streams what happens. One run at a
 * time. A part that died is loaded again by `retry`, or by the next run.
 */
export class Conductor implements ConductorApi {
  readonly #places: Places;
  readonly #workers: WorkerFactory;
  readonly #board: PartsBoard;
  #send: (messages: ConductorMessage[]) => void = () => undefined;
  #device: DeviceChoice = 'auto';
  #policy = emptySlot<LoadedPolicy>();
  #retrieval = emptySlot<Awaited<ReturnType<typeof startRetrieval>>>();
  #questions = new Map<string, Question>();
  #world: Pick<TrainWorld, 'seed' | 'questions'> | null = null;
  #router: Router = createRouter();
  #running: Running | null = null;

  constructor(places: Places, workers: WorkerFactory) {
    this.#places = places;
    this.#workers = workers;
    this.#board = new PartsBoard((parts) => this.#send([{ type: 'parts', parts }]));
  }

  async start(
    listener: (messages: ConductorMessage[]) => void,
    device: DeviceChoice,
  ): Promise<void> {
    this.#send = listener;
    this.#device = device;
    this.#load();
  }

  async retry(): Promise<void> {
    this.#load();
  }

  async run(request: RunRequest): Promise<void> {
    if (this.#running) throw new Error('a run is under way; cancel it first');
    const running: Running = {
      request,
      abort: new AbortController(),
      state: {
        runId: request.runId,
        status: 'waiting',
        tokens: 0,
        tokensPerSecond: 0,
        failure: null,
      },
      rate: createRateMeter(() => performance.now()),
    };
    this.#running = running;
    this.#useDevice(request.settings.device);
    this.#load();
    const timer = setInterval(() => this.#tellRun(running), TELL_MS);
    try {
      await this.#perform(running);
      running.state.status = running.abort.signal.aborted ? 'cancelled' : 'done';
    } catch (error) {
      const cancelled = running.abort.signal.aborted;
      running.state.status = cancelled ? 'cancelled' : 'failed';
      if (!cancelled) running.state.failure = describeFailure(error);
    } finally {
      clearInterval(timer);
      this.#running = null;
      this.#tellRun(running);
    }
  }

  async cancel(): Promise<void> {
    this.#running?.abort.abort();
  }

  async question(id: string): Promise<Question | null> {
    // An address may name a question before the world is there.
    await this.#retrieval.loading;
    return this.#questions.get(id) ?? null;
  }

  async pieces(ids: number[]): Promise<string[]> {
    const loaded = await this.#policy.loading;
    return ids.map((id) => loaded?.policy.tokenizer.decode([id]) ?? '');
  }

  async search(source: SearchTarget, query: string, k: number) {
    const loaded = await this.#retrieval.loading;
    if (!loaded) throw new Error('retrieval is not loaded');
    if (!this.#running) await loaded.setWebDelay(0);
    const { hits, latencyMs } = await loaded.retriever.search(source, query, k);
    return { hits, latencyMs };
  }

  /** World and retriever for training, as soon as they are loaded. */
  async lend(): Promise<TrainWorld> {
    this.#load();
    const loaded = await this.#retrieval.loading;
    if (!loaded || !this.#world) throw new Error('The world is not loaded; load it again first.');
    return { ...this.#world, retriever: loaded.retriever, router: this.#router };
  }

  /** Clusters of the local corpus, as soon as it is loaded. */
  async clusters(): Promise<ClusterApi> {
    const loaded = await this.#retrieval.loading;
    if (!loaded) throw new Error('retrieval is not loaded');
    return loaded.clusters;
  }

  async #perform(running: Running): Promise<void> {
    const { request, abort } = running;
    const { settings, asked, runId } = request;
    const [{ policy }, retrieval] = await this.#ready(abort.signal);
    const question =
      asked.kind === 'typed' ? typedQuestion(asked.text) : this.#questions.get(asked.id);
    if (!question)
      throw new Error(
        `This world has no question "${request.asked.kind === 'world' ? request.asked.id : ''}"; choose one from the list.`,
      );
    await retrieval.setWebDelay(settings.mechanisms.webDelayMs ?? 0);
    running.state.status = 'running';
    this.#tellRun(running);
    const batcher = createUpdateBatcher((updates) => this.#send([{ type: 'updates', updates }]));
    const lost = new AbortController();
    this.#onLost = (error) => lost.abort(error);
    try {
      await runGroup(
        {
          policy,
          retriever: retrieval.retriever,
          router: this.#router,
          now: () => performance.timeOrigin + performance.now(),
        },
        {
          question,
          ...recipeFor(settings),
          seed: settings.seed,
          size: settings.rollouts,
          runId,
          groupId: `${runId}-g`,
          step: 0,
          signal: abort.signal,
        },
        batcher.push,
      );
    } finally {
      batcher.flush();
      this.#onLost = () => undefined;
    }
    lost.signal.throwIfAborted();
  }

  /** Told when a worker is lost during a run. */
  #onLost: (error: Error) => void = () => undefined;

  /** Both parts; rejects at once when the user cancels while they load. */
  #ready(signal: AbortSignal) {
    const cancelled = new Promise<never>((_, reject) => {
      const abort = () => reject(new Error('cancelled'));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
    });
    const policy = this.#policy.loading ?? Promise.reject(new Error('the policy is not loaded'));
    const retrieval =
      this.#retrieval.loading ?? Promise.reject(new Error('retrieval is not loaded'));
    return Promise.race([Promise.all([policy, retrieval]), cancelled]);
  }

  /** Another device is other workers: what the old ones held goes with them. */
  #useDevice(device: DeviceChoice): void {
    if (device === this.#device) return;
    this.#device = device;
    this.#policy.terminate();
    this.#policy = emptySlot();
  }

  /** Starts whatever is not loading or loaded. */
  #load(): void {
    if (!this.#policy.loading) this.#loadPolicy();
    if (!this.#retrieval.loading) this.#loadRetrieval();
  }

  #loadPolicy(): void {
    const slot = emptySlot<LoadedPolicy>();
    this.#policy = slot;
    const fail = (error: unknown) => {
      // A worker that was replaced has nothing to say any more.
      if (this.#policy !== slot) return;
      slot.loading = null;
      slot.terminate();
      this.#board.failed('policy', error);
      if (error instanceof Error) this.#onLost(error);
    };
    slot.loading = startPolicy({
      workers: this.#workers,
      base: this.#places.policy,
      device: this.#device,
      board: this.#board,
      onSampled: (count) => this.#running?.rate.add(count),
      onLost: fail,
      onStarted: (terminate) => (slot.terminate = terminate),
    });
    slot.loading.then(({ policy: { info }, device }) => {
      if (this.#policy !== slot) return;
      this.#board.ready('policy', `${info.id} on ${device.device}`);
      this.#send([{ type: 'policy', info, device }]);
    }, fail);
  }

  #loadRetrieval(): void {
    const slot = emptySlot<Awaited<ReturnType<typeof startRetrieval>>>();
    this.#retrieval = slot;
    const fail = (error: unknown) => {
      if (this.#retrieval !== slot) return;
      slot.loading = null;
      slot.terminate();
      const { world } = this.#board.parts;
      this.#board.failed(world.status === 'ready' ? 'retrieval' : 'world', error);
      if (error instanceof Error) this.#onLost(error);
    };
    slot.loading = startRetrieval({
      workers: this.#workers,
      files: this.#places.files,
      board: this.#board,
      onLost: fail,
      onWorld: ({ questions, local, facts, seed }) => {
        this.#router = createRouter({ localCoverage: coverageOf(local) });
        this.#world = { seed, questions };
        this.#questions = new Map(questions.map((question) => [question.id, question]));
        this.#send([{ type: 'questions', rows: questions.map(toRow).sort(bySplit), facts }]);
      },
      onStarted: (terminate) => (slot.terminate = terminate),
    });
    slot.loading.catch(fail);
  }

  #tellRun({ state, rate }: Running): void {
    state.tokens = rate.total;
    state.tokensPerSecond = Math.round(rate.perSecond());
    this.#send([{ type: 'run', run: { ...state } }]);
  }
}
