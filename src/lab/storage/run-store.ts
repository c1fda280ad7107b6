import { messageOf } from '../../base/errors.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import type { TrainStep } from '../../records/training.ts';
import { decodeState, encodeState, isUntrained, type TrainState } from '../../learn/rl/state.ts';
import { type BlobStore, gunzip, gzip } from './blobs.ts';
import type {
  BlobRef,
  DemonstrationsRow,
  ForageDatabase,
  StoredAdapter,
  PointerRow,
  ProbeRow,
  StepRow,
  StoredSnapshot,
} from './database.ts';
import {
  type AskedState,
  filesOfAdapter,
  keepAdapter,
  packAdapter,
  readAdapter,
  unpackAdapter,
  withinLimit,
} from './stored-adapters.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import type { OlderRun } from '../contract/training.ts';
import { isQuotaError, StorageFull, megabytes } from './quota.ts';
import { isOfOtherVersion, parseRun, parseStep } from './records.ts';
import { sha256 } from '../../base/hash.ts';

/** Which files the records of a run name, and how rollouts lie in them. */

/** Steps of a run from one on; a run's steps never reach the upper bound. */
const stepRange = (runId: string, from = 0): [[string, number], [string, number]] => [
  [runId, from],
  [runId, Number.MAX_SAFE_INTEGER],
];

/** Files of a step's rollouts. */
const filesOfStep = ({ rollouts, heldOut }: StepRow): BlobRef[] =>
  [rollouts, heldOut].flatMap((ref) => ref ?? []);

const filesOfAdapters = (pointer: PointerRow | undefined): BlobRef[] =>
  (pointer?.adapters ?? []).flatMap(filesOfAdapter);

/** Of snapshots and kept adapters. */
const filesOfState = (pointer: PointerRow | undefined): BlobRef[] => [
  ...[pointer?.latest, pointer?.previous].flatMap((c) => (c ? [c.tensors, c.rest] : [])),
  ...filesOfAdapters(pointer),
];

const sizeOf = (refs: readonly BlobRef[]): number =>
  refs.reduce((sum, { bytes }) => sum + bytes, 0);

/** Gzipped JSON lines. */
const packRollouts = (rollouts: readonly Rollout[]): Promise<Uint8Array> =>
  gzip(
    new TextEncoder().encode(rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join('')),
  );

async function unpackRollouts(file: Uint8Array<ArrayBuffer>): Promise<Rollout[]> {
  const lines = new TextDecoder().decode(await gunzip(file)).split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Rollout);
}

/** What of stored runs could make room. */

interface RunSize {
  bytes: number;
  /** Of these, rollouts of steps, which may be deleted without harm to the run. */
  rolloutBytes: number;
  /** Of these, adapters of snapshots, likewise. */
  adapterBytes: number;
}

/** As text: rollouts and adapters of past steps, and whole runs. */
function deletableWords(runs: readonly (RunSize & { name: string })[]): string {
  const largest = runs.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (!largest) return 'Forage has nothing to delete; other data of this site fills the storage.';
  const rollouts = runs.reduce((sum, { rolloutBytes }) => sum + rolloutBytes, 0);
  const adapters = runs.reduce((sum, { adapterBytes }) => sum + adapterBytes, 0);
  return `The rollouts of past steps take ${megabytes(rollouts)}, their adapters ${megabytes(adapters)}; the largest run, "${largest.name}", takes ${megabytes(largest.bytes)}.`;
}

/** Files that are named by a record with their hash. */

/** Files that count only once a record names them. */
class Writing {
  readonly #blobs: BlobStore;
  readonly #fresh: (name: string) => string;
  readonly #written: string[] = [];
  /** Bytes that were to be stored. */
  wanted = 0;

  constructor(blobs: BlobStore, fresh: (name: string) => string) {
    this.#blobs = blobs;
    this.#fresh = fresh;
  }

  readonly write = async (name: string, bytes: Uint8Array): Promise<BlobRef> => {
    this.wanted += bytes.length;
    const ref = { path: this.#fresh(name), bytes: bytes.length, hash: await sha256(bytes) };
    this.#written.push(ref.path);
    await this.#blobs.write(ref.path, bytes);
    return ref;
  };

  async undo(): Promise<void> {
    for (const path of this.#written) await this.#blobs.remove(path).catch(() => undefined);
  }
}

/** @throws Error where the file cannot be read, or is not what was written */
async function readChecked(
  blobs: BlobStore,
  { path, hash }: BlobRef,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = path.split('/').at(-1);
  const bytes = await blobs.read(path).catch((error: unknown) => {
    throw new Error(`${name} cannot be read (${messageOf(error)})`, { cause: error });
  });
  if ((await sha256(bytes)) !== hash) throw new Error(`${name} does not match its hash`);
  return bytes;
}

/** A step that is done and not yet part of a snapshot. */
export interface PendingStep {
  record: TrainStep;
  rollouts: readonly Rollout[];
  /** Of its held-out questions, where it was scored; those before the first step have `step` 0. */
  heldOut?: readonly Rollout[];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
/** Those with an adapter that learned something. */
const snapshotsOf = (pointer: PointerRow | undefined): StoredSnapshot[] =>
  [pointer?.latest, pointer?.previous].flatMap((one) => (one && !one.untrained ? [one] : []));

const folderOf = (runId: string): string => `runs/${runId}`;

/**
 * Runs with their steps, rollouts and snapshots. A snapshot is new files, flushed and hashed, and
 * then one strict transaction that makes them count together with the steps before them: a tab that
 * is killed at any moment leaves the snapshot before, with its steps, whole.
 */
export class RunStore {
  readonly #db: ForageDatabase;
  readonly #blobs: BlobStore;

  constructor(db: ForageDatabase, blobs: BlobStore) {
    this.#db = db;
    this.#blobs = blobs;
  }

  /** All runs, newest first; those that cannot be read are left out. */
  async runs(): Promise<RunRecord[]> {
    return (await this.#rowsOfRuns()).flatMap((row) => {
      try {
        return [parseRun(row)];
      } catch {
        return [];
      }
    });
  }

  /** Runs of other versions of Forage, newest first. */
  async olderRuns(): Promise<OlderRun[]> {
    return (await this.#rowsOfRuns())
      .filter(isOfOtherVersion)
      .map(({ id, name = id }) => ({ id, name }));
  }

  /** As they are stored: any version may have written them. */
  async #rowsOfRuns(): Promise<(Partial<RunRecord> & { id: string })[]> {
    return this.#db.runs.orderBy('createdAt').reverse().toArray();
  }

  /** @throws Error where there is no such run */
  async run(id: string): Promise<RunRecord> {
    const row: unknown = await this.#db.runs.get(id);
    if (row === undefined) throw new Error(`There is no run ${id} in this browser.`);
    return parseRun(row);
  }

  async put(run: RunRecord): Promise<void> {
    await this.#db.runs.put(run);
  }

  /** @throws Error where there is no such run */
  async change(id: string, change: Partial<RunRecord>): Promise<RunRecord> {
    await this.#db.runs.update(id, change);
    return this.run(id);
  }

  async steps(runId: string): Promise<TrainStep[]> {
    return (await this.#rows(runId)).map(({ record }) => parseStep(record));
  }

  /** The rollouts of a step; none where they were not kept. @throws Error where they are damaged */
  async rollouts(runId: string, step: number): Promise<Rollout[]> {
    return this.#lines((await this.#db.steps.get([runId, step]))?.rollouts);
  }

  /** Those of its held-out questions. @param step 0: before the first */
  async heldOutRollouts(runId: string, step: number): Promise<Rollout[]> {
    const row = await this.#db.steps.get([runId, Math.max(1, step)]);
    return (await this.#lines(row?.heldOut)).filter((rollout) => rollout.step === step);
  }

  async #lines(ref: BlobRef | null | undefined): Promise<Rollout[]> {
    if (!ref) return [];
    return unpackRollouts(await this.#checked(ref));
  }

  /**
   * Commits a state with the steps that led to it, and `change` of the run's record.
   * @throws StorageFull where the quota is exceeded; what was committed before is untouched
   */
  async commit(
    runId: string,
    state: TrainState,
    pending: readonly PendingStep[],
    change: Partial<RunRecord>,
  ): Promise<void> {
    try {
      await this.#commit(runId, state, pending, change, true);
    } catch (error) {
      // What the run continues from comes before what is kept to ask with.
      if (!(error instanceof StorageFull)) throw error;
      await this.#commit(runId, state, pending, change, false);
    }
  }

  async #commit(
    runId: string,
    state: TrainState,
    pending: readonly PendingStep[],
    change: Partial<RunRecord>,
    keep: boolean,
  ): Promise<void> {
    const writing = new Writing(this.#blobs, (name) => this.#fresh(runId, name));
    const { write } = writing;
    try {
      const rows = await this.#stepRows(runId, pending, write);
      const { tensors, rest } = encodeState(state);
      const latest: StoredSnapshot = {
        step: state.step,
        tensors: await write(`step-${state.step}.safetensors`, tensors),
        rest: await write(`step-${state.step}.json`, encode(rest)),
        ...(isUntrained(state) && { untrained: true }),
      };
      const scored = pending.some(
        ({ record, heldOut = [] }) => record.step === state.step && heldOut.length > 0,
      );
      const adapter = keep && !latest.untrained ? await keepAdapter(state, scored, write) : null;
      const dropped = await this.#point(runId, latest, adapter, rows, change);
      for (const { path } of dropped) await this.#blobs.remove(path);
    } catch (error) {
      throw await this.#undone(writing, error);
    }
  }

  /**
   * Adds steps that another trainer made, without a snapshot.
   * @throws StorageFull where the quota is exceeded; what was there before is untouched
   */
  async addSteps(runId: string, steps: readonly PendingStep[]): Promise<void> {
    const writing = new Writing(this.#blobs, (name) => this.#fresh(runId, name));
    try {
      await this.#db.steps.bulkPut(await this.#stepRows(runId, steps, writing.write));
    } catch (error) {
      throw await this.#undone(writing, error);
    }
  }

  /** Removes what was written. @returns what to throw: the quota as text */
  async #undone(writing: Writing, error: unknown): Promise<unknown> {
    await writing.undo();
    return isQuotaError(error) ? new StorageFull(writing.wanted, await this.#deletable()) : error;
  }

  async #stepRows(
    runId: string,
    pending: readonly PendingStep[],
    write: (name: string, bytes: Uint8Array) => Promise<BlobRef>,
  ): Promise<StepRow[]> {
    // An imported step has none, and a run may have thousands.
    const keep = async (name: string, rollouts: readonly Rollout[]): Promise<BlobRef | null> =>
      rollouts.length === 0 ? null : write(`${name}.jsonl.gz`, await packRollouts(rollouts));
    const rows: StepRow[] = [];
    for (const { record, rollouts, heldOut = [] } of pending)
      rows.push({
        runId,
        step: record.step,
        record,
        rollouts: await keep(`rollouts-${record.step}`, rollouts),
        ...(heldOut.length > 0 && { heldOut: await keep(`held-out-${record.step}`, heldOut) }),
      });
    return rows;
  }

  /** The transaction that makes a snapshot count. @returns files that nothing names any more */
  #point(
    runId: string,
    latest: StoredSnapshot,
    adapter: StoredAdapter | null,
    rows: StepRow[],
    change: Partial<RunRecord>,
  ): Promise<BlobRef[]> {
    const { runs, steps, pointers } = this.#db;
    return this.#db.transaction('rw', runs, steps, pointers, async () => {
      const before = await pointers.get(runId);
      const repeated = await steps
        .where('[runId+step]')
        .between(...stepRange(runId, rows[0]?.step ?? latest.step + 1))
        .toArray();
      await steps.bulkDelete(repeated.map(({ step }) => [runId, step] as [string, number]));
      await steps.bulkPut(rows);
      const earlier = before?.adapters ?? [];
      const adapters = withinLimit([
        ...earlier.filter(({ step }) => step < latest.step),
        ...(adapter ? [adapter] : []),
      ]);
      await pointers.put({ runId, latest, previous: before?.latest ?? null, adapters });
      // Undefined removes what an earlier snapshot left.
      const { untrained } = latest;
      await runs.update(runId, { ...change, checkpointStep: latest.step, untrained });
      const gone = before?.previous ? [before.previous.tensors, before.previous.rest] : [];
      const dropped = earlier.filter((one) => !adapters.includes(one)).flatMap(filesOfAdapter);
      return [...gone, ...dropped, ...repeated.flatMap(filesOfStep)];
    });
  }

  /**
   * The last good snapshot; null before the first. A damaged newest one is skipped and reported to
   * `notice`. Steps after the snapshot are dropped, since they run again.
   * @throws Error where both are damaged
   */
  async restore(runId: string, notice: (line: string) => void): Promise<TrainState | null> {
    const pointer = await this.#db.pointers.get(runId);
    if (!pointer) return null;
    const state = await this.#lastGood(pointer, notice);
    await this.#db.steps
      .where('[runId+step]')
      .between(...stepRange(runId, state.step + 1))
      .delete();
    await this.#sweep(runId);
    return state;
  }

  /** The last good snapshot, read only. */
  async lastState(runId: string): Promise<TrainState | null> {
    const pointer = await this.#db.pointers.get(runId);
    if (!pointer) return null;
    return this.#load(pointer.latest).catch((error: unknown) => {
      if (!pointer.previous) throw error;
      return this.#load(pointer.previous);
    });
  }

  /** Steps whose adapters are kept, the last one first; none of those before anything was learned. */
  async adapterSteps(runId: string): Promise<number[]> {
    const pointer = await this.#db.pointers.get(runId);
    const kept = [...snapshotsOf(pointer), ...(pointer?.adapters ?? [])];
    const steps = new Set(kept.map(({ step }) => step));
    return [...steps].toSorted((a, b) => b - a);
  }

  /** What a step's policy is asked with, read only. @throws Error where it is not kept, or damaged */
  async adapterAt(runId: string, step: number): Promise<AskedState> {
    const pointer = await this.#db.pointers.get(runId);
    const kept = pointer?.adapters?.find((one) => one.step === step);
    if (kept) return readAdapter(kept, (file) => this.#checked(file));
    const found = snapshotsOf(pointer).find((one) => one.step === step);
    if (!found) throw new Error(`The adapter of step ${step} is no longer stored.`);
    return this.#load(found);
  }

  async #lastGood(pointer: PointerRow, notice: (line: string) => void): Promise<TrainState> {
    const { runId, latest, previous } = pointer;
    const newest = await this.#tried(latest);
    if ('state' in newest) return newest.state;
    if (!previous) throw new Error(`The only snapshot is damaged: ${newest.fault}`);
    const before = await this.#tried(previous);
    if ('fault' in before)
      throw new Error(`Both snapshots are damaged: ${newest.fault}; ${before.fault}`);
    notice(
      `The snapshot of step ${latest.step} is damaged (${newest.fault}); going on from step ${previous.step}.`,
    );
    // The damaged one must not count as "the one before" of the next snapshot.
    const adapters = (pointer.adapters ?? []).filter(({ step }) => step <= previous.step);
    await this.#db.pointers.put({ runId, latest: previous, previous: null, adapters });
    return before.state;
  }

  #tried(snapshot: StoredSnapshot): Promise<{ state: TrainState } | { fault: string }> {
    return this.#load(snapshot).then(
      (state) => ({ state }),
      (error: unknown) => ({ fault: messageOf(error) }),
    );
  }

  async #load({ tensors, rest }: StoredSnapshot): Promise<TrainState> {
    const [bytes, json] = await Promise.all([this.#checked(tensors), this.#checked(rest)]);
    return decodeState({ tensors: bytes, rest: decode(json) });
  }

  #checked(file: BlobRef): Promise<Uint8Array<ArrayBuffer>> {
    return readChecked(this.#blobs, file);
  }

  /** Keeps the text of the trajectories that a run learns from. @throws StorageFull */
  async putDemonstrations(runId: string, text: string): Promise<void> {
    const writing = new Writing(this.#blobs, (name) => this.#fresh(runId, name));
    try {
      const packed = await gzip(encode(text));
      const file = await writing.write('demonstrations.jsonl.gz', packed);
      await this.#given(runId, { file });
    } catch (error) {
      throw await this.#undone(writing, error);
    }
  }

  /** Null where the run has none. @throws Error where they are damaged */
  async demonstrations(runId: string): Promise<string | null> {
    const row = await this.#db.demonstrations.get(runId);
    if (!row?.file) return null;
    return decode(await gunzip(await this.#checked(row.file)));
  }

  /** Keeps the adapter that a run starts from, whatever becomes of its own run. @throws StorageFull */
  async putStartAdapter(runId: string, adapter: Float32Array): Promise<void> {
    const writing = new Writing(this.#blobs, (name) => this.#fresh(runId, name));
    try {
      const start = await writing.write('start.safetensors', packAdapter(adapter));
      await this.#given(runId, { start });
    } catch (error) {
      throw await this.#undone(writing, error);
    }
  }

  /** Null where the run started from a new one. @throws Error where it is damaged */
  async startAdapter(runId: string): Promise<Float32Array | null> {
    const row = await this.#db.demonstrations.get(runId);
    return row?.start ? unpackAdapter(await this.#checked(row.start)) : null;
  }

  async #given(runId: string, given: Omit<DemonstrationsRow, 'runId'>): Promise<void> {
    const before = await this.#db.demonstrations.get(runId);
    await this.#db.demonstrations.put({ ...before, runId, ...given });
  }

  async putProbe(row: ProbeRow): Promise<void> {
    await this.#db.probes.put(row);
  }

  /** What was measured under that key; null where nothing was. */
  async probe(key: string): Promise<Probe | null> {
    return (await this.#db.probes.get(key))?.probe ?? null;
  }

  /** Probes of a model on a device. */
  probesOf(model: string): Promise<ProbeRow[]> {
    return this.#db.probes.where('model').equals(model).toArray();
  }

  /** Removes a run with all that belongs to it. */
  async purge(runId: string): Promise<void> {
    const { runs, steps, pointers, demonstrations } = this.#db;
    await this.#db.transaction('rw', runs, steps, pointers, demonstrations, async () => {
      await runs.delete(runId);
      await pointers.delete(runId);
      await demonstrations.delete(runId);
      await steps
        .where('[runId+step]')
        .between(...stepRange(runId))
        .delete();
    });
    await this.#blobs.remove(folderOf(runId));
  }

  /** Deletes the rollouts of a run's steps; its steps and snapshots stay. @returns bytes freed */
  async dropRollouts(runId: string): Promise<number> {
    const rows = await this.#rows(runId);
    await this.#db.steps.bulkPut(rows.map((row) => ({ ...row, rollouts: null, heldOut: null })));
    const files = rows.flatMap(filesOfStep);
    for (const { path } of files) await this.#blobs.remove(path);
    return sizeOf(files);
  }

  /** Deletes the adapters of past snapshots; those that the run continues from stay. @returns bytes freed */
  async dropAdapters(runId: string): Promise<number> {
    const { pointers } = this.#db;
    const files = await this.#db.transaction('rw', pointers, async () => {
      const pointer = await pointers.get(runId);
      await pointers.update(runId, { adapters: [] });
      return filesOfAdapters(pointer);
    });
    for (const { path } of files) await this.#blobs.remove(path);
    return sizeOf(files);
  }

  async size(runId: string): Promise<RunSize> {
    const rolloutBytes = sizeOf((await this.#rows(runId)).flatMap(filesOfStep));
    const pointer = await this.#db.pointers.get(runId);
    const bytes = rolloutBytes + sizeOf(filesOfState(pointer));
    return { bytes, rolloutBytes, adapterBytes: sizeOf(filesOfAdapters(pointer)) };
  }

  /** As text, what could be deleted: rollouts of steps, and whole runs. */
  async #deletable(): Promise<string> {
    const runs = await this.runs().catch(() => []);
    const sized = await Promise.all(
      runs.map(async ({ id, name }) => ({ name, ...(await this.size(id)) })),
    );
    return deletableWords(sized);
  }

  /** Removes files of a run that no record names: what a killed tab was writing. */
  async #sweep(runId: string): Promise<void> {
    const rows = await this.#rows(runId);
    const given = await this.#db.demonstrations.get(runId);
    const named = new Set([
      ...filesOfState(await this.#db.pointers.get(runId)).map(({ path }) => path),
      ...rows.flatMap(filesOfStep).map(({ path }) => path),
      ...[given?.file, given?.start].flatMap((file) => file?.path ?? []),
    ]);
    for (const { path } of await this.#blobs.list(folderOf(runId)))
      if (!named.has(path)) await this.#blobs.remove(path);
  }

  #rows(runId: string): Promise<StepRow[]> {
    return this.#db.steps
      .where('[runId+step]')
      .between(...stepRange(runId))
      .sortBy('step');
  }

  #fresh(runId: string, name: string): string {
    return `${folderOf(runId)}/${crypto.randomUUID().slice(0, 8)}-${name}`;
  }
}
