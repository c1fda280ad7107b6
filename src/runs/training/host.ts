import type { Rollout } from '../../data/rollout.ts';
import type { TrainStep } from '../../data/training.ts';
import { parseTrainSettings } from '../../learn/rl/edit-settings.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import { usableDemonstrations } from '../../learn/rl/warm-up.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import type { TrainSettings } from '../../learn/rl/settings.ts';
import { chooseDevice } from '../conductor/device.ts';
import { describeFailure, WorkerLost } from '../conductor/failures.ts';
import { StorageFull, storageUse } from '../storage/quota.ts';
import type { RunStore } from '../storage/run-store.ts';
import { ActiveRun } from './active-run.ts';
import type { EngineOptions, TrainEngines } from './engines.ts';
import { watchForFreezes } from './freezes.ts';
import { heldRuns, holdRun } from './locks.ts';
import type { RunRecord, TrainApi, TrainMessage } from './messages.ts';
import { checkRouter, trainDeps, type TrainWorld } from './parts.ts';
import { filesOf, type Download, type DownloadKind } from './downloads.ts';
import { readRunFile, writeRunFile } from './run-file.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../data/setup.ts';
import type { PolicyFacts } from './policy-facts.ts';
import { estimate } from './estimate.ts';

/** How often progress is told at most. */
const TELL_MS = 200;
/** Losses of a device or worker within this time after which training stops by itself. */
const LOSSES = { most: 3, withinMs: 5 * 60_000 };
/** Deleted runs are kept at least this long for the undo of another tab. */
const KEEP_DELETED_MS = 10 * 60_000;

type StartEngines = (
  options: Pick<EngineOptions, 'device' | 'adapter' | 'signal' | 'onLost'> & { policy: PolicyRef },
) => Promise<TrainEngines>;

export interface HostParts {
  store: RunStore;
  startEngines: StartEngines;
  /** Resolves when sources and questions are loaded. */
  world(setup: Setup): Promise<TrainWorld>;
  /**
   * The policy that is trained, without starting an engine.
   * @throws Error in words where it cannot be trained
   */
  policy(ref: PolicyRef): Promise<PolicyFacts>;
  locks: LockManager;
  /** To the same page in other tabs. */
  channel: BroadcastChannel;
}

/** Sources and policy alone: who judges or summarizes a question of the page is not part of training. */
const isBuiltIn = ({ policy, local, web, questions }: Setup): boolean =>
  [policy, local, web, questions].every(({ kind }) => kind === 'built-in');

const nowIso = (): string => new Date().toISOString();

const newId = (settings: TrainSettings): string =>
  `${settings.preset}-${Date.now().toString(36)}-${crypto.randomUUID().slice(0, 4)}`;

/** Training in the lab worker: one run at a time, stored as it goes. */
export class TrainingHost implements TrainApi {
  readonly #parts: HostParts;
  #listener: (messages: TrainMessage[]) => void = () => undefined;
  #active: ActiveRun | null = null;
  #told = 0;
  /** What must be done once before runs are shown. */
  #ready: Promise<void> | null = null;

  constructor(parts: HostParts) {
    this.#parts = parts;
    // What another tab trains is shown here too; it is told the same messages.
    parts.channel.addEventListener('message', ({ data }: MessageEvent<TrainMessage[]>) =>
      this.#listener(data),
    );
  }

  async listen(listener: (messages: TrainMessage[]) => void): Promise<void> {
    this.#listener = listener;
    await this.#tellStorage();
  }

  async runs(): Promise<RunRecord[]> {
    this.#ready ??= this.#tidy();
    await this.#ready;
    return this.#parts.store.runs();
  }

  async steps(runId: string): Promise<TrainStep[]> {
    const stored = await this.#parts.store.steps(runId);
    const pending = this.#active?.id === runId ? this.#active.pending : [];
    return [...stored, ...pending.map(({ record }) => record)];
  }

  async rollouts(runId: string, step: number): Promise<Rollout[]> {
    const pending = this.#active?.id === runId ? this.#active.pending : [];
    const fresh = pending.find(({ record }) => record.step === step);
    return fresh ? [...fresh.rollouts] : this.#parts.store.rollouts(runId, step);
  }

  async estimate(settings: TrainSettings, device: 'wasm' | 'webgpu' | 'auto', setup: Setup) {
    const checked = parseTrainSettings(settings);
    const { config, engines, id } = await this.#parts.policy(setup.policy);
    const { store } = this.#parts;
    const past = (await store.runs()).filter(
      (run) => run.policy.id === id && (device === 'auto' || run.device === device),
    );
    const newest = past.find((run) => run.settings.recipe === checked.recipe && run.step > 0);
    const steps = newest ? [{ run: newest, steps: await store.steps(newest.id) }] : [];
    return estimate(checked, config, engines, steps);
  }

  async create(
    settings: TrainSettings,
    name: string,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    demonstrations?: Blob,
  ): Promise<RunRecord> {
    this.#checkFree();
    const checked = parseTrainSettings(settings);
    checkRouter(checked);
    const chosen = await chooseDevice(device, navigator.gpu, navigator.hardwareConcurrency);
    const [world, policy] = await Promise.all([
      this.#parts.world(setup),
      this.#parts.policy(setup.policy),
    ]);
    const run: RunRecord = {
      format: 'forage.run/1',
      id: newId(checked),
      name: name.trim() === '' ? `${checked.preset}, seed ${checked.seed}` : name.trim(),
      tags: [],
      notes: '',
      createdAt: nowIso(),
      updatedAt: nowIso(),
      status: 'running',
      settings: checked,
      policy: { id: policy.id, revision: policy.revision },
      ...(!isBuiltIn(setup) && { setup }),
      world: { seed: world.seed, questions: world.questions.length },
      device: chosen.facts.device,
      step: 0,
      checkpointStep: null,
      failure: null,
      notice: null,
      deletedAt: null,
    };
    if (checked.warmUp)
      await this.#keepDemonstrations(run.id, demonstrations, { ...policy, ...checked.warmUp });
    await this.#parts.store.put(run);
    await this.#begin(run);
    return run;
  }

  async resume(runId: string, device?: RunRecord['device']): Promise<void> {
    this.#checkFree();
    const stored = await this.#parts.store.run(runId);
    const run = { ...stored, device: device ?? stored.device };
    const setup = run.setup ?? BUILT_IN_SETUP;
    const [world, policy] = await Promise.all([
      this.#parts.world(setup),
      this.#parts.policy(setup.policy),
    ]);
    if (run.policy.revision !== policy.revision)
      throw new Error(
        `"${run.name}" trains the policy ${run.policy.id} ${run.policy.revision}; loaded is ${policy.id} ${policy.revision}. Load the policy that it began with.`,
      );
    if (run.world.seed !== world.seed)
      throw new Error(
        `"${run.name}" trains on the world of seed ${run.world.seed}; loaded is that of seed ${world.seed}.`,
      );
    await this.#begin(run);
  }

  async pause(runId: string): Promise<void> {
    const active = this.#running(runId);
    active.pausing = true;
    this.#tell(active, true);
  }

  async stop(runId: string, keep: boolean): Promise<void> {
    if (this.#active?.id !== runId) {
      await this.#change(runId, { status: 'stopped' });
      return;
    }
    const active = this.#active;
    active.discarding = !keep;
    active.abort.abort();
    await active.ended;
  }

  async setLearningRate(runId: string, learningRate: number): Promise<void> {
    if (!Number.isFinite(learningRate) || learningRate <= 0)
      throw new Error('The learning rate must be a number above 0.');
    this.#running(runId).learningRate = learningRate;
  }

  async edit(
    runId: string,
    { name, tags, notes }: Partial<Pick<RunRecord, 'name' | 'tags' | 'notes'>>,
  ): Promise<void> {
    await this.#change(runId, {
      ...(name !== undefined && { name }),
      ...(tags !== undefined && { tags }),
      ...(notes !== undefined && { notes }),
    });
  }

  async remove(runId: string): Promise<void> {
    if (this.#active?.id === runId) await this.stop(runId, true);
    await this.#change(runId, { deletedAt: nowIso() });
  }

  async restore(runId: string): Promise<void> {
    await this.#change(runId, { deletedAt: null });
  }

  async exportRun(runId: string): Promise<Blob> {
    const { store } = this.#parts;
    const [run, steps, state] = await Promise.all([
      store.run(runId),
      store.steps(runId),
      store.lastState(runId),
    ]);
    return new Blob([writeRunFile({ run, steps, state })], { type: 'application/json' });
  }

  async importRun(file: Blob): Promise<RunRecord> {
    const { run, steps, state } = readRunFile(await file.text());
    const { store } = this.#parts;
    const taken = (await store.runs()).some(({ id }) => id === run.id);
    const imported: RunRecord = {
      ...run,
      id: taken ? newId(run.settings) : run.id,
      name: taken ? `${run.name} (imported)` : run.name,
      status: run.status === 'running' ? 'paused' : run.status,
      checkpointStep: state?.step ?? null,
      deletedAt: null,
    };
    await store.put({ ...imported, checkpointStep: null });
    const pending = steps
      .filter(({ step }) => step <= (state?.step ?? 0))
      .map((step) => ({ record: { ...step, runId: imported.id }, rollouts: [] }));
    if (state) await store.commit(imported.id, state, pending, {});
    this.#send([{ type: 'run', run: imported }]);
    return imported;
  }

  async download(runId: string, what: DownloadKind): Promise<Download[]> {
    const { store } = this.#parts;
    const [run, state] = await Promise.all([store.run(runId), store.lastState(runId)]);
    const policy = await this.#parts.policy((run.setup ?? BUILT_IN_SETUP).policy);
    return filesOf(what, { run, state, policy, steps: () => this.steps(runId) });
  }

  /** Frees the rollouts of a run's past steps. @returns bytes */
  async dropRollouts(runId: string): Promise<number> {
    const freed = await this.#parts.store.dropRollouts(runId);
    await this.#tellStorage();
    return freed;
  }

  async #keepDemonstrations(
    runId: string,
    given: Blob | undefined,
    { config, onlyCorrect }: PolicyFacts & { onlyCorrect: boolean },
  ): Promise<void> {
    if (!given)
      throw new Error('The warm-up needs a file of trajectories (rollouts as JSON lines).');
    const text = await given.text();
    const rollouts = readDemonstrations(text, config.vocabSize);
    // Said now rather than when the engines are up.
    usableDemonstrations(rollouts, { onlyCorrect, maxTokens: config.maxPositions });
    await this.#parts.store.putDemonstrations(runId, text);
  }

  #checkFree(): void {
    if (this.#active)
      throw new Error('Another run is training in this tab; pause or stop it first.');
  }

  #running(runId: string): ActiveRun {
    if (this.#active?.id !== runId) throw new Error('This run is not training in this tab.');
    return this.#active;
  }

  /** Runs that a killed tab left, and runs that were deleted long ago. */
  async #tidy(): Promise<void> {
    const { store, locks } = this.#parts;
    const held = await heldRuns(locks);
    for (const run of await store.runs()) {
      if (held.has(run.id)) continue;
      if (run.deletedAt !== null && Date.now() - Date.parse(run.deletedAt) > KEEP_DELETED_MS)
        await store.purge(run.id);
      else if (run.status === 'running')
        await store.put({ ...run, status: 'paused', notice: interrupted(run) });
    }
  }

  /** Takes the run's lock and trains; resolves when training has begun. */
  async #begin(run: RunRecord): Promise<void> {
    const release = await holdRun(run.id, this.#parts.locks);
    if (!release) throw new Error(`Another tab is training "${run.name}"; this one only shows it.`);
    const active = new ActiveRun(run.id, run.settings.steps, run.step, release);
    this.#active = active;
    const { device } = run;
    await this.#change(run.id, { status: 'running', device, failure: null, notice: null });
    active.ended = this.#drive(active, run);
  }

  /** Trains to the end, and says how it ended. Never rejects. */
  async #drive(active: ActiveRun, run: RunRecord): Promise<void> {
    using _watch = watchForFreezes((seconds) => {
      active.notice = `The browser froze this tab for ${seconds} s; training went on afterwards.`;
    });
    let change: Partial<RunRecord>;
    try {
      const end = await this.#attempts(active, run);
      const paused = end === 'stopped' ? 'paused' : 'stopped';
      change = { status: end === 'finished' ? 'finished' : paused };
    } catch (error) {
      const stopped = active.abort.signal.aborted;
      change = stopped
        ? { status: 'stopped' }
        : {
            status: error instanceof StorageFull ? 'paused' : 'failed',
            failure: describeFailure(error),
          };
    }
    this.#active = null;
    active.release();
    await this.#change(active.id, { ...change, notice: active.notice }).catch(() => undefined);
    this.#send([{ type: 'progress', progress: active.progress(change.status ?? 'failed') }]);
  }

  /** Starts again from the last checkpoint when a worker or device was lost. */
  async #attempts(active: ActiveRun, run: RunRecord) {
    const lost: number[] = [];
    for (;;) {
      try {
        return await this.#attempt(active, run);
      } catch (error) {
        if (!(error instanceof WorkerLost) || active.abort.signal.aborted) throw error;
        lost.push(Date.now());
        const recent = lost.filter((at) => at > Date.now() - LOSSES.withinMs);
        if (recent.length >= LOSSES.most)
          throw new Error(
            `${error.message}, the ${recent.length}th time within five minutes. ${run.device === 'webgpu' ? 'Resume on WASM, or start' : 'Start'} a run with fewer questions or rollouts a step; its checkpoints are kept.`,
            { cause: error },
          );
        active.notice = `${error.message}; started again from the last checkpoint.`;
        active.restarted();
      }
    }
  }

  async #attempt(active: ActiveRun, { settings, device, setup = BUILT_IN_SETUP }: RunRecord) {
    const { store } = this.#parts;
    const lost = new AbortController();
    const signal = active.abort.signal;
    const world = await this.#parts.world(setup);
    const engines = await this.#parts.startEngines({
      policy: setup.policy,
      device,
      adapter: settings.adapter,
      signal,
      onLost: (error) => lost.abort(error),
    });
    if (engines.notice !== null) active.notice = engines.notice;
    try {
      const state = await store.restore(active.id, (line) => (active.notice = line));
      const result = await trainRun({
        settings,
        deps: {
          ...trainDeps(settings, active.id, engines, world, (line) => (active.notice = line)),
          ...(settings.warmUp && {
            demonstrations: readDemonstrations(
              await store.demonstrations(active.id),
              engines.weights.config.vocabSize,
            ),
          }),
        },
        ...(state ? { state } : {}),
        hooks: {
          signal: AbortSignal.any([signal, lost.signal]),
          onProgress: (progress) => {
            active.moved(progress);
            this.#tell(active, progress.done === progress.total);
          },
          onNotice: (line) => (active.notice = line),
          onStep: (record, rollouts) => {
            active.stepped(record, rollouts);
            this.#send([{ type: 'step', step: record }]);
          },
          checkpoint: (at) => this.#checkpoint(active, at),
          shouldStop: () => active.pausing,
          learningRate: () => active.learningRate,
        },
      });
      lost.signal.throwIfAborted();
      return result.end;
    } catch (error) {
      lost.signal.throwIfAborted();
      throw error;
    } finally {
      engines.terminate();
    }
  }

  async #checkpoint(active: ActiveRun, state: Parameters<RunStore['commit']>[1]): Promise<void> {
    if (active.discarding) return;
    const change = { step: state.step, updatedAt: nowIso() };
    await this.#parts.store.commit(active.id, state, active.pending, change);
    active.pending = [];
    this.#send([{ type: 'run', run: await this.#parts.store.run(active.id) }]);
    await this.#tellStorage();
  }

  async #change(runId: string, change: Partial<RunRecord>): Promise<void> {
    const run = await this.#parts.store.change(runId, { ...change, updatedAt: nowIso() });
    this.#send([{ type: 'run', run }]);
  }

  #tell(active: ActiveRun, now: boolean): void {
    if (!now && Date.now() - this.#told < TELL_MS) return;
    this.#told = Date.now();
    this.#send([{ type: 'progress', progress: active.progress('running') }]);
  }

  async #tellStorage(): Promise<void> {
    this.#listener([{ type: 'storage', ...(await storageUse()) }]);
  }

  #send(messages: TrainMessage[]): void {
    this.#listener(messages);
    this.#parts.channel.postMessage(messages);
  }
}

const interrupted = ({ checkpointStep }: RunRecord): string =>
  checkpointStep === null
    ? 'The tab was closed before the first checkpoint. Resume starts from the beginning.'
    : `The tab was closed while this run trained. Resume goes on after step ${checkpointStep}.`;
