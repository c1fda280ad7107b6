import { createTurns } from '../../base/turns.ts';
import { writeEvaluationFile, readEvaluationFile } from '../../evaluate/systems/file.ts';
import type { CustomSystem } from '../../evaluate/systems/custom.ts';
import { expectedSeconds, type Measured } from '../../evaluate/systems/plan/estimate.ts';
import { secondsPerRollout } from '../../learn/run/predict.ts';
import type { ProbeRow } from '../storage/database.ts';
import { missing } from '../../evaluate/systems/plan/execute.ts';
import type { EvaluationResult } from '../../evaluate/systems/result.ts';
import { parseSpec, type EvaluationSpec } from '../../evaluate/systems/spec.ts';
import type { TableFormat } from '../../evaluate/systems/table/shape.ts';
import { compareEvaluations } from '../../evaluate/systems/table/across.ts';
import { systemsTables } from '../../evaluate/systems/table/table.ts';
import { tableText } from '../../evaluate/systems/table/text.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import type {
  EvaluableRun,
  EvaluationEstimate,
  EvaluationMessage,
  EvaluationsApi,
  TableRequest,
} from '../contract/evaluations.ts';
import { describeFailure } from '../contract/failures.ts';
import type { EvaluationRecord } from '../contract/records/evaluations.ts';
import type { DeviceChoice } from '../contract/settings.ts';
import { undoEnded } from '../storage/free-deleted.ts';
import { heldLocks, holdLock } from '../storage/locks.ts';
import { NamesLookUp } from './look-up-names.ts';
import { EvaluationSession, openPlan, type SessionParts } from './session.ts';

export interface EvaluationHostParts extends SessionParts {
  runs: SessionParts['runs'] & {
    runs(): Promise<RunRecord[]>;
    probesOf(model: string): Promise<ProbeRow[]>;
  };
  locks: LockManager;
  /** To the same page in other tabs: messages, and orders to the tab that runs an evaluation. */
  channel: BroadcastChannel;
  orders: BroadcastChannel;
}

const LOCK = 'forage-evaluation-';
const PROGRESS_MS = 200;

const TYPES: Record<TableFormat, string> = {
  markdown: 'text/markdown;charset=utf-8',
  csv: 'text/csv;charset=utf-8',
  latex: 'text/x-tex;charset=utf-8',
};

const nowIso = (): string => new Date().toISOString();

/** @param name empty: by the number of systems */
const newRecord = (spec: EvaluationSpec, name: string): EvaluationRecord => ({
  format: 'forage.evaluation-record/1',
  id: `${Date.now().toString(36)}-${crypto.randomUUID().slice(0, 8)}`,
  name: name === '' ? `Evaluation of ${spec.systems.length} systems` : name,
  createdAt: nowIso(),
  updatedAt: nowIso(),
  // Until its lock is held: without it an evaluation that runs is one whose tab died.
  status: 'paused',
  spec,
  hash: null,
  planned: 0,
  done: 0,
  failed: 0,
  failure: null,
  notice: null,
  deletedAt: null,
});

/** Evaluations in the lab worker: one at a time, stored as it goes, shown in all tabs. */
export class EvaluationHost implements EvaluationsApi {
  readonly #parts: EvaluationHostParts;
  #listener: (messages: EvaluationMessage[]) => void = () => undefined;
  readonly #names: NamesLookUp;
  #session: EvaluationSession | null = null;
  /** Measures this device for one that is not started. */
  #measuring: EvaluationSession | null = null;
  #ready: Promise<void> | null = null;
  #sentAt = 0;

  constructor(parts: EvaluationHostParts) {
    this.#parts = parts;
    this.#names = new NamesLookUp(parts);
    parts.channel.addEventListener('message', ({ data }: MessageEvent<EvaluationMessage[]>) =>
      this.#listener(data),
    );
    parts.orders.addEventListener('message', ({ data }: MessageEvent<{ pause: string }>) => {
      if (this.#session?.id === data.pause) this.#session.abort.abort(new Error('paused'));
    });
  }

  listen(listener: (messages: EvaluationMessage[]) => void): Promise<void> {
    this.#listener = listener;
    listener([{ type: 'here', evaluationId: this.#session?.id ?? null }]);
    return Promise.resolve();
  }

  async list(): Promise<EvaluationRecord[]> {
    this.#ready ??= this.#tidy();
    await this.#ready;
    return this.#parts.store.list();
  }

  result(id: string): Promise<EvaluationResult> {
    const own = this.#session?.id === id ? this.#session.result : null;
    return own ? Promise.resolve(own) : this.#parts.store.result(id);
  }

  async table(id: string, { reference, by = 'all' }: TableRequest) {
    const result = await this.result(id);
    if (result.systems.length === 0) return [];
    return systemsTables(result, by, { reference, turn: createTurns() });
  }

  async compare(id: string, other: string) {
    const results = [await this.result(id), await this.result(other)] as const;
    return compareEvaluations(...results, { turn: createTurns() });
  }

  async estimate(spec: EvaluationSpec, device: DeviceChoice): Promise<EvaluationEstimate> {
    const { plan, policies, sets } = await openPlan(
      parseSpec(spec),
      device,
      this.#parts,
      () => undefined,
    );
    sets.end();
    const { store } = this.#parts;
    const known = await store.facts(plan.rollouts.map(({ key }) => key));
    const todo = missing(plan, (key) => known.get(key) ?? null).flat();
    const paces = policies.map(({ pace }) => pace);
    const measured = [...(await store.measuredOf(paces)), ...(await this.#probed(paces))];
    return {
      systems: plan.systems.length,
      skipped: plan.skipped.map(({ title, reason }) => ({ title, reason })),
      questions: plan.questions.length,
      planned: plan.rollouts.length,
      reused: plan.rollouts.filter(({ key }) => known.has(key)).length,
      toMake: todo.length,
      ...expectedSeconds(todo, paces, measured),
    };
  }

  measure(
    spec: EvaluationSpec,
    device: DeviceChoice,
    onProgress: (doing: string) => void,
  ): Promise<void> {
    this.#checkFree();
    const record = newRecord(parseSpec(spec), 'measurement');
    const session = new EvaluationSession(record, device, this.#parts, {
      progress: ({ phase, note, done, total }) =>
        onProgress(phase === 'rollouts' ? `${done} of ${total} rollouts` : note),
      rollouts: () => undefined,
      planned: () => Promise.resolve(),
    });
    this.#measuring = session;
    return this.#measured(session);
  }

  cancelMeasure(): Promise<void> {
    this.#measuring?.abort.abort();
    return Promise.resolve();
  }

  async #measured(session: EvaluationSession): Promise<void> {
    try {
      await session.measure((models) => this.#probed(models));
    } catch (error) {
      if (!session.abort.signal.aborted) throw error;
    } finally {
      if (this.#measuring === session) this.#measuring = null;
    }
  }

  /** What probes of training say of models: their rollouts are of the same kind. */
  async #probed(models: readonly string[]): Promise<Measured[]> {
    const rows = await Promise.all(
      [...new Set(models)].map((one) => this.#parts.runs.probesOf(one)),
    );
    return rows.flat().map(({ model, recipe, probe }) => ({
      policy: model,
      recipe,
      seconds: secondsPerRollout(probe),
    }));
  }

  unknownNames: EvaluationsApi['unknownNames'] = (spec, onProgress, signal) =>
    this.#names.lookUp(parseSpec(spec), onProgress, signal);

  async start(spec: EvaluationSpec, name: string, device: DeviceChoice): Promise<EvaluationRecord> {
    this.#checkFree();
    const checked = parseSpec(spec);
    const evaluation = newRecord(checked, name.trim());
    await this.#parts.store.put(evaluation);
    await this.#begin(evaluation, device);
    return this.#parts.store.get(evaluation.id);
  }

  async resume(id: string, device: DeviceChoice): Promise<void> {
    this.#checkFree();
    await this.#begin(await this.#parts.store.get(id), device);
  }

  async pause(id: string): Promise<void> {
    const { locks, orders, store } = this.#parts;
    const own = this.#session;
    if (own?.id === id) {
      own.abort.abort(new Error('paused'));
      await own.ended;
      return;
    }
    orders.postMessage({ pause: id });
    // The tab that runs it lets go of the lock when it has stored what it has.
    await locks.request(`${LOCK}${id}`, () => Promise.resolve());
    await this.#freed(await store.get(id));
  }

  async rename(id: string, name: string): Promise<void> {
    if (name.trim() === '') throw new Error('An evaluation needs a name.');
    await this.#change(id, { name: name.trim() });
  }

  async remove(id: string): Promise<void> {
    const held = await heldLocks(LOCK, this.#parts.locks);
    if (held.has(id)) await this.pause(id);
    await this.#change(id, { deletedAt: nowIso() });
  }

  async restore(id: string): Promise<void> {
    await this.#change(id, { deletedAt: null });
  }

  rollout = (id: string) => this.#parts.store.rollout(id);

  async exportTable(
    id: string,
    format: TableFormat,
    { times = false, ...request }: TableRequest & { times?: boolean },
  ): Promise<Blob> {
    const [result, tables] = [await this.result(id), await this.table(id, request)];
    return new Blob([tableText({ result, tables, times }, format)], { type: TYPES[format] });
  }

  async exportEvaluation(id: string): Promise<Blob> {
    const { name, spec } = await this.#parts.store.get(id);
    const text = writeEvaluationFile(name, spec, await this.result(id));
    return new Blob([text], { type: 'application/json' });
  }

  async readEvaluation(file: Blob): Promise<{ name: string; spec: EvaluationSpec }> {
    return readEvaluationFile(await file.text());
  }

  async runs(): Promise<EvaluableRun[]> {
    const { runs } = this.#parts;
    const stored = (await runs.runs()).filter(({ deletedAt }) => deletedAt === null);
    const found = await Promise.all(
      stored.map(async ({ id, name, settings: { recipe, overrides } }) => ({
        id,
        name,
        recipe,
        overrides,
        steps: await runs.adapterSteps(id),
      })),
    );
    return found.filter(({ steps }) => steps.length > 0);
  }

  customs = (): Promise<CustomSystem[]> => this.#parts.store.customs();
  saveCustom = (system: CustomSystem): Promise<void> => this.#parts.store.saveCustom(system);
  removeCustom = (id: string): Promise<void> => this.#parts.store.removeCustom(id);

  #checkFree(): void {
    if (this.#session)
      throw new Error('Another evaluation is running in this tab; pause it first.');
    this.#measuring?.abort.abort();
  }

  #send(messages: EvaluationMessage[]): void {
    this.#listener(messages);
    this.#parts.channel.postMessage(messages);
  }

  async #change(id: string, change: Partial<EvaluationRecord>): Promise<void> {
    const evaluation = await this.#parts.store.change(id, change);
    this.#send([{ type: 'evaluation', evaluation }]);
  }

  /** Takes its lock and runs; resolves when it has begun. */
  async #begin(evaluation: EvaluationRecord, device: DeviceChoice): Promise<void> {
    const { id, name } = evaluation;
    const release = await holdLock(`${LOCK}${id}`, this.#parts.locks);
    if (!release) throw new Error(`Another tab is running "${name}".`);
    const session: EvaluationSession = new EvaluationSession(evaluation, device, this.#parts, {
      progress: (progress, now) => {
        if (!now && Date.now() - this.#sentAt < PROGRESS_MS) return;
        this.#sentAt = Date.now();
        this.#send([{ type: 'progress', progress }]);
      },
      rollouts: (rollouts) => this.#send([{ type: 'rollouts', evaluationId: id, rollouts }]),
      planned: ({ hash }) => this.#change(id, { hash, ...session.counts }),
    });
    this.#session = session;
    this.#listener([{ type: 'here', evaluationId: id }]);
    await this.#change(id, { status: 'running', failure: null, notice: null });
    session.ended = this.#drive(session, release);
  }

  /** Runs to the end, and says how it ended. Never rejects. */
  async #drive(session: EvaluationSession, release: () => void): Promise<void> {
    const end = await session.run().then(
      () => ({ status: 'finished' as const }),
      (error: unknown) =>
        session.abort.signal.aborted
          ? { status: 'paused' as const }
          : { status: 'failed' as const, failure: describeFailure(error) },
    );
    const { notice, counts } = session;
    // Before the lock is free: a tab that waits for it would take it for one whose tab died.
    const change = { ...end, ...counts, notice };
    const evaluation = await this.#parts.store.change(session.id, change).catch(() => null);
    this.#session = null;
    release();
    if (evaluation) this.#send([{ type: 'evaluation', evaluation }]);
    this.#listener([{ type: 'here', evaluationId: null }]);
  }

  async #freed({ id, status }: EvaluationRecord): Promise<void> {
    if (status !== 'running') return;
    // The record counts what was there when it was planned: the tab died before it could count what it made.
    const found = await this.#parts.store.result(id).catch(() => null);
    await this.#change(id, {
      status: 'paused',
      ...(found && { done: found.rollouts.length, failed: found.failed.length }),
      notice: 'The tab was closed while this evaluation ran. “Continue” runs the missing rollouts.',
    });
  }

  /** Removes evaluations that were deleted before a time, ISO. */
  async purge(before: string): Promise<void> {
    const { store, locks } = this.#parts;
    const held = await heldLocks(LOCK, locks);
    for (const { id, deletedAt } of await store.list())
      if (deletedAt !== null && deletedAt <= before && !held.has(id)) await store.purge(id);
  }

  /** Evaluations that a killed tab left, and those whose deletion can no longer be undone. */
  async #tidy(): Promise<void> {
    await this.purge(undoEnded());
    const { store, locks } = this.#parts;
    const held = await heldLocks(LOCK, locks);
    for (const evaluation of await store.list())
      if (!held.has(evaluation.id)) await this.#freed(evaluation);
  }
}
