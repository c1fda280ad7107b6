import { BUILT_IN_SETUP, type PolicyRef } from '../../records/setup.ts';
import type { TrainStep } from '../../records/training.ts';
import { asWord } from '../../systems/index.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { undoEnded } from '../storage/free-deleted.ts';
import type { RunStore } from '../storage/run-store.ts';
import { filesOf, type DownloadWatch } from './downloads.ts';
import type { Download, DownloadKind, DroppedKind } from '../contract/training.ts';
import { heldRuns, holdRun } from './locks.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import { z } from 'zod';
import { messageOf, issueOf, oneLine } from '../../base/errors.ts';
import { decodeState, encodeState, type TrainState } from '../../learn/rl/state.ts';
import { parseRun, parseStep } from '../storage/records.ts';
import type { RunReporter } from './reporter.ts';
import '../../systems/rewards.ts';

export const nowIso = (): string => new Date().toISOString();

export const newId = (settings: TrainSettings): string =>
  `${asWord(settings.preset)}-${Date.now().toString(36)}-${crypto.randomUUID().slice(0, 4)}`;

/** Names the button as the page does, which counts steps that are done; the last snapshot may be older. */
const interrupted = ({ step, checkpointStep }: RunRecord): string => {
  const resume = `“Resume after step ${step.toLocaleString('en')}”`;
  if (checkpointStep === null)
    return `The tab was closed before the first snapshot. ${step === 0 ? '“Start again”' : resume} starts from the beginning.`;
  if (step === 0)
    return 'The tab was closed before the first step. “Go on” continues with what was made before that.';
  const where = checkpointStep === step ? 'there' : `the snapshot of step ${checkpointStep}`;
  return `The tab was closed while this run trained. ${resume} continues from ${where}.`;
};

const NO_SNAPSHOT =
  'Its file has no snapshot: its steps can be read, but it cannot be continued here.';

/**
 * A run as one JSON file, `forage.run-export/1`: its record with all settings, its steps, and its
 * last snapshot, so that it can be read, repeated, or continued elsewhere.
 */

export interface RunFile {
  run: RunRecord;
  steps: TrainStep[];
  /** null where the run ended before its first snapshot. */
  state: TrainState | null;
}

const fileSchema = z.strictObject({
  format: z.literal('forage.run-export/1'),
  run: z.unknown(),
  steps: z.array(z.unknown()),
  state: z.strictObject({ tensors: z.base64(), rest: z.string() }).nullable(),
});

const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

export function writeRunFile({ run, steps, state }: RunFile): string {
  const files = state && encodeState(state);
  return JSON.stringify({
    format: 'forage.run-export/1',
    run,
    steps,
    state: files && { tensors: toBase64(files.tensors), rest: files.rest },
  });
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
};

/** @throws Error of one line that says what is wrong with the file */
export function readRunFile(text: string): RunFile {
  try {
    const parsed = fileSchema.safeParse(jsonOf(text));
    if (!parsed.success) throw new Error(issueOf(parsed.error, 'it'));
    const { run, steps, state } = parsed.data;
    return {
      run: parseRun(run),
      steps: steps.map(parseStep),
      state: state && decodeState({ tensors: fromBase64(state.tensors), rest: state.rest }),
    };
  } catch (error) {
    const reason = oneLine(messageOf(error));
    throw new Error(`This file is no exported run of Forage: ${reason}.`, { cause: error });
  }
}

/** The records of runs: listed, changed, written to files and read from them. */
export class RunRecords {
  readonly #store: RunStore;
  readonly #locks: LockManager;
  readonly #reporter: RunReporter;
  /** What must be done once before runs are shown. */
  #ready: Promise<void> | null = null;

  constructor(store: RunStore, locks: LockManager, reporter: RunReporter) {
    this.#store = store;
    this.#locks = locks;
    this.#reporter = reporter;
  }

  async all(): Promise<RunRecord[]> {
    this.#ready ??= this.#tidy();
    await this.#ready;
    return this.#store.runs();
  }

  async change(runId: string, change: Partial<RunRecord>): Promise<void> {
    this.send(await this.write(runId, change));
  }

  /** Stores a change that is sent later. */
  write(runId: string, change: Partial<RunRecord>): Promise<RunRecord> {
    return this.#store.change(runId, { ...change, updatedAt: nowIso() });
  }

  send(run: RunRecord): void {
    this.#reporter.send([{ type: 'run', run }]);
  }

  /** After the tab that trained a run let go of it: one that did not say how it ended was closed. */
  async freed(runId: string): Promise<void> {
    const run = await this.#store.run(runId);
    if (run.status === 'running')
      await this.change(runId, { status: 'paused', notice: interrupted(run) });
    else this.send(run);
  }

  /** One file: settings, steps, and the last snapshot. */
  async export(runId: string): Promise<Blob> {
    const [run, steps, state] = await Promise.all([
      this.#store.run(runId),
      this.#store.steps(runId),
      this.#store.lastState(runId),
    ]);
    return new Blob([writeRunFile({ run, steps, state })], { type: 'application/json' });
  }

  /**
   * Takes a file in as a run. Nothing stays of it where that fails.
   * @throws Error where the file is none of a run; StorageFull
   */
  async read(file: Blob): Promise<RunRecord> {
    const { run, steps, state } = readRunFile(await file.text());
    const store = this.#store;
    const taken = (await store.runs()).some(({ id }) => id === run.id);
    const { sweep, ...rest } = run;
    // Without a snapshot nothing can continue after the steps, but they can be read.
    const last = state?.step ?? steps.at(-1)?.step ?? 0;
    const readOnly = state === null && last > 0;
    const imported: RunRecord = {
      ...rest,
      // A copy is no second cell of a sweep that is here.
      ...(sweep && !taken && { sweep }),
      id: taken ? newId(run.settings) : run.id,
      name: taken ? `${run.name} (imported)` : run.name,
      status: run.status === 'running' ? (readOnly ? 'stopped' : 'paused') : run.status,
      checkpointStep: state?.step ?? null,
      importedStep: last,
      ...(readOnly && { step: last, notice: NO_SNAPSHOT }),
      deletedAt: null,
    };
    const pending = steps
      .filter(({ step }) => step <= last)
      .map((step) => ({ record: { ...step, runId: imported.id }, rollouts: [] }));
    // Until its steps are stored it counts as deleted, and the lock keeps it from being freed.
    const release = await holdRun(imported.id, this.#locks);
    await store.put({ ...imported, checkpointStep: null, deletedAt: nowIso() });
    try {
      if (state) await store.commit(imported.id, state, pending, {});
      else await store.addSteps(imported.id, pending);
      await store.put(imported);
    } catch (error) {
      await store.purge(imported.id).catch(() => undefined);
      throw error;
    } finally {
      release?.();
    }
    this.#reporter.send([{ type: 'run', run: imported }]);
    return imported;
  }

  /** @param steps those of the run, of which some may not be stored yet */
  async download(
    runId: string,
    what: DownloadKind,
    facts: (ref: PolicyRef) => Promise<PolicyFacts>,
    steps: () => Promise<TrainStep[]>,
    watch: DownloadWatch,
  ): Promise<Download[]> {
    const [run, state] = await Promise.all([this.#store.run(runId), this.#store.lastState(runId)]);
    const policy = await facts((run.setup ?? BUILT_IN_SETUP).policy);
    return filesOf(what, { run, state, policy, steps }, watch);
  }

  /** Frees the rollouts of a run's past steps, or their adapters. @returns bytes */
  async drop(runId: string, what: DroppedKind): Promise<number> {
    const freed = await (what === 'rollouts'
      ? this.#store.dropRollouts(runId)
      : this.#store.dropAdapters(runId));
    await this.#reporter.storage();
    return freed;
  }

  /** Frees the space of runs that were deleted before a time, ISO. */
  async purge(before: string): Promise<void> {
    const held = await heldRuns(this.#locks);
    const gone = (await this.#store.runs()).filter(
      ({ id, deletedAt }) => deletedAt !== null && deletedAt <= before && !held.has(id),
    );
    for (const { id } of gone) await this.#store.purge(id);
    if (gone.length > 0) await this.#reporter.storage();
  }

  /** Runs that a killed tab left, and runs whose deletion can no longer be undone. */
  async #tidy(): Promise<void> {
    await this.purge(undoEnded());
    const held = await heldRuns(this.#locks);
    for (const run of await this.#store.runs()) {
      if (held.has(run.id)) continue;
      if (run.status === 'running')
        await this.#store.put({ ...run, status: 'paused', notice: interrupted(run) });
    }
  }
}
