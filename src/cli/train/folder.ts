import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MadeStep, TrainStep } from '../../records/training.ts';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';
import { writePeft, type AdapterFile } from '../../policy/lora/peft.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { decodeState, encodeState, isUntrained, type TrainState } from '../../learn/rl/state.ts';
import {
  checkedFile,
  encodeHashes,
  HASHES,
  hashesIn,
  hashesSchema,
  hashOf,
  type Hashes,
} from '../shared/hashes.ts';
import { UsageError } from '../shared/options.ts';
import { textModelSchema } from '../parts/text-model.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import { dropAdapters, keepAdapter, pastAdapter, pastSteps } from './past-adapters.ts';
import { runSourcesSchema } from './run-sources.ts';
import { appendLines } from '../shared/append.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { writeSafely } from '../shared/write-safely.ts';
import { issueOf, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/objects.ts';

/**
 * A run's folder: `settings.json` with the SHA-256 of what it says, `steps.jsonl`, snapshot folders, and `latest.json`,
 * which names the last two of them with the SHA-256 of every file. A snapshot is written and flushed whole, its own
 * `sha256.json` last, before `latest.json` is renamed onto: a killed process leaves the one before in force. Of earlier
 * steps `adapters` has what is enough to ask with.
 */

const snapshotSchema = z.strictObject({
  folder: z.string(),
  step: z.int().min(0),
  hashes: hashesSchema,
});
const pointerSchema = z.strictObject({
  format: z.literal('forage.latest/1'),
  latest: snapshotSchema,
  previous: snapshotSchema.nullable(),
});
type Pointer = z.infer<typeof pointerSchema>;
type Snapshot = z.infer<typeof snapshotSchema>;

const runJudgeSchema = z.strictObject({
  model: textModelSchema,
  concurrency: z.int().min(1),
  timeoutMs: z.int().min(1),
});

const RUN_FORMAT = 'forage.cli-run/6';

const runSchema = z.strictObject({
  format: z.literal(RUN_FORMAT),
  runId: z.string(),
  settings: z.unknown(),
  device: z.enum(['wasm', 'webgpu']),
  policy: z.strictObject({
    folder: z.string(),
    id: z.string(),
    revision: z.string(),
    /** What its weights are held in; absent: as its files and the device suggest. */
    weights: z.enum(MATRIX_TYPES).optional(),
    /** What keys and values are held in, of sampler and trainer alike; absent: float32. */
    keys: z.enum(STORE_TYPES).optional(),
  }),
  world: z.strictObject({
    /** Null: the world that `seed` generates. */
    folder: z.string().nullable(),
    seed: z.int(),
  }),
  /** What is in the place of the world's passages, web and questions; absent: nothing does. */
  sources: runSourcesSchema.optional(),
  /** Who summarizes passages; absent: nobody. */
  summarizer: z.union([z.literal('extractive'), textModelSchema]).optional(),
  /** Who judges the held-out answers beside EM; absent: nobody. */
  judge: runJudgeSchema.optional(),
  /** Folder or run whose adapter it started from; the adapter itself is in the run's folder. Absent: none. */
  startAdapter: z.string().optional(),
  /** The model that the KL pulls towards, where that is another one. */
  teacher: z.strictObject({ folder: z.string(), revision: z.string() }).optional(),
  /** What was said of what it made before its first step, as its warm-up; absent: nothing was. */
  before: z.array(z.string()).optional(),
  /** SHA-256 of the rest as JSON; absent in runs of the time before it was written. */
  sha256: z.string().optional(),
});

export interface RunFile extends Omit<z.infer<typeof runSchema>, 'settings' | 'sha256'> {
  settings: TrainSettings;
}

const STEPS = 'steps.jsonl';
const SETTINGS = 'settings.json';
/** Trajectories that the run learns from, as they were given or as it made them. */
const DEMONSTRATIONS = 'demonstrations.jsonl';
const LATEST = 'latest.json';
/** PEFT folder of the adapter that the run started from. */
const START = 'start';

/** What is hashed of `settings.json`: the same for files that say the same in the same order. */
const hashOfRun = (file: object): string => hashOf(JSON.stringify(file));

function readSettingsFile(path: string): RunFile {
  const json = JSON.parse(readFileSync(path, 'utf8')) as { format?: unknown };
  const { format } = json;
  if (typeof format === 'string' && format.startsWith('forage.cli-run/') && format !== RUN_FORMAT)
    throw new UsageError(
      `${path} is of another version of Forage (${format}, here ${RUN_FORMAT}); train again with lab train.`,
    );
  const { sha256, ...rest } = runSchema.parse(json);
  const { sha256: _, ...said } = json as { sha256?: unknown };
  if (sha256 !== undefined && hashOfRun(said) !== sha256)
    throw new Error('it does not match its hash; after a change by hand, remove its line "sha256"');
  return { ...rest, settings: parseTrainSettings(rest.settings) };
}

/** @throws UsageError where the folder holds no run, or a damaged one */
export function readRun(run: string): RunFile {
  const path = join(run, SETTINGS);
  if (!existsSync(path)) throw new UsageError(`${run} is no training run: it has no ${SETTINGS}.`);
  try {
    return readSettingsFile(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof z.ZodError ? issueOf(error) : messageOf(error);
    throw new UsageError(`${path} is damaged: ${why}. Restore it from a copy.`, { cause: error });
  }
}

/** What is said of a run of steps alone. */
export const noSnapshot = (run: string): string =>
  `${run} has no snapshot: its steps can be read, but it cannot be continued here.`;

/** The records of the steps; what a killed process left of a line is none. */
function recordedSteps(run: string): TrainStep[] {
  const path = join(run, STEPS);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line): TrainStep[] => {
      try {
        const value: unknown = JSON.parse(line);
        const isStep = isObject(value) && Number.isInteger(value['step']);
        return isStep ? [value as unknown as TrainStep] : [];
      } catch {
        return [];
      }
    });
}

/**
 * Whether steps of the folder would be lost with a new beginning: it has no snapshot, and they are none that a process
 * which was killed before its first one made here, and would make again.
 */
export function hasStepsAlone(run: string): boolean {
  if (hasLatest(run)) return false;
  const steps = recordedSteps(run);
  if (steps.length === 0) return false;
  // What was trained is counted here alone.
  if (steps.some(({ trainedTokens }) => typeof trainedTokens !== 'number')) return true;
  const { checkpointEvery } = readRun(run).settings;
  return steps.some(({ step }) => step > checkpointEvery);
}

/** @throws UsageError where the folder holds a run already, or cannot be made */
export function createRun(run: string, file: RunFile): void {
  if (hasStepsAlone(run))
    throw new UsageError(`${run} holds the steps of a run already; name another folder.`);
  if (hasLatest(run))
    throw new UsageError(`${run} has a run already; --resume ${run} continues it.`);
  makeFolders(run);
  for (const name of [STEPS, DEMONSTRATIONS, HASHES]) rmSync(join(run, name), { force: true });
  rmSync(join(run, START), { recursive: true, force: true });
  dropAdapters(run, 0);
  // Left by a process that was killed before `latest.json`; never to be taken for snapshots of this run.
  for (const name of snapshotFolders(run)) rmSync(join(run, name), { recursive: true });
  writeRun(run, file);
}

export function writeDemonstrations(run: string, text: string): void {
  // The hash first: a process that is killed in between leaves no file, which is made or given again.
  writeSafely(join(run, HASHES), encodeHashes({ [DEMONSTRATIONS]: hashOf(text) }));
  writeSafely(join(run, DEMONSTRATIONS), text);
}

/** Keeps the adapter that a run starts from: the folder that it came from may change. */
export function writeStartAdapter(run: string, files: readonly AdapterFile[]): void {
  makeFolders(startFolder(run));
  for (const { name, bytes } of files) writeSafely(join(startFolder(run), name), bytes);
  const hashes = Object.fromEntries(files.map(({ name, bytes }) => [name, hashOf(bytes)]));
  writeSafely(join(startFolder(run), HASHES), encodeHashes(hashes));
}

export const startFolder = (run: string): string => join(run, START);

/** Null where the run has none. @throws UsageError where they are damaged */
export function loadDemonstrations(run: string): string | null {
  if (!existsSync(join(run, DEMONSTRATIONS))) return null;
  try {
    const hashes = hashesIn(run);
    if (!hashes) return readFileSync(join(run, DEMONSTRATIONS), 'utf8');
    return new TextDecoder().decode(checkedFile(run, DEMONSTRATIONS, hashes));
  } catch (error) {
    throw new UsageError(`${messageOf(error)}; restore it from a copy.`, { cause: error });
  }
}

export const writeRun = (run: string, file: RunFile): void =>
  writeSafely(
    join(run, SETTINGS),
    `${JSON.stringify({ ...file, sha256: hashOfRun(file) }, null, 2)}\n`,
  );

type Notice = (line: string) => void;

const SNAPSHOT = /^step-(\d+)(?:-again)?$/u;

const nameOf = (step: number): string => `step-${String(step).padStart(6, '0')}`;

const snapshotFolders = (run: string): string[] =>
  existsSync(run) ? readdirSync(run).filter((name) => SNAPSHOT.test(name)) : [];

const hasLatest = (run: string): boolean => existsSync(join(run, LATEST));

const STATE = { tensors: 'state.safetensors', rest: 'state.json' };

/** The state of a snapshot whose files match their hashes. @throws Error that names the file at fault */
function load(run: string, { folder, step, hashes }: Snapshot): TrainState {
  for (const name of Object.keys(hashes)) checkedFile(join(run, folder), name, hashes);
  return loadState(run, { folder, step, hashes });
}

/** The same, whatever its adapter files hold: the state has the adapter, too. */
function loadState(run: string, { folder, step, hashes }: Snapshot): TrainState {
  const state = decodeState({
    tensors: checkedFile(join(run, folder), STATE.tensors, hashes),
    rest: new TextDecoder().decode(checkedFile(join(run, folder), STATE.rest, hashes)),
  });
  if (state.step !== step)
    throw new Error(`${join(run, folder)} is of step ${state.step}, and ${LATEST} says ${step}`);
  return state;
}

/** A snapshot by its own hashes; null where it is not whole. */
function wholeSnapshot(run: string, folder: string): Snapshot | null {
  try {
    const hashes = hashesIn(join(run, folder));
    if (!hashes) return null;
    const snapshot = { folder, step: Number(SNAPSHOT.exec(folder)?.[1]), hashes };
    load(run, snapshot);
    return snapshot;
  } catch {
    return null;
  }
}

/** Whole snapshots in the folder, the newest first. */
function wholeSnapshots(run: string): Snapshot[] {
  const written = ({ folder }: Snapshot): number => statSync(join(run, folder, HASHES)).mtimeMs;
  return snapshotFolders(run)
    .flatMap((folder) => wholeSnapshot(run, folder) ?? [])
    .toSorted((a, b) => b.step - a.step || written(b) - written(a));
}

function readPointer(run: string): Pointer | null {
  try {
    return pointerSchema.parse(JSON.parse(readFileSync(join(run, LATEST), 'utf8')));
  } catch {
    return null;
  }
}

/**
 * The last two snapshots; null where there is none. Without a whole `latest.json` they are found by their own hashes.
 * @throws UsageError where it is damaged, and no snapshot is whole
 */
function pointerOf(run: string, notice: Notice): Pointer | null {
  const pointer = readPointer(run);
  if (pointer) return pointer;
  const state = hasLatest(run) ? 'damaged' : 'missing';
  const [latest, previous = null] = wholeSnapshots(run);
  const path = join(run, LATEST);
  if (latest) {
    notice(`${path} is ${state}; the newest whole snapshot is that of step ${latest.step}`);
    return { format: 'forage.latest/1', latest, previous };
  }
  if (state === 'missing') return null;
  throw new UsageError(
    `${path} is damaged, and no snapshot beside it is whole; restore the folder from a copy.`,
  );
}

interface Found {
  snapshot: Snapshot;
  state: TrainState;
}

const tried = <T>(act: () => T): { value: T } | { fault: string } => {
  try {
    return { value: act() };
  } catch (error) {
    return { fault: messageOf(error) };
  }
};

/**
 * The last snapshot whose files all match their hashes; else, as text, what is damaged. A damaged newest one is skipped
 * with a notice.
 * @param verb what happens with the one before, for the notice
 */
function lastGood(
  run: string,
  { latest, previous }: Pointer,
  notice: Notice,
  verb: string,
): Found | string {
  const newest = tried(() => load(run, latest));
  if ('value' in newest) return { snapshot: latest, state: newest.value };
  const before = previous && tried(() => load(run, previous));
  if (previous && before && 'value' in before) {
    notice(`${newest.fault}; ${verb} step ${previous.step}`);
    return { snapshot: previous, state: before.value };
  }
  return newest.fault + (before && 'fault' in before ? `, and ${before.fault}` : '');
}

/** @throws UsageError for what is damaged */
function wholeOrThrow(found: Found | string): Found {
  if (typeof found === 'string')
    throw new UsageError(`${found}; restore the folder from a copy, or name another step.`);
  return found;
}

/**
 * The last whole snapshot, null before the first; nothing is written. A damaged newest one is skipped with a notice.
 * @throws UsageError where none is whole
 */
export function loadSnapshot(run: string, notice: Notice): TrainState | null {
  const pointer = pointerOf(run, notice);
  return pointer && wholeOrThrow(lastGood(run, pointer, notice, 'reading')).state;
}

/**
 * The snapshot that a run is resumed from, null before the first. Where none is whole, the state of the newest is enough,
 * for it has the adapter, too.
 * @throws UsageError where no state is whole
 */
export function resumeSnapshot(run: string, notice: Notice): TrainState | null {
  const pointer = pointerOf(run, notice);
  if (!pointer) return null;
  const { latest } = pointer;
  const found = lastGood(run, pointer, notice, 'going on from');
  const state = typeof found === 'string' ? tried(() => loadState(run, latest)) : null;
  if (typeof found === 'string' && state && 'value' in state) {
    notice(`${found}; the state of step ${latest.step} is whole, and training resumes from it`);
    return state.value;
  }
  const { snapshot, state: whole } = wholeOrThrow(found);
  // A damaged one must not count as "the one before" of the next snapshot.
  if (snapshot !== latest) writePointer(run, { ...pointer, latest: snapshot, previous: null });
  else if (!readPointer(run)) writePointer(run, pointer);
  return whole;
}

/** @throws UsageError where the state is of before the run learned anything */
function checkTrained(run: string, state: TrainState | null): void {
  if (state && isUntrained(state))
    throw new UsageError(
      `${run} had learned nothing by step ${state.step}: no step had a gradient, so there is no adapter.`,
    );
}

/** The folder of the newest snapshot. @throws UsageError without one */
export function adapterFolderOf(run: string): string {
  const pointer = pointerOf(run, () => undefined);
  if (!pointer) throw new UsageError(`${run} is no training run: it has no ${LATEST}.`);
  return join(run, pointer.latest.folder);
}

/** A run as a command line names it: its folder, or `DIR@STEP`, one of its steps. */
export interface RunAt {
  run: string;
  /** Null: the last one. */
  step: number | null;
}

export function readRunAt(text: string): RunAt {
  const [, run, step] = /^(.+)@(\d{1,9})$/u.exec(text) ?? [];
  return run === undefined || step === undefined || existsSync(text)
    ? { run: text, step: null }
    : { run, step: Number(step) };
}

/**
 * The adapter of a step of a run, whose files match their hashes, with what the step's router had learned.
 * @throws UsageError where that step is damaged, or not kept, with those that are
 */
export function adapterAt({ run, step }: RunAt, notice: Notice): { folder: string; router: Json } {
  const pointer = pointerOf(run, notice);
  if (!pointer) throw new UsageError(`${run} is no training run: it has no ${LATEST}.`);
  if (step === null) {
    const { snapshot, state } = wholeOrThrow(lastGood(run, pointer, notice, 'reading'));
    checkTrained(run, state);
    return { folder: join(run, snapshot.folder), router: state.router };
  }
  const { latest, previous } = pointer;
  const snapshot = [latest, previous].find((one) => one?.step === step);
  const found = tried(() =>
    snapshot
      ? { folder: join(run, snapshot.folder), state: load(run, snapshot) }
      : pastAdapter(run, step),
  );
  if ('fault' in found) throw new UsageError(`${found.fault}; name another step.`);
  if (found.value && 'state' in found.value) {
    const { folder, state } = found.value;
    checkTrained(run, state);
    return { folder, router: state.router };
  }
  if (found.value) return found.value;
  const steps = [...pastSteps(run), ...(previous ? [previous.step] : []), latest.step];
  throw new UsageError(
    `${run} has no adapter of step ${step}; it has those of ${[...new Set(steps)].join(', ')}.`,
  );
}

const writePointer = (run: string, pointer: Pointer): void =>
  writeSafely(join(run, LATEST), `${JSON.stringify(pointer, null, 2)}\n`);

/**
 * Writes state and adapter (a PEFT folder); the last two snapshots are kept.
 * @param past whether adapters of earlier steps stay, too
 */
export function saveSnapshot(
  run: string,
  state: TrainState,
  { settings, policy }: { settings: TrainSettings; policy: { id: string } },
  config: PolicyConfig,
  { past = false }: { past?: boolean } = {},
): void {
  const before = readPointer(run);
  const name = nameOf(state.step);
  // A step may be saved again (while questions are scored): never onto the snapshot in force.
  const folder = before?.latest.folder === name ? `${name}-again` : name;
  const { tensors, rest } = encodeState(state);
  const files = [
    { name: 'state.safetensors', bytes: tensors as Uint8Array },
    { name: 'state.json', bytes: new TextEncoder().encode(rest) },
    // An adapter that changes nothing is not a result.
    ...(isUntrained(state) ? [] : writePeft(config, settings.adapter, state.adapter, policy.id)),
  ];
  mkdirSync(join(run, folder), { recursive: true });
  for (const { name, bytes } of files) writeSafely(join(run, folder, name), bytes);
  const hashes: Hashes = Object.fromEntries(files.map(({ name, bytes }) => [name, hashOf(bytes)]));
  writeSafely(join(run, folder, HASHES), encodeHashes(hashes));
  const latest = { folder, step: state.step, hashes };
  const previous = before?.latest ?? null;
  writePointer(run, { format: 'forage.latest/1', latest, previous });
  dropAdapters(run, state.step);
  const old = before?.previous;
  if (!old || old.folder === folder) return;
  if (past && old.step < state.step)
    keepAdapter(run, old, (step) => step % settings.heldOut.every === 0);
  rmSync(join(run, old.folder), { recursive: true, force: true });
}

/** Numbers as ranges: 1, 4 to 6. */
function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
}

/** Names the steps up to `step` whose records are lost. A run that came from a cluster may begin after the first. */
function lostSteps(run: string, records: readonly TrainStep[], step: number): string | null {
  const have = new Set(records.map((record) => record.step));
  const [first] = records;
  const from = first && typeof first.trainedTokens !== 'number' ? first.step : 1;
  const lost = Array.from({ length: Math.max(0, step - from + 1) }, (_, i) => from + i).filter(
    (one) => !have.has(one),
  );
  if (lost.length === 0) return null;
  const what = lost.length === 1 ? 'The record of step' : 'The records of steps';
  return `${what} ${ranges(lost)} ${lost.length === 1 ? 'is' : 'are'} lost from ${join(run, STEPS)}: charts and tables of the run lack ${lost.length === 1 ? 'it' : 'them'}, and training is not affected.`;
}

/** Drops the records of steps after `step`, and lines that cannot be read; what is lost before is named. */
export function trimSteps(run: string, step: number, notice: Notice): void {
  const records = recordedSteps(run).filter((record) => record.step <= step);
  const lost = lostSteps(run, records, step);
  if (lost !== null) notice(lost);
  if (existsSync(join(run, STEPS)))
    writeSafely(join(run, STEPS), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

export function appendStep(run: string, step: TrainStep): void {
  appendLines(join(run, STEPS), [JSON.stringify(step)]);
}

/** The records of the steps so far, as this version wrote them. */
export function readSteps(run: string): MadeStep[] {
  const path = join(run, STEPS);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MadeStep);
}
