import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { HeldOutScore, RouterStep, MadeStep } from '../../records/training.ts';
import { learningRateAt, stageAt } from '../schedule.ts';
import { withoutAdapter } from '../frozen/without-adapter.ts';
import { collect, type Collected, type CollectRequest } from './collect.ts';
import type {
  DemonstrationContext,
  Demonstrations,
  Json,
  TrainDeps,
  TrainHooks,
  TrainResult,
  TrainRun,
  TrainLoopPhase,
} from './contracts.ts';
import { scoreHeldOut } from './held-out.ts';
import { stepRecord } from './record.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { passRate } from '../band.ts';
import { handedOn, initialState, stateAfter, type TrainState } from './state.ts';
import { checkBeginning } from './trainable.ts';
import { warmStartKind, warmStart } from './warm-start.ts';
import { updateOf, type StepResult } from './step-update.ts';
import type { UpdateReport } from './update.ts';
import { warmUpAdapter } from './warm-up.ts';
import { itemAt } from '../../base/items.ts';

/** Between snapshots of a cold start. */
const COLD_START_SNAPSHOT_MS = 180_000;

/** Reinforcement learning of an adapter, step by step; every step makes a new state. */
class TrainLoop {
  readonly #settings: TrainSettings;
  #deps: TrainDeps;
  readonly #hooks: TrainHooks;
  #state: TrainState;
  /** Seconds that the last snapshot took, told with the step after it. */
  #snapshotSeconds = 0;

  constructor({ settings, deps, state, hooks = {} }: TrainRun) {
    this.#settings = settings;
    this.#deps = deps;
    this.#hooks = hooks;
    this.#state = state ?? initialState(settings, deps.config, deps.startAdapter);
  }

  async run(): Promise<TrainResult> {
    await this.#start();
    // Questions are scored by the policy as it is, before it is made one that does not search.
    const ready =
      (await this.#warmUp()) &&
      (await this.#prepare()) &&
      (await this.#makeStart()) &&
      (await this.#makeStored());
    if (!ready) return { state: this.#state, end: this.#early };
    let saved = this.#state.step;
    while (this.#state.step < this.#settings.steps) {
      const stop = this.#hooks.shouldStop?.() ?? false;
      if (stop || this.#aborted) break;
      try {
        await this.#step();
      } catch (error) {
        if (this.#aborted) break;
        throw error;
      }
      if (this.#state.step % this.#settings.checkpointEvery === 0) {
        await this.#snapshot();
        saved = this.#state.step;
      }
    }
    if (saved !== this.#state.step) await this.#snapshot();
    const whole = this.#state.step >= this.#settings.steps;
    return { state: this.#state, end: whole ? 'finished' : this.#early };
  }

  get #early(): 'aborted' | 'stopped' {
    return this.#aborted ? 'aborted' : 'stopped';
  }

  get #aborted(): boolean {
    return this.#hooks.signal?.aborted ?? false;
  }

  readonly #shouldStop = (): boolean => this.#aborted || (this.#hooks.shouldStop?.() ?? false);

  /** Restores what others hold and gives the sampler the adapter of the state. */
  async #start(): Promise<void> {
    const [deps, state] = [this.#deps, this.#state];
    this.#tell('starting', 0, 1);
    checkBeginning(this.#settings, deps, state);
    if (state.curriculum !== null) deps.curriculum.restore(state.curriculum);
    if (state.router !== null) deps.router?.restore(state.router);
    await this.#sampleWith(state.adapter);
    this.#tell('starting', 1, 1);
  }

  /** The cold start. @returns false where the run was ended meanwhile */
  async #warmUp(): Promise<boolean> {
    const { warmUp } = this.#settings;
    if (!warmUp || this.#state.step > 0 || this.#state.coldStart?.over) return true;
    const { learner, coldStartQuestions = [] } = this.#deps;
    const before = this.#state;
    let savedAt = this.#deps.now();
    try {
      const demonstrations = await this.#demonstrations(Boolean(warmUp.own));
      this.#state = await warmUpAdapter({
        settings: { ...this.#settings, warmUp },
        learner,
        demonstrations,
        state: this.#state,
        rate: 'falling',
        now: () => this.#deps.now(),
        ...(coldStartQuestions.length > 0 && {
          answer: (adapter) => this.#answer(coldStartQuestions, adapter),
        }),
        onUpdate: (done, total) => this.#tell('warm-up', done, total),
        onNotice: (line) => this.#hooks.onNotice?.(line, 'before'),
        onState: async (state, evaluated) => {
          this.#state = state;
          const due = this.#deps.now() - savedAt >= COLD_START_SNAPSHOT_MS;
          if (!evaluated && !due) return;
          await this.#snapshot();
          savedAt = this.#deps.now();
          if (evaluated) this.#hooks.onColdStart?.(evaluated);
        },
        shouldStop: this.#shouldStop,
      });
    } catch (error) {
      if (!this.#aborted) throw error;
      // Ended within an evaluation: the updates before it are whole.
      if (this.#state !== before) await this.#snapshot();
      return false;
    }
    if (this.#state === before) return false;
    await this.#snapshot();
    await this.#sampleWith(this.#state.adapter);
    return this.#state.coldStart?.over === true;
  }

  /** Held-out questions that are answered with an adapter on the way of a cold start. */
  async #answer(questions: readonly Question[], adapter: Float32Array): Promise<HeldOutScore> {
    await this.#sampleWith(adapter);
    const { webLatency: _, ...agent } = this.#agent;
    const { signal } = this.#hooks;
    this.#tell('held-out', 0, questions.length);
    return scoreHeldOut(this.#settings, agent, questions, {
      runId: this.#deps.runId,
      step: 0,
      signal,
      onRollout: (rollout, done) => {
        this.#tell('held-out', done, questions.length);
        this.#hooks.onRollout?.(rollout, 'before');
      },
    });
  }

  /** Where the run begins with another policy than the one available. @returns false where the run was ended meanwhile */
  async #makeStart(): Promise<boolean> {
    const { settings, state } = { settings: this.#settings, state: this.#state };
    const kind = warmStartKind(settings);
    if (!kind || state.step > 0 || state.startMade) return true;
    const { learner, startQuestions = [], runId } = this.#deps;
    try {
      const made = await warmStart(
        {
          settings,
          agent: this.#agent,
          learner,
          questions: startQuestions,
          state,
          runId,
          signal: this.#hooks.signal,
          onProgress: (done, total) => this.#tell('make-start', done, total),
          onEnded: (rollout) => this.#hooks.onRollout?.(rollout, 'before'),
          onNotice: (line) => this.#hooks.onNotice?.(line, 'before'),
          shouldStop: this.#shouldStop,
        },
        kind,
      );
      if (!made) return false;
      this.#state = { ...made, curriculum: structuredClone(this.#deps.curriculum.state()) };
    } catch (error) {
      if (this.#aborted) return false;
      throw error;
    }
    await this.#snapshot();
    await this.#sampleWith(this.#state.adapter);
    return true;
  }

  /** Trajectories of the policy's own for stages that learn from stored ones. @returns false where the run was ended meanwhile */
  async #makeStored(): Promise<boolean> {
    const { makeStored } = this.#deps;
    if (!makeStored || this.#state.step >= this.#settings.steps) return true;
    try {
      // They are of the policy that the run began with, though it continues.
      const { step, adapter } = this.#state;
      if (step > 0) await this.#sampleWith(this.#initial);
      this.#deps = { ...this.#deps, stored: await makeStored(this.#sampling()) };
      await this.#sampleWith(adapter);
      return true;
    } catch (error) {
      if (this.#aborted) return false;
      throw error;
    }
  }

  get #initial(): Float32Array {
    return initialState(this.#settings, this.#deps.config, this.#deps.startAdapter).adapter;
  }

  /** With what trajectories of the run's own are sampled. */
  #sampling(): DemonstrationContext {
    const { signal } = this.#hooks;
    // What web calls take here is none of the router's experience.
    const { webLatency: _, ...agent } = this.#agent;
    return {
      agent,
      runId: this.#deps.runId,
      signal,
      onRollout: (done, total) => this.#tell('demonstrations', done, total),
      onEnded: (rollout) => this.#hooks.onRollout?.(rollout, 'before'),
    };
  }

  /** Trajectories of the warm-up; the run's own are sampled with the adapter that it began with. */
  async #demonstrations(own: boolean): Promise<readonly Rollout[] | Demonstrations> {
    const { demonstrations = [], demonstrate } = this.#deps;
    if (!own) return demonstrations;
    if (!demonstrate)
      throw new Error(
        'training: the trajectories of the warm-up are missing, and nothing samples them',
      );
    await this.#sampleWith(this.#initial);
    return demonstrate(this.#sampling());
  }

  /** Gets the curriculum ready. @returns false where the run was ended meanwhile */
  async #prepare(): Promise<boolean> {
    const { curriculum, runId } = this.#deps;
    const { signal } = this.#hooks;
    if (!curriculum.prepare || this.#state.step >= this.#settings.steps) return true;
    try {
      return await curriculum.prepare({
        agent: this.#agent,
        runId,
        signal,
        shouldStop: () => this.#hooks.shouldStop?.() ?? false,
        onProgress: (done, total) => this.#tell('scoring-questions', done, total),
        onEnded: (rollout) => this.#hooks.onRollout?.(rollout, 'before'),
        save: async () => {
          this.#state = { ...this.#state, curriculum: structuredClone(curriculum.state()) };
          await this.#hooks.snapshot?.(this.#state);
        },
      });
    } catch (error) {
      if (this.#aborted) return false;
      throw error;
    }
  }

  /** What rollouts work with: the router is the one that is trained, where one is. */
  get #agent(): TrainDeps['agent'] {
    const { agent, router } = this.#deps;
    if (!router) return agent;
    const { webLatency } = router;
    return { ...agent, router: router.router, ...(webLatency && { webLatency }) };
  }

  async #sampleWith(flat: Float32Array): Promise<void> {
    await this.#deps.agent.policy.setAdapter?.({ spec: this.#settings.adapter, flat });
  }

  async #step(): Promise<void> {
    const now = (): number => this.#deps.now();
    const step = this.#state.step + 1;
    const learningRate = this.#hooks.learningRate?.() ?? this.#state.learningRate;
    const before: TrainState = { ...this.#state, learningRate };
    const heldOutAtStart = await this.#atStart();
    const stage = stageAt(this.#settings.stages, step);
    const start = now();
    const collected = await this.#rollouts(step, stage);
    const sampled = now();
    const due = this.#heldOutDue(step);
    const made = await this.#update(before, collected, due);
    const { update, skipped, kl, klCoefficient, probeRatio, carried } = made;
    if (update) await this.#sampleWith(update.adapter);
    const router = this.#trainRouter(collected, step);
    const updated = now();
    const heldOut = due ? await this.#heldOut(step) : null;
    const end = now();
    this.#state = {
      ...this.#next(before, update, (end - start) / 1000),
      ...(collected.all.length > 0 && { accuracy: passRate(collected.all.flat()) }),
      ...carried,
      ...handedOn(before, collected),
    };
    const base = before.learningRate ?? this.#settings.optimizer.learningRate;
    const optimizer = { ...this.#settings.optimizer, learningRate: base };
    const seconds = {
      rollout: (sampled - start) / 1000,
      update: (updated - sampled) / 1000,
      heldOut: (end - updated) / 1000,
      checkpoint: this.#snapshotSeconds,
      total: (end - start) / 1000,
    };
    this.#snapshotSeconds = 0;
    const record: MadeStep = stepRecord({
      runId: this.#deps.runId,
      step,
      stage,
      at: new Date(end).toISOString(),
      collected,
      update,
      ...(skipped && { skipped }),
      kl,
      klCoefficient,
      probeRatio,
      learningRate: learningRateAt(optimizer, step, this.#settings.steps),
      heldOut,
      heldOutAtStart,
      router,
      seconds,
    });
    await this.#hooks.onStep?.(record, collected.all.flat());
  }

  #rollouts(step: number, stage: number): Promise<Collected> {
    const { curriculum, runId } = this.#deps;
    if (isStored(itemAt(this.#settings.stages, stage, 'stages').loss))
      return Promise.resolve({ trained: [], all: [], batches: 0, zeroVariance: 0, drawn: {} });
    const { signal } = this.#hooks;
    return collect({
      settings: this.#settings,
      agent: this.#agent,
      curriculum,
      runId,
      step,
      stage: itemAt(this.#settings.stages, stage, 'stages'),
      ...this.#nextStage(step),
      ahead: this.#state.ahead,
      keptNumbers: this.#state.keptNumbers,
      accuracyBefore: this.#state.accuracy ?? null,
      frozen: (work) =>
        withoutAdapter(this.#agent.policy, work, () => this.#sampleWith(this.#state.adapter)),
      ...(signal ? { signal } : {}),
      onRollout: (done, total) => this.#tell('rollouts', done, total),
      onEnded: (rollout) => this.#hooks.onRollout?.(rollout, 'step'),
    });
  }

  /** The stage of the step after this one, where that has rollouts. */
  #nextStage(step: number): Pick<CollectRequest, 'nextStage'> {
    const { steps, stages } = this.#settings;
    if (step >= steps) return {};
    const nextStage = itemAt(stages, stageAt(stages, step + 1), 'stages');
    return isStored(nextStage.loss) ? {} : { nextStage };
  }

  #heldOutDue(step: number): boolean {
    const { questions, every } = this.#settings.heldOut;
    return questions > 0 && (step % every === 0 || step === this.#settings.steps);
  }

  /** Advantages and the optimizer updates; `measureKl`: score the reference though no loss needs it. */
  #update(state: TrainState, collected: Collected, measureKl: boolean): Promise<StepResult> {
    return updateOf({
      deps: this.#deps,
      settings: this.#settings,
      state,
      collected,
      measureKl,
      onUpdate: (done, total) => {
        this.#hooks.signal?.throwIfAborted();
        this.#tell('update', done, total);
      },
    });
  }

  #trainRouter({ all }: Collected, step: number): RouterStep | null {
    if (this.#settings.router.train === 'off') return null;
    return this.#deps.router?.learn(all.flat(), step) ?? null;
  }

  /** What every later score is compared with: the policy before its first step; null at any other. */
  #atStart(): Promise<HeldOutScore | null> {
    const first = this.#state.step === 0 && this.#settings.heldOut.questions > 0;
    if (!first) return Promise.resolve(null);
    // What web calls take here is none of the router's experience.
    const { webLatency: _, ...agent } = this.#agent;
    return this.#heldOut(0, agent);
  }

  #heldOut(step: number, agent: TrainDeps['agent'] = this.#agent): Promise<HeldOutScore> {
    const { heldOut, runId, judge, curriculum } = this.#deps;
    const { signal } = this.#hooks;
    const onRollout = (rollout: Rollout, done: number): void => {
      this.#tell('held-out', done, heldOut.length);
      this.#hooks.onRollout?.(rollout, 'held-out');
    };
    const at = { runId, step, signal, judge, learned: curriculum.heldOut?.(), onRollout };
    this.#tell('held-out', 0, heldOut.length);
    return scoreHeldOut(this.#settings, agent, heldOut, at);
  }

  #next(before: TrainState, update: UpdateReport | null, seconds: number): TrainState {
    const trainsRouter = this.#settings.router.train !== 'off';
    const router: Json = trainsRouter ? (this.#deps.router?.state() ?? null) : before.router;
    return stateAfter(before, update, {
      curriculum: structuredClone(this.#deps.curriculum.state()),
      router: structuredClone(router),
      seconds,
    });
  }

  async #snapshot(): Promise<void> {
    this.#tell('snapshot', 0, 1);
    const start = this.#deps.now();
    await this.#hooks.snapshot?.(this.#state);
    this.#snapshotSeconds = (this.#deps.now() - start) / 1000;
    this.#tell('snapshot', 1, 1);
  }

  #tell(phase: TrainLoopPhase, done: number, total: number): void {
    const step = Math.min(this.#state.step + (phase === 'snapshot' ? 0 : 1), this.#settings.steps);
    this.#hooks.onProgress?.({ phase, step, steps: this.#settings.steps, done, total });
  }
}

/**
 * Trains until the settings' last step, a stop or an abort. On the WASM device a run that continues
 * from a state continues bit for bit as if it had not been interrupted.
 *
 * @throws Error where the policy fails or a gradient is not finite: the last snapshot then holds
 */
export const trainRun = (run: TrainRun): Promise<TrainResult> => new TrainLoop(run).run();
