import type { ImportedQuestion } from '../../formats/import/values/types.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Resources, type Setup } from '../../records/setup.ts';
import type { TextModel } from '../../policy/text-model.ts';
import type { DeviceMeasure } from '../../policy/measure/device.ts';
import type { Agreement } from '../../policy/model/agreement.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import type { CheckpointStore } from '../models/checkpoints/store.ts';
import type { JudgeItem, JudgeRun } from '../../evaluate/judge/run.ts';
import { servedCheckpoint, storedCheckpoint } from '../models/serving/checkpoint-source.ts';
import type { ClusterApi } from '../contract/clusters.ts';
import type { EncoderApi } from '../contract/encoders.ts';
import { describeFailure } from '../contract/failures.ts';
import type { OnMeasurement, OnLayer, OnShare, PolicyTrials } from '../contract/policy.ts';
import type { NamesApi, RetrievalApi } from '../contract/retrieval.ts';
import { remoteLater, type Remote } from '../rpc/remote.ts';
import { judgeBulk, judgeRunOf } from './judging.ts';
import type { OnJudged } from '../contract/ask.ts';
import type { Need } from '../contract/progress.ts';
import type { AskApi, AskMessage, RunState } from '../contract/ask.ts';
import type { OpenedPolicy } from '../models/serving/open-policy.ts';
import { PartTracker } from '../workers/part-tracker.ts';
import type { PolicyParts } from '../models/serving/find-policy.ts';
import { PolicyLoader } from '../models/serving/policy-loader.ts';
import { createRateMeter, type RateMeter } from '../workers/rate-meter.ts';
import { checkSummaries, recipeFor, typedQuestion } from './request.ts';
import { RunPolicies } from './run-policies.ts';
import { runRollouts } from './run-rollouts.ts';
import type { DeviceChoice, RunRequest, RunSettings } from '../contract/settings.ts';
import { SourceLoader, type SourceRequest } from './source-loader.ts';
import type { Places, WorkerFactory } from '../workers/workers.ts';
import { sourcesInUse } from '../../agent/answers/unknown-names.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { RemoteRetriever } from '../corpus/retrieval/start-retrieval.ts';
import type { RolloutUpdate } from '../../records/updates.ts';

/**
 * Collects updates and hands them on in batches, so that sixteen streaming rollouts cost the page a
 * few dozen messages a second and not one per token. Within a rollout the order is kept; tokens of
 * one segment are joined, and a segment that is replaced twice is sent once.
 */
interface UpdateBatcher {
  push: (update: RolloutUpdate) => void;
  /** Hands on what was collected, now. */
  flush: () => void;
}

type Clock = (run: () => void, ms: number) => unknown;

type TextUpdate = Extract<RolloutUpdate, { type: 'segment' | 'tokens' }>;

const isAbout = (update: RolloutUpdate | undefined, index: number): update is TextUpdate =>
  (update?.type === 'segment' || update?.type === 'tokens') && update.index === index;

/** Adds an update to the queue of its rollout; what it makes superfluous goes. */
const enqueue = (queue: RolloutUpdate[], next: RolloutUpdate): void => {
  const last = queue.at(-1);
  if (next.type === 'segment') {
    while (isAbout(queue.at(-1), next.index)) queue.pop();
  } else if (next.type === 'tokens' && last?.type === 'tokens' && last.index === next.index) {
    queue.pop();
    queue.push({
      ...last,
      ids: [...last.ids, ...next.ids],
      logprobs: [...last.logprobs, ...next.logprobs],
      entropies: [...last.entropies, ...next.entropies],
      text: last.text + next.text,
    });
    return;
  }
  queue.push(next);
};

export const createUpdateBatcher = (
  send: (updates: RolloutUpdate[]) => void,
  intervalMs = 40,
  clock: Clock = setTimeout,
): UpdateBatcher => {
  let queues = new Map<string, RolloutUpdate[]>();
  let scheduled = false;

  const flush = () => {
    const updates = [...queues.values()].flat();
    queues = new Map();
    if (updates.length > 0) send(updates);
  };

  const push = (update: RolloutUpdate) => {
    const queue = queues.get(update.rolloutId) ?? [];
    enqueue(queue, update);
    queues.set(update.rolloutId, queue);
    if (scheduled) return;
    scheduled = true;
    clock(() => {
      scheduled = false;
      flush();
    }, intervalMs);
  };

  return { push, flush };
};

/** Resolves when the signal is aborted, at once where it is already. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * What a question names and nothing mentions is said before an answer misleads. Of the built-in ones the look-up
 * comes last: it fetches shards of the web index, which belong to the measured latency of the searches.
 */
const isToldFirst = ({ asked, setup }: Pick<RunRequest, 'asked' | 'setup'>): boolean =>
  asked.kind === 'typed' || setup.questions.kind !== 'built-in';

type Searched = Pick<ReturnType<typeof recipeFor>, 'recipe' | 'overrides'>;

/** Names of a question that nothing mentions which such rollouts search, as they are written in it. */
const lookUpNames = (
  question: string,
  retriever: Pick<RemoteRetriever, 'unknownNames'>,
  { recipe, overrides }: Searched,
  signal?: AbortSignal,
): Promise<string[]> =>
  retriever.unknownNames(question, sourcesInUse(withOverrides(recipe.settings, overrides)), signal);

/**
 * Reports the names of the question that no passage mentions, where there are any. Never rejects: a
 * look-up that fails must not fail the run.
 * @param signal ends it at once, even where the worker does not answer
 */
export async function reportUnknown(
  question: string,
  retriever: Pick<RemoteRetriever, 'unknownNames'>,
  chosen: Searched,
  signal: AbortSignal,
  report: (names: string[]) => void,
): Promise<void> {
  if (signal.aborted) return;
  const asked = lookUpNames(question, retriever, chosen, signal).catch(() => []);
  const names = await Promise.race([asked, aborted(signal)]);
  if (names && names.length > 0 && !signal.aborted) report(names);
}

/** How often the state of a run (tokens, rate) is sent, ms. */
const STATE_MS = 250;

interface Running {
  request: RunRequest;
  abort: AbortController;
  state: RunState;
  rate: RateMeter;
}

/** Stores of this device. */
export interface AskStorage {
  checkpoints: CheckpointStore;
  /** Imported questions. */
  imported: (collections: string[]) => Promise<ImportedQuestion[]>;
  /** Adapters of training runs, and what they are adapters of. */
  policies: Pick<PolicyParts, 'runs' | 'facts'>;
}

/**
 * Loads world, retriever and policy once they are needed, runs groups of rollouts and streams what
 * happens. One run at a time. A part that died is loaded again by `retry`, or by the next run.
 */
export class AskHost implements AskApi {
  readonly #tracker: PartTracker;
  readonly #policy: PolicyLoader;
  readonly #sources: SourceLoader;
  readonly #policies: AskStorage['policies'];
  #send: (messages: AskMessage[]) => void = () => undefined;
  #device: DeviceChoice = 'auto';
  #running: Running | null = null;
  /** What anyone needed so far: it is kept loaded. */
  readonly #needed = new Set<Need>();
  /** Chosen, and not in effect yet. */
  #next: Setup | null = null;
  /** The clusters of the local corpus and the encoders of this device; a call waits for the worker. */
  readonly clusters: ClusterApi = remoteLater(async () => (await this.#retrieval()).clusters);
  readonly encoders: EncoderApi = remoteLater(async () => (await this.#retrieval()).encoders);
  readonly names: NamesApi = remoteLater(async () => (await this.#retrieval()).names);

  constructor(places: Places, workers: WorkerFactory, storage: AskStorage) {
    const tracker = new PartTracker((parts) => this.#send([{ type: 'parts', parts }]));
    this.#tracker = tracker;
    this.#policies = storage.policies;
    this.#policy = new PolicyLoader({
      workers,
      tracker,
      checkpoint: (ref) =>
        ref.kind === 'built-in'
          ? servedCheckpoint(places.policy)
          : storedCheckpoint(storage.checkpoints, ref.id),
      onSampled: (count) => this.#running?.rate.add(count),
      onReady: (opened) => this.#policyReady(opened),
      onFailed: (error) => {
        tracker.failed('policy', error);
        if (error instanceof Error) this.#onLost(error);
      },
    });
    this.#sources = new SourceLoader({
      workers,
      files: places.files,
      tracker,
      imported: storage.imported,
      send: (messages) => this.#send(messages),
      onLost: (error) => this.#onLost(error),
    });
  }

  async listen(listener: (messages: AskMessage[]) => void): Promise<void> {
    this.#send = listener;
  }

  async start(device: DeviceChoice, setup: Setup = BUILT_IN_SETUP): Promise<void> {
    this.#device = device;
    this.#want(setup);
    this.#load();
  }

  async need(needs: readonly Need[]): Promise<void> {
    this.#need(...needs);
  }

  /** Takes effect at once; while a run is under way, with the next one. */
  async use(setup: Setup): Promise<void> {
    this.#next = setup;
    if (!this.#running) this.#useNext();
  }

  async provide(resources: Resources, keys: Record<string, string>): Promise<void> {
    this.#policy.provide(resources, keys, this.#running !== null);
  }

  async changed(checkpoint: string): Promise<void> {
    this.#policy.changed(checkpoint, this.#running !== null);
    if (!this.#running) this.#load();
  }

  async agreement(onLayer: OnLayer, signal: AbortSignal): Promise<Agreement> {
    return (await this.#trials()).agreement(onLayer, signal);
  }

  async measure(
    onFigure: OnMeasurement,
    onShare: OnShare,
    signal: AbortSignal,
  ): Promise<DeviceMeasure> {
    return (await this.#trials()).measure(onFigure, onShare, signal);
  }

  async judge(
    ref: PolicyRef,
    items: readonly JudgeItem[],
    onOutcome: OnJudged,
    signal: AbortSignal,
  ): Promise<JudgeRun['ended']> {
    return judgeBulk(await this.helper(ref), items, onOutcome, signal);
  }

  webLlmModels() {
    return this.#policy.webLlmModels();
  }

  async retry(): Promise<void> {
    this.#load();
  }

  async run(request: RunRequest): Promise<void> {
    if (this.#running) throw new Error('a run is in progress; cancel it first');
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
    this.#device = request.settings.device;
    this.#want(request.setup);
    this.#need('policy', 'sources');
    this.#load();
    const timer = setInterval(() => this.#sendRun(running), STATE_MS);
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
      this.#sendRun(running);
      this.#useNext();
    }
  }

  async cancel(): Promise<void> {
    this.#running?.abort.abort();
  }

  question(id: string) {
    this.#need('sources');
    return this.#sources.question(id);
  }

  async pieces(ids: number[]): Promise<string[]> {
    const loaded = await this.#policy.loading;
    return ids.map((id) => loaded?.policy.tokenizer.decode([id]) ?? '');
  }

  async spell(policy: string, ids: number[]): Promise<string[] | null> {
    this.#need('policy');
    const loaded = await this.#policy.loading?.catch(() => null);
    return loaded?.policy.info.id === policy ? this.pieces(ids) : null;
  }

  async search(source: SearchTarget, query: string, k: number) {
    this.#need('sources');
    const started = await this.#sources.started;
    const sources = await this.#sources.loading;
    if (!started || !sources) throw this.#notLoaded('retrieval');
    if (!this.#running) await started.api.setWebDelay(0);
    return sources.retriever.search(source, query, k);
  }

  async unknownNames(question: string, settings: RunSettings, setup: Setup): Promise<string[]> {
    this.#need('sources');
    await this.#sources.started;
    const sources = await (this.#sources.loading ?? Promise.reject(this.#notLoaded('retrieval')));
    return lookUpNames(question, sources.retriever, recipeFor(settings, setup));
  }

  /** Sources and questions for training, as soon as they are loaded. */
  sourcesFor(request: SourceRequest) {
    this.#need('sources');
    return this.#sources.openFor(request);
  }

  /** A model that judges beside the page's runs; one that was ended meanwhile is opened again. */
  async helper(ref: PolicyRef): Promise<TextModel> {
    const { id } = await this.#policy.textModel(ref);
    return {
      id,
      complete: async (messages, options) =>
        (await this.#policy.textModel(ref)).complete(messages, options),
    };
  }

  /** A policy of its own beside the page's. */
  openApart: PolicyLoader['openApart'] = (...args) => this.#policy.openApart(...args);
  endpointOf: PolicyLoader['endpointOf'] = (ref) => this.#policy.endpointOf(ref);

  async #retrieval(): Promise<Remote<RetrievalApi>> {
    this.#need('sources');
    this.#sources.load();
    const started = await this.#sources.started;
    if (!started) throw new Error('retrieval is not loaded');
    return started.api;
  }

  async #perform(running: Running): Promise<void> {
    const { request, abort } = running;
    const { settings, runId, setup } = request;
    const [opened, sources, started] = await this.#ready(abort.signal);
    const question = await this.#questionOf(request);
    await started.api.setWebDelay(settings.mechanisms.webDelayMs ?? 0);
    const summarizer = await this.#summarizer(setup);
    const chosen = recipeFor(settings, setup);
    if (!request.fork) checkSummaries(chosen, summarizer !== null);
    running.state.status = 'running';
    this.#sendRun(running);
    const batcher = createUpdateBatcher((updates) => this.#send([{ type: 'updates', updates }]));
    const lost = new AbortController();
    const onLost = (error: unknown): void => lost.abort(error);
    this.#onLost = onLost;
    const { openApart, endpointOf } = this;
    const own = { ref: setup.policy, policy: opened.policy };
    const parts = { ...this.#policies, openApart, endpointOf };
    const policies = new RunPolicies(parts, settings.device, own, onLost);
    const work = { request, question, chosen, policies, sources, summarizer, signal: abort.signal };
    const report = () =>
      reportUnknown(question.text, sources.retriever, chosen, abort.signal, (names) =>
        this.#send([{ type: 'unknown-names', runId, names }]),
      );
    try {
      const told = isToldFirst(request) ? report() : null;
      const rollouts = await runRollouts(work, batcher.push);
      this.#onLost = () => undefined; // A worker lost meanwhile does not fail the run.
      await (told ?? report());
      this.#onLost = onLost;
      // LJ: what the judge says is added to the rollouts, one after another.
      const openJudge = (ref: PolicyRef): Promise<TextModel> => this.#policy.textModel(ref);
      await judgeRunOf(rollouts, setup, openJudge, abort.signal, (rollout) =>
        batcher.push({ rolloutId: rollout.id, type: 'finished', rollout }),
      );
    } finally {
      batcher.flush();
      this.#onLost = () => undefined;
    }
    lost.signal.throwIfAborted();
  }

  /** What the list knows of the question; of a fork whose question is in no list, what its record says. */
  async #questionOf({ asked, fork }: RunRequest): Promise<Question> {
    if (asked.kind === 'typed') return typedQuestion(asked.text);
    const question = (await this.#sources.question(asked.id)) ?? fork?.of.question;
    if (question) return question;
    throw new Error(`The list has no question "${asked.id}"; choose one from it.`);
  }

  async #summarizer({ summarizer }: Setup) {
    if (summarizer.kind !== 'model') return openSummarizer(summarizer);
    return openSummarizer(summarizer, { model: await this.#policy.textModel(summarizer.policy) });
  }

  /** Why a part cannot be used, in the words of its failure where it failed. */
  #notLoaded(name: 'policy' | 'retrieval'): Error {
    return new Error(this.#tracker.parts[name].failure?.message ?? `the ${name} is not loaded`);
  }

  /** @throws Error while a run is under way, and of a policy that does not run on this engine */
  async #trials(): Promise<PolicyTrials> {
    if (this.#running)
      throw new Error('A run is in progress; cancel it, or measure after it ends.');
    this.#need('policy');
    const opened = await this.#policy.loading;
    if (!opened) throw this.#notLoaded('policy');
    if (opened.trials) return opened.trials;
    throw new Error(
      'This model does not run on the engine of this page. Choose the built-in model or a checkpoint stored on this device.',
    );
  }

  /** Told when a worker is lost during a run. */
  #onLost: (error: unknown) => void = () => undefined;

  /** All parts; rejects at once when the user cancels while they load. */
  #ready(signal: AbortSignal) {
    const cancelled = new Promise<never>((_, reject) => {
      const abort = () => reject(new Error('cancelled'));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
    });
    const needed = <T>(part: Promise<T> | null, name: 'policy' | 'retrieval') =>
      part ?? Promise.reject<T>(this.#notLoaded(name));
    return Promise.race([
      Promise.all([
        needed(this.#policy.loading, 'policy'),
        needed(this.#sources.loading, 'retrieval'),
        needed(this.#sources.started, 'retrieval'),
      ]),
      cancelled,
    ]);
  }

  /** What was chosen while a run was under way. */
  #useNext(): void {
    if (!this.#next) return;
    this.#want(this.#next);
    this.#next = null;
    this.#load();
  }

  #want(setup: Setup): void {
    this.#policy.want(setup.policy, this.#device);
    this.#sources.want(setup);
    this.#policy.keepHelpers(
      [setup.summarizer, setup.judge].flatMap((helper) =>
        helper.kind === 'model' ? [helper.policy] : [],
      ),
    );
  }

  /** What is needed for the first time begins to load; what failed is loaded again by `retry` alone. */
  #need(...needs: readonly Need[]): void {
    for (const need of needs) {
      if (this.#needed.has(need)) continue;
      this.#needed.add(need);
      this.#loadOne(need);
    }
  }

  /** Starts whatever is needed and neither loading nor loaded. */
  #load(): void {
    for (const need of this.#needed) this.#loadOne(need);
  }

  #loadOne(need: Need): void {
    if (need === 'policy') this.#policy.load();
    else this.#sources.load();
  }

  #policyReady({ policy: { info }, device }: OpenedPolicy): void {
    this.#tracker.ready('policy', `${info.id} on ${device.device}`);
    this.#send([{ type: 'policy', info, device }]);
  }

  #sendRun({ state, rate }: Running): void {
    state.tokens = rate.total;
    state.tokensPerSecond = Math.round(rate.perSecond());
    this.#send([{ type: 'run', run: { ...state } }]);
  }
}
