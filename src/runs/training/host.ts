import type { Rollout } from '../../data/rollout.ts';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../data/setup.ts';
import type { TrainStep } from '../../data/training.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import { parseTrainSettings } from '../../learn/rl/edit-settings.ts';
import type { TrainSettings } from '../../learn/rl/settings.ts';
import { usableDemonstrations } from '../../learn/rl/warm-up.ts';
import { chooseDevice } from '../conductor/device.ts';
import { ActiveRun } from './active-run.ts';
import type { Download, DownloadKind } from './downloads.ts';
import { RunDrive, type DriveParts } from './drive.ts';
import { estimate } from './estimate.ts';
import { holdRun } from './locks.ts';
import type { RunRecord, TrainApi, TrainMessage } from './messages.ts';
import { checkRouter } from './parts.ts';
import { withSource } from './setup-source.ts';
import type { PolicyFacts } from './policy-facts.ts';
import { newId, nowIso, RunRecords } from './records.ts';
import { Teller } from './teller.ts';

export interface HostParts extends DriveParts {
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

/** Training in the lab worker: one run at a time, stored as it goes. */
export class TrainingHost implements TrainApi {
  readonly #parts: HostParts;
  readonly #teller: Teller;
  readonly #records: RunRecords;
  #active: ActiveRun | null = null;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#teller = new Teller(parts.channel);
    this.#records = new RunRecords(parts.store, parts.locks, this.#teller);
  }

  async listen(listener: (messages: TrainMessage[]) => void): Promise<void> {
    this.#teller.listen(listener);
    await this.#teller.storage();
  }

  runs = (): Promise<RunRecord[]> => this.#records.all();

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
    const checked = withSource(parseTrainSettings(settings), setup);
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
    this.#teller.progress(active, true);
  }

  async stop(runId: string, keep: boolean): Promise<void> {
    if (this.#active?.id !== runId) {
      await this.#records.change(runId, { status: 'stopped' });
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
    await this.#records.change(runId, {
      ...(name !== undefined && { name }),
      ...(tags !== undefined && { tags }),
      ...(notes !== undefined && { notes }),
    });
  }

  async remove(runId: string): Promise<void> {
    if (this.#active?.id === runId) await this.stop(runId, true);
    await this.#records.change(runId, { deletedAt: nowIso() });
  }

  async restore(runId: string): Promise<void> {
    await this.#records.change(runId, { deletedAt: null });
  }

  exportRun = (runId: string): Promise<Blob> => this.#records.write(runId);
  importRun = (file: Blob): Promise<RunRecord> => this.#records.read(file);
  dropRollouts = (runId: string): Promise<number> => this.#records.dropRollouts(runId);

  download(runId: string, what: DownloadKind): Promise<Download[]> {
    const facts = (ref: PolicyRef): Promise<PolicyFacts> => this.#parts.policy(ref);
    return this.#records.download(runId, what, facts, () => this.steps(runId));
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

  /** Takes the run's lock and trains; resolves when training has begun. */
  async #begin(run: RunRecord): Promise<void> {
    const release = await holdRun(run.id, this.#parts.locks);
    if (!release) throw new Error(`Another tab is training "${run.name}"; this one only shows it.`);
    const active = new ActiveRun(run.id, run.settings.steps, run.step, release);
    this.#active = active;
    const { device } = run;
    await this.#records.change(run.id, { status: 'running', device, failure: null, notice: null });
    active.ended = this.#drive(active, run);
  }

  /** Trains to the end, and says how it ended. Never rejects. */
  async #drive(active: ActiveRun, run: RunRecord): Promise<void> {
    const end = await new RunDrive(this.#parts, this.#teller, active, run).toEnd();
    this.#active = null;
    active.release();
    const change = { ...end, notice: active.notice };
    await this.#records.change(active.id, change).catch(() => undefined);
    this.#teller.send([{ type: 'progress', progress: active.progress(end.status) }]);
  }
}
