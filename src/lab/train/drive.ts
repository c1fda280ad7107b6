import type { Router } from '../../agent/router/router.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { messageOf } from '../../base/errors.ts';
import { heldOutJudge } from '../../evaluate/judge/held-out.ts';
import { createJudge } from '../../evaluate/judge/judge.ts';
import type { HeldOutJudge } from '../../learn/rl/contracts.ts';
import type { TextModel } from '../../policy/text-model.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import type { QuestionSplit } from '../corpus/retrieval/split.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import { assembleRun } from '../../learn/run/assemble.ts';
import { asksForSummaries } from '../../learn/rl/trainable.ts';
import type { TrainResult } from '../../learn/rl/contracts.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import { describeFailure, WorkerLost } from '../contract/failures.ts';
import { StorageFull } from '../storage/quota.ts';
import type { RunStore } from '../storage/run-store.ts';
import { liveRollout, type ActiveRun } from './active-run.ts';
import type { EngineOptions, RunEngines, TrainEngines } from './engines.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import { isWorthMeasuring, paceByProbe } from './pace/estimate.ts';
import { nowIso } from './records.ts';
import type { RunReporter } from './reporter.ts';

/** Losses of a device or worker within this time after which training stops by itself. */
const LOSSES = { most: 3, withinMs: 5 * 60_000 };

/** How often progress is sent though nothing ended. */
const TICK_MS = 500;

/** Sources and questions that a run trains with. */
export interface TrainWorld {
  /** Seed of the built-in world; 0 for imported questions. */
  seed: number;
  questions: readonly WorldQuestion[];
  retriever: Retriever;
  router: Router;
  /** How imported questions were split. */
  split?: QuestionSplit;
}

/** How the judge of held-out answers is asked. */
const ASKING = { concurrency: 4, timeoutMs: 120_000 };

type StartEngines = (
  options: Pick<EngineOptions, 'device' | 'keys' | 'adapter' | 'signal' | 'onLost'> & {
    policy: PolicyRef;
  },
) => Promise<TrainEngines>;

/** What a run is driven with. */
export interface DriveParts {
  store: RunStore;
  startEngines: StartEngines;
  /** Resolves when sources and questions are loaded. */
  world(setup: Setup): Promise<TrainWorld>;
  /** A model that judges or summarizes. @throws Error */
  helper: (ref: PolicyRef) => Promise<TextModel>;
}

/** Who summarizes for rollouts that read summaries. @throws Error as text */
export async function summarizerFor(
  settings: TrainSettings,
  { summarizer }: Setup,
  helper: DriveParts['helper'],
): Promise<Summarizer | null> {
  if (!asksForSummaries(settings)) return null;
  if (summarizer.kind !== 'model') return openSummarizer(summarizer);
  return openSummarizer(summarizer, { model: await helper(summarizer.policy) });
}

/** Measures this device for a run with engines that are started, and stores what it measured. */
export type MeasureRun = (
  engines: RunEngines,
  world: TrainWorld,
  signal: AbortSignal,
) => Promise<Probe>;

/**
 * Browsers may freeze a tab in the background. A timer that comes much too late is how a worker sees
 * it afterwards.
 */

const BEAT_MS = 1000;
/** A busy machine delays a beat by less. */
const FROZEN_MS = 15_000;

function watchForFreezes(
  onFrozen: (seconds: number) => void,
  now: () => number = () => Date.now(),
): Disposable {
  let last = now();
  const timer = setInterval(() => {
    const gap = now() - last;
    last = now();
    if (gap > FROZEN_MS) onFrozen(Math.round(gap / 1000));
  }, BEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Trains a run to its end, over lost workers, and stores it as it goes. */
export class RunDrive {
  readonly #parts: DriveParts;
  readonly #reporter: RunReporter;
  readonly #active: ActiveRun;
  readonly #run: RunRecord;
  readonly #measureRun: MeasureRun;

  constructor(
    parts: DriveParts,
    reporter: RunReporter,
    active: ActiveRun,
    { run, measure }: { run: RunRecord; measure: MeasureRun },
  ) {
    this.#parts = parts;
    this.#reporter = reporter;
    this.#active = active;
    this.#run = run;
    this.#measureRun = measure;
  }

  /** Trains to the end. Never rejects. @returns how the record says that it ended */
  async toEnd(): Promise<Pick<RunRecord, 'status'> & Partial<RunRecord>> {
    const active = this.#active;
    using _watch = watchForFreezes((seconds) => {
      active.notice = `The browser froze this tab for ${seconds} s; training went on afterwards.`;
    });
    // Rollouts and micro-batches may take minutes: what the engines do is shown meanwhile.
    const ticking = setInterval(() => {
      try {
        this.#reporter.progress(active, false);
      } catch {
        // The channels of a tab that is being closed are closed first.
        clearInterval(ticking);
      }
    }, TICK_MS);
    try {
      const end = await this.#attempts();
      const paused = end === 'stopped' ? 'paused' : 'stopped';
      return { status: end === 'finished' ? 'finished' : paused };
    } catch (error) {
      if (active.abort.signal.aborted) return { status: 'stopped' };
      const status = error instanceof StorageFull ? 'paused' : 'failed';
      return { status, failure: describeFailure(error) };
    } finally {
      clearInterval(ticking);
    }
  }

  /** Starts again from the last snapshot when a worker or device was lost. */
  async #attempts(): Promise<TrainResult['end']> {
    const active = this.#active;
    const lost: number[] = [];
    for (;;) {
      try {
        return await this.#attempt();
      } catch (error) {
        if (!(error instanceof WorkerLost) || active.abort.signal.aborted) throw error;
        lost.push(Date.now());
        const recent = lost.filter((at) => at > Date.now() - LOSSES.withinMs);
        if (recent.length >= LOSSES.most)
          throw new Error(
            `${error.message}: ${recent.length} times within five minutes. ${this.#run.device === 'webgpu' ? 'Resume on WASM, or start' : 'Start'} a run with fewer questions or rollouts per step; its snapshots are kept.`,
            { cause: error },
          );
        active.notice = `${error.message}; started again from the last snapshot.`;
        active.restarted();
      }
    }
  }

  async #attempt(): Promise<TrainResult['end']> {
    const { settings, device, keys = 'f32', setup = BUILT_IN_SETUP } = this.#run;
    const lost = new AbortController();
    const { signal } = this.#active.abort;
    const world = await this.#parts.world(setup);
    const engines = await this.#parts.startEngines({
      policy: setup.policy,
      device,
      keys,
      adapter: settings.adapter,
      signal,
      onLost: (error) => lost.abort(error),
    });
    const either = AbortSignal.any([signal, lost.signal]);
    const { activity } = this.#active;
    activity.watchLearner(engines.learner);
    try {
      const policy = activity.watchPolicy(engines.policy);
      const watched = { policy, learner: engines.learner, config: engines.config };
      await this.#measure(watched, world, either);
      const result = await this.#train(watched, world, either);
      lost.signal.throwIfAborted();
      return result.end;
    } catch (error) {
      lost.signal.throwIfAborted();
      throw error;
    } finally {
      engines.terminate();
    }
  }

  /** A new run that nothing like was measured for begins with a measurement: its time to go is known at once. */
  async #measure(engines: RunEngines, world: TrainWorld, signal: AbortSignal): Promise<void> {
    const active = this.#active;
    const { settings, step, checkpointStep } = this.#run;
    const isNew = step === 0 && checkpointStep === null;
    if (!isNew || active.isTimed || !isWorthMeasuring(settings)) return;
    active.measuring();
    this.#reporter.progress(active, true);
    try {
      active.expect(paceByProbe(settings, await this.#measureRun(engines, world, signal)));
    } catch (error) {
      signal.throwIfAborted();
      active.note(`This device could not be measured: ${messageOf(error)}.`);
    }
  }

  async #train(engines: RunEngines, world: TrainWorld, signal: AbortSignal): Promise<TrainResult> {
    const active = this.#active;
    const { store } = this.#parts;
    const { settings, setup = BUILT_IN_SETUP } = this.#run;
    const note = (line: string): void => active.note(line);
    const state = await store.restore(active.id, note);
    const startAdapter = await this.#startAdapter(state !== null);
    return trainRun({
      settings,
      deps: await assembleRun(settings, {
        policy: engines.policy,
        learner: engines.learner,
        config: engines.config,
        startAdapter,
        retriever: world.retriever,
        router: world.router,
        summarizer: await summarizerFor(settings, setup, this.#parts.helper),
        questions: world.questions,
        judge: await this.#judge(setup),
        demonstrations: () => store.demonstrations(active.id),
        keepTrajectories: (text) => store.putDemonstrations(active.id, text),
        runId: active.id,
        now: () => performance.timeOrigin + performance.now(),
        onNotice: note,
      }),
      ...(state && { state }),
      hooks: {
        signal,
        onProgress: (progress) => {
          active.moved(progress);
          this.#reporter.progress(active, progress.done === progress.total);
        },
        onNotice: (line, of) => (of === 'before' ? active.noteBefore(line) : active.note(line)),
        onRollout: (rollout, of) => {
          active.ran(rollout, of);
          this.#reporter.send([{ type: 'rollout', rollout: liveRollout(rollout, of) }]);
        },
        onStep: (record, rollouts) => {
          active.stepped(record, rollouts);
          this.#reporter.send([{ type: 'step', step: record }]);
        },
        snapshot: (at) => this.#snapshot(at),
        shouldStop: () => active.pausing,
        learningRate: () => active.learningRate,
      },
    });
  }

  /** The adapter that the run starts from. @throws Error where it has none left and no snapshot either */
  async #startAdapter(hasSnapshot: boolean): Promise<Float32Array | null> {
    const { id, startedFrom } = this.#run;
    const adapter = await this.#parts.store.startAdapter(id);
    if (adapter || !startedFrom || hasSnapshot) return adapter;
    throw new Error(
      `The adapter of “${startedFrom.name}”, which this run starts from, is not stored in this browser. Start a new run from it.`,
    );
  }

  /** Held-out scores go without a judge that cannot be opened: training does not hang on it. */
  async #judge({ judge }: Setup): Promise<HeldOutJudge | null> {
    if (judge.kind === 'off' || this.#run.settings.heldOut.questions === 0) return null;
    const active = this.#active;
    // A judge that fails at every score would fill the notice; the newest score tells as much.
    let before: string | undefined;
    const note = (line: string): void => {
      active.note(line, before);
      before = line;
    };
    try {
      const model = await this.#parts.helper(judge.policy);
      return heldOutJudge(createJudge(model, { clock: () => performance.now() }), ASKING, note);
    } catch (error) {
      active.note(
        `The judge cannot be asked (${messageOf(error)}); held-out scores go without it.`,
      );
      return null;
    }
  }

  async #snapshot(state: Parameters<RunStore['commit']>[1]): Promise<void> {
    const active = this.#active;
    if (active.discarding) return;
    const { step, coldStart } = state;
    const evaluated = coldStart && { coldStart: coldStart.points };
    const change = { step, updatedAt: nowIso(), ...active.record, ...evaluated };
    await this.#parts.store.commit(active.id, state, active.pending, change);
    active.pending = [];
    active.recorded();
    this.#reporter.send([{ type: 'run', run: await this.#parts.store.run(active.id) }]);
    await this.#reporter.storage();
  }
}
