import type { Rollout } from '../../records/rollout.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import type { MadeStep, TrainStep } from '../../records/training.ts';
import { withLoss } from '../../evaluate/rollouts/what-if/training.ts';
import { countText } from '../../evaluate/verdict.ts';
import type { SweepAxis } from '../../evaluate/sweep/axes.ts';
import { planSweep } from '../../evaluate/sweep/cells.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import { chooseDevice } from '../models/serving/device.ts';
import { ActiveRun } from './active-run.ts';
import type {
  AdoptOutcome,
  Download,
  DownloadKind,
  DroppedKind,
  MeasureOutcome,
  GivenDemonstrations,
  StartFrom,
  TrainEstimate,
  OlderRun,
  RolloutsOf,
  TrainApi,
  TrainMessage,
} from '../contract/training.ts';
import {
  RunDrive,
  summarizerFor,
  type DriveParts,
  type MeasureRun,
  type TrainWorld,
} from './drive.ts';
import { deviceLimits } from '../models/serving/device-limits.ts';
import { memoryRefusal } from '../../learn/replicas/training-memory.ts';
import { probeSummary } from '../../learn/run/predict.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import {
  expectedTime,
  measuredHere,
  nearestRun,
  paceByProbe,
  type ExpectedPace,
} from './pace/estimate.ts';
import { measure, memoryFor, modelOn, probeKey, type MeasureParts } from './measure.ts';
import { holdRun } from './locks.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import { OtherTabs, type Order } from './other-tabs.ts';
import type { AdoptFile } from '../../handover/adopt/folder.ts';
import { adoptRun } from './adopt.ts';
import { NamedJobs } from '../storage/jobs.ts';
import { checkMemory, hasSummarizer, readStartAdapter, storeRuns } from './new-runs.ts';
import { withSource } from './setup-source.ts';
import { SweepQueue, waitingOf } from './sweep-queue.ts';
import { keysOn, type PolicyFacts } from '../models/serving/policy-facts.ts';
import { newId, nowIso, RunRecords } from './records.ts';
import { RunReporter } from './reporter.ts';

export interface HostParts extends DriveParts {
  /**
   * The policy that is trained, without starting an engine.
   * @throws Error where it cannot be trained
   */
  policy(ref: PolicyRef): Promise<PolicyFacts>;
  /** Those that can be trained, the built-in one first. */
  policies(): Promise<PolicyRef[]>;
  /** @throws Error where the browser keeps no files, which every step is stored in */
  checkFiles(): void;
  locks: LockManager;
  /** To the same page in other tabs: messages, and orders. */
  channel: BroadcastChannel;
  orders: BroadcastChannel;
}

interface MeasureOptions extends Pick<MeasureParts, 'signal' | 'onProgress'> {
  start: StartFrom | undefined;
}

/** The same as the form asks with: no step names the last. */
const startOf = ({ startedFrom }: Pick<RunRecord, 'startedFrom'>): StartFrom | undefined =>
  startedFrom && { run: startedFrom.run, step: null };

/** Name of the job that measures the device. */
const MEASURE = 'measure';
const DOWNLOAD = 'download';

/** @throws Error where the run has this many steps already */
function longer({ settings, step, name }: RunRecord, steps: number): TrainSettings {
  if (steps <= step)
    throw new Error(`"${name}" has made ${countText(step, 'step')}; name more than that.`);
  return parseTrainSettings({ ...settings, steps });
}

/** Training in the lab worker: one run at a time, stored as it goes. */
export class TrainingHost implements TrainApi {
  readonly #parts: HostParts;
  readonly #reporter: RunReporter;
  readonly #records: RunRecords;
  readonly #tabs: OtherTabs;
  readonly #sweeps: SweepQueue;
  readonly #jobs = new NamedJobs();
  #active: ActiveRun | null = null;
  /** Settles when the last measurement has ended. */
  #measuring: Promise<unknown> = Promise.resolve();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#reporter = new RunReporter(parts.channel);
    this.#records = new RunRecords(parts.store, parts.locks, this.#reporter);
    this.#tabs = new OtherTabs({
      channel: parts.orders,
      locks: parts.locks,
      obey: (runId, order) => (this.#active?.id === runId ? this.#obey(runId, order) : null),
      freed: (runId) => this.#records.freed(runId),
    });
    this.#sweeps = new SweepQueue({
      runs: () => parts.store.runs(),
      resume: (runId) => this.resume(runId),
      moved: (sweepId) => this.#reporter.sweep(sweepId),
      failed: (runId, notice) => this.#records.change(runId, { notice }),
    });
    parts.channel.addEventListener('message', ({ data }: MessageEvent<TrainMessage[]>) => {
      for (const message of data) if (message.type === 'run') this.#watch(message.run);
    });
  }

  async listen(listener: (messages: TrainMessage[]) => void): Promise<void> {
    this.#reporter.listen(listener);
    this.#reporter.here(this.#active?.id ?? null);
    this.#reporter.sweep(this.#sweeps.current);
    await this.#reporter.storage();
  }

  async runs(): Promise<RunRecord[]> {
    const runs = await this.#records.all();
    runs.forEach((run) => this.#watch(run));
    return runs;
  }

  olderRuns(): Promise<OlderRun[]> {
    return this.#parts.store.olderRuns();
  }

  async removeOlderRuns(): Promise<void> {
    const { store } = this.#parts;
    for (const { id } of await store.olderRuns()) await store.purge(id);
    await this.#reporter.storage();
  }

  async steps(runId: string): Promise<TrainStep[]> {
    const stored = await this.#parts.store.steps(runId);
    const pending = this.#active?.id === runId ? this.#active.pending : [];
    return [...stored, ...pending.map(({ record }) => record)];
  }

  async rollouts(runId: string, step: number, of: RolloutsOf = 'step'): Promise<Rollout[]> {
    const fresh = this.#active?.id === runId ? this.#active.fresh(step, of) : null;
    const { store } = this.#parts;
    if (of === 'held-out') return fresh ? [...fresh] : store.heldOutRollouts(runId, step);
    const rollouts = fresh ?? (await store.rollouts(runId, step));
    if (rollouts.length === 0) return [];
    const { settings } = await store.run(runId);
    return rollouts.map((rollout) => withLoss(rollout, settings));
  }

  async estimate(
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    given?: GivenDemonstrations,
    start?: StartFrom,
  ): Promise<TrainEstimate> {
    const checked = withSource(parseTrainSettings(settings), setup);
    const facts = await this.#parts.policy(setup.policy);
    const { store } = this.#parts;
    const view = await deviceLimits(device, navigator);
    const past = (await store.runs()).filter(
      ({ policy, device: on, deletedAt }) =>
        policy.id === facts.id && on === view.device && deletedAt === null,
    );
    const run = nearestRun(checked, past);
    const steps = run ? measuredHere(run, await store.steps(run.id)) : [];
    const key = probeKey(checked, facts, view, setup, start);
    const probe = await store.probe(key);
    const memory = memoryFor(checked, facts, view);
    return {
      key,
      memory,
      refusal: memoryRefusal(memory, 'on Models'),
      time: expectedTime(checked, run && { run, steps }, probe, given),
      probed: probe && probeSummary(probe),
    };
  }

  async measure(
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    onProgress: (doing: string) => void,
    start?: StartFrom,
  ): Promise<MeasureOutcome> {
    await this.#free();
    const measured = this.#jobs.run(MEASURE, async (signal): Promise<MeasureOutcome> => {
      const checked = withSource(parseTrainSettings(settings), setup);
      await this.#measure(checked, device, setup, { signal, onProgress, start });
      const estimate = await this.estimate(checked, device, setup, undefined, start);
      return { status: 'measured', estimate };
    });
    this.#measuring = measured;
    return measured;
  }

  cancelMeasure(): Promise<void> {
    this.#jobs.cancel(MEASURE);
    return Promise.resolve();
  }

  async #measure(
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    { signal, onProgress, start }: MeasureOptions,
  ): Promise<void> {
    const view = await deviceLimits(device, navigator);
    const facts = await this.#parts.policy(setup.policy);
    const refusal = memoryRefusal(memoryFor(settings, facts, view), 'on Models');
    if (refusal !== null) throw new Error(refusal);
    onProgress('starting the engines');
    const lost = new AbortController();
    const engines = await this.#parts.startEngines({
      policy: setup.policy,
      device: view.device,
      keys: keysOn(view.device, facts),
      adapter: settings.adapter,
      signal,
      onLost: (error) => lost.abort(error),
    });
    try {
      await this.#measureWith(engines, await this.#parts.world(setup), {
        settings,
        setup,
        view,
        start,
        signal: AbortSignal.any([signal, lost.signal]),
        onProgress,
      });
    } finally {
      engines.terminate();
    }
  }

  /** Measures with engines that are started, and stores what it measured. */
  async #measureWith(
    engines: MeasureParts['engines'],
    world: TrainWorld,
    {
      settings,
      setup,
      view,
      start,
      ...of
    }: Pick<MeasureParts, 'settings' | 'view'> & MeasureOptions & { setup: Setup },
  ): Promise<Probe> {
    const { store, helper } = this.#parts;
    const facts = await this.#parts.policy(setup.policy);
    const summarizer = await summarizerFor(settings, setup, helper);
    const startAdapter = (await readStartAdapter(store, start, facts))?.flat ?? null;
    const parts = { settings, facts, view, engines, world, summarizer, startAdapter };
    const probe = await measure({ ...parts, ...of });
    const key = probeKey(settings, facts, view, setup, start);
    await store.putProbe({ key, model: modelOn(facts, view), recipe: settings.recipe, probe });
    return probe;
  }

  async create(
    settings: TrainSettings,
    name: string,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    demonstrations?: Blob,
    start?: StartFrom,
  ): Promise<RunRecord> {
    await this.#free();
    const given = {
      device,
      setup,
      ...(demonstrations && { demonstrations }),
      ...(start && { start }),
    };
    const [run] = await storeRuns(this.#parts, [{ settings, name }], given);
    if (!run) throw new Error('no run was made');
    await this.#begin(run, []);
    return { ...run, status: 'running' };
  }

  async createSweep(
    { name, axes }: { name: string; axes: readonly SweepAxis[] },
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    demonstrations?: Blob,
    start?: StartFrom,
  ): Promise<string> {
    await this.#free();
    const check = (one: TrainSettings) => checkTrainable(one, hasSummarizer(setup));
    const cells = planSweep(settings, axes, check);
    const called = name.trim() === '' ? `${settings.preset}, sweep` : name.trim();
    const id = `sweep-${newId(settings)}`;
    const wanted = cells.map((cell) => ({
      settings: cell.settings,
      name: `${called}: ${cell.name}`,
      sweep: { id, name: called, axes, place: cell.place },
    }));
    const given = {
      device,
      setup,
      ...(demonstrations && { demonstrations }),
      ...(start && { start }),
    };
    const runs = await storeRuns(this.#parts, wanted, given);
    this.#reporter.send(runs.map((run) => ({ type: 'run', run })));
    await this.#sweeps.start(id);
    return id;
  }

  async goOnWithSweep(sweepId: string): Promise<void> {
    await this.#free();
    await this.#sweeps.start(sweepId);
  }

  async dropRest(sweepId: string): Promise<string[]> {
    const rest = waitingOf(await this.#parts.store.runs(), sweepId);
    for (const { id } of rest) await this.#records.change(id, { deletedAt: nowIso() });
    return rest.map(({ id }) => id);
  }

  async resume(runId: string, device?: RunRecord['device'], steps?: number): Promise<void> {
    await this.#free();
    const stored = await this.#parts.store.run(runId);
    const settings = steps === undefined ? stored.settings : longer(stored, steps);
    const run = { ...stored, settings, device: device ?? stored.device };
    this.#checkGoesOn(run);
    const setup = run.setup ?? BUILT_IN_SETUP;
    const [world, policy, view] = await Promise.all([
      this.#parts.world(setup),
      this.#parts.policy(setup.policy),
      deviceLimits(run.device, navigator),
    ]);
    checkMemory(settings, policy, view);
    if (run.policy.revision !== policy.revision)
      throw new Error(
        `"${run.name}" trains the policy ${run.policy.id} ${run.policy.revision}; loaded is ${policy.id} ${policy.revision}. Load the policy that it began with.`,
      );
    if (run.world.seed !== world.seed)
      throw new Error(
        `"${run.name}" trains on the world of seed ${run.world.seed}; loaded is that of seed ${world.seed}.`,
      );
    if (steps !== undefined) await this.#records.change(runId, { settings });
    const before = run.device === stored.device ? await this.#parts.store.steps(runId) : [];
    await this.#begin(run, measuredHere(run, before));
  }

  async pause(runId: string): Promise<void> {
    const done = await this.#where(runId, { do: 'pause' });
    if (!done) await this.#records.freed(runId);
  }

  async stop(runId: string, keep: boolean): Promise<void> {
    const done = await this.#where(runId, { do: 'stop', keep });
    if (done) return;
    const { status } = await this.#parts.store.run(runId);
    // It may have ended in its own way meanwhile.
    if (status === 'running' || status === 'paused')
      await this.#records.change(runId, { status: 'stopped' });
  }

  async setLearningRate(runId: string, learningRate: number): Promise<void> {
    if (!Number.isFinite(learningRate) || learningRate <= 0)
      throw new Error('The learning rate must be a number above 0.');
    const done = await this.#where(runId, { do: 'rate', learningRate });
    if (!done) throw new Error('This run is not training.');
  }

  async edit(
    runId: string,
    { name, tags, notes }: Partial<Pick<RunRecord, 'name' | 'tags' | 'notes'>>,
  ): Promise<void> {
    await this.#records.change(runId, {
      ...(name !== undefined && { name }),
      ...(tags !== undefined && { tags }),
      ...(notes !== undefined && { notes }),
    });
  }

  async remove(runId: string): Promise<void> {
    await this.#where(runId, { do: 'stop', keep: true });
    await this.#records.change(runId, { deletedAt: nowIso() });
  }

  async restore(runId: string): Promise<void> {
    await this.#records.change(runId, { deletedAt: null });
  }

  purge = (before: string): Promise<void> => this.#records.purge(before);
  exportRun = (runId: string): Promise<Blob> => this.#records.export(runId);
  importRun = (file: Blob): Promise<RunRecord> => this.#records.read(file);

  adopt(
    job: string,
    files: readonly AdoptFile[],
    onProgress: (done: number, total: number) => void,
    setup?: Setup,
  ): Promise<AdoptOutcome> {
    return this.#jobs.run(job, async (signal): Promise<AdoptOutcome> => {
      const chosen = await chooseDevice('auto', navigator.gpu, navigator.hardwareConcurrency);
      const { device } = chosen.facts;
      const run = await adoptRun({ ...this.#parts, device }, files, {
        onProgress,
        signal,
        ...(setup && { setup }),
      });
      this.#reporter.send([{ type: 'run', run }]);
      await this.#reporter.storage();
      return { status: 'ready', run };
    });
  }

  cancelAdopt(job: string): Promise<void> {
    this.#jobs.cancel(job);
    return Promise.resolve();
  }

  drop = (runId: string, what: DroppedKind): Promise<number> => this.#records.drop(runId, what);

  async download(
    runId: string,
    what: DownloadKind,
    onProgress: (done: number, total: number) => void = () => undefined,
  ): Promise<Download[]> {
    const facts = (ref: PolicyRef): Promise<PolicyFacts> => this.#parts.policy(ref);
    const steps = (): Promise<TrainStep[]> => this.steps(runId);
    const made = await this.#jobs.run(DOWNLOAD, (signal) =>
      this.#records.download(runId, what, facts, steps, { onProgress, signal }),
    );
    return 'status' in made ? [] : made;
  }

  cancelDownload(): Promise<void> {
    this.#jobs.cancel(DOWNLOAD);
    return Promise.resolve();
  }

  /** Said before the run changes in any way. @throws Error where it cannot be trained further */
  #checkGoesOn({ settings, step, setup }: RunRecord): void {
    if (step >= settings.steps) return;
    checkTrainable(settings, { done: step, ...hasSummarizer(setup ?? BUILT_IN_SETUP) });
  }

  /**
   * Before anything is stored or loaded: ends a measurement, which would slow the run and need memory beside it.
   * @throws Error where no run can begin
   */
  async #free(): Promise<void> {
    this.#parts.checkFiles();
    if (this.#active)
      throw new Error('Another run is training in this tab; pause or stop it first.');
    this.#jobs.cancel(MEASURE);
    await this.#measuring.catch(() => undefined);
  }

  /** Follows a run that another tab trains to its end. */
  #watch({ id, status }: RunRecord): void {
    if (status === 'running' && this.#active?.id !== id) this.#tabs.watch(id);
  }

  /** Does it in the tab that trains the run. @returns false where none does */
  async #where(runId: string, order: Order): Promise<boolean> {
    if (this.#active?.id !== runId) return this.#tabs.order(runId, order);
    await this.#obey(runId, order);
    return true;
  }

  async #obey(runId: string, order: Order): Promise<void> {
    const active = this.#active;
    if (active?.id !== runId) return;
    switch (order.do) {
      case 'pause':
        active.pausing = true;
        this.#reporter.progress(active, true);
        return;
      case 'stop':
        active.discarding = !order.keep;
        active.abort.abort();
        await active.ended;
        return;
      case 'rate':
        active.learningRate = order.learningRate;
    }
  }

  /**
   * Takes the run's lock and trains; resolves when training has begun.
   * @param measured its steps that were made on this device
   */
  async #begin(run: RunRecord, measured: readonly MadeStep[]): Promise<void> {
    const release = await holdRun(run.id, this.#parts.locks);
    if (!release) throw new Error(`Another tab is training "${run.name}".`);
    const expected = measured.length > 0 ? null : await this.#expected(run).catch(() => null);
    const active = new ActiveRun(run, measured, release, expected);
    this.#active = active;
    this.#reporter.here(run.id);
    const { device } = run;
    await this.#records.change(run.id, { status: 'running', device, failure: null, notice: null });
    active.ended = this.#drive(active, run);
  }

  /** What steps are expected to take, before the run made one; null without a probe. */
  async #expected({
    settings,
    device,
    setup = BUILT_IN_SETUP,
    startedFrom,
  }: RunRecord): Promise<ExpectedPace | null> {
    const view = await deviceLimits(device, navigator);
    const facts = await this.#parts.policy(setup.policy);
    const probe = await this.#parts.store.probe(
      probeKey(settings, facts, view, setup, startOf({ startedFrom })),
    );
    return probe && paceByProbe(settings, probe);
  }

  /** Trains to the end, and says how it ended. Never rejects. */
  async #drive(active: ActiveRun, run: RunRecord): Promise<void> {
    const { settings, device, setup = BUILT_IN_SETUP } = run;
    const measure: MeasureRun = async (engines, world, signal) =>
      this.#measureWith(engines, world, {
        settings,
        setup,
        view: await deviceLimits(device, navigator),
        start: startOf(run),
        signal,
        onProgress: () => undefined,
      });
    const drive = new RunDrive(this.#parts, this.#reporter, active, { run, measure });
    const end = await drive.toEnd();
    const change = { ...end, notice: active.notice };
    // Before the lock is free: a tab that waits for it would take the run for one whose tab died.
    const ended = await this.#records.write(active.id, change).catch(() => null);
    this.#active = null;
    active.release();
    if (ended) this.#records.send(ended);
    this.#reporter.here(null);
    this.#reporter.send([{ type: 'progress', progress: active.progress(end.status) }]);
    // What could not continue says so itself; what cannot even be read shows when it is opened.
    await this.#sweeps.ended(run, end.status).catch(() => undefined);
  }
}
