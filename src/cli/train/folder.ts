import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { MadeStep, TrainStep } from '../../records/training.ts';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { decodeState, encodeState, type TrainState } from '../../learn/rl/state.ts';
import { UsageError } from '../shared/options.ts';
import { textModelSchema } from '../helpers/text-model.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import { dropAdapters, keepAdapter, pastAdapter, pastSteps } from './past-adapters.ts';
import { runSourcesSchema } from './run-sources.ts';
import { writeSafely } from './write-safely.ts';
import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/objects.ts';

/**
 * A run's folder: `settings.json`, `steps.jsonl`, snapshot folders, and `latest.json`, which names
 * the last two of them with the SHA-256 of every file. A snapshot is written and flushed whole
 * before `latest.json` is renamed onto, so that a killed process leaves the one before in force. Of
 * earlier steps `adapters` has what is enough to ask with.
 */

const hashes = z.record(z.string(), z.string());
const snapshotSchema = z.strictObject({ folder: z.string(), step: z.int().min(0), hashes });
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

const runSchema = z.strictObject({
  format: z.literal('forage.cli-run/1'),
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
    folder: z.string().nullable(),
    seed: z.int(),
    /**
     * Of a world that is made from form and seed wherever the run goes on. Absent: a folder, or, in runs of the
     * time of the first form, the built-in one of that form.
     */
    form: z.union([z.literal(1), z.literal(2)]).optional(),
  }),
  /** What stands in the place of the world's passages, web and questions; absent: nothing does. */
  sources: runSourcesSchema.optional(),
  /** Who summarizes passages; absent: nobody. */
  summarizer: z.union([z.literal('extractive'), textModelSchema]).optional(),
  /** Who judges the held-out answers beside EM; absent: nobody. */
  judge: runJudgeSchema.optional(),
  /** What was said of what it made before its first step, as its warm-up; absent: nothing was. */
  before: z.array(z.string()).optional(),
});

export interface RunFile extends Omit<z.infer<typeof runSchema>, 'settings'> {
  settings: TrainSettings;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UsageError(`${path} is damaged.`);
  }
};

const STEPS = 'steps.jsonl';
const SETTINGS = 'settings.json';
const LATEST = 'latest.json';

export const adapterFolderOf = (run: string): string => join(run, pointerOf(run).latest.folder);

function pointerOf(run: string): Pointer {
  const pointer = readPointer(run);
  if (!pointer) throw new UsageError(`${run} is no training run: it has no ${LATEST}.`);
  return pointer;
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
 * The adapter of a step of a run, with what the step's router had learned.
 * @throws UsageError where that step is not kept, with those that are
 */
export function adapterAt(
  { run, step }: RunAt,
  notice: (line: string) => void,
): { folder: string; router: Json } {
  const { latest, previous } = pointerOf(run);
  // A damaged last snapshot gives way to the one before.
  if (step === null) {
    const router = loadSnapshot(run, notice)?.router ?? null;
    return { folder: adapterFolderOf(run), router };
  }
  const snapshot = [latest, previous].find((one) => one?.step === step);
  if (snapshot) return { folder: join(run, snapshot.folder), router: load(run, snapshot).router };
  const past = pastAdapter(run, step);
  if (past) return past;
  const steps = [...pastSteps(run), ...(previous ? [previous.step] : []), latest.step];
  throw new UsageError(
    `${run} has no adapter of step ${step}; it has those of ${[...new Set(steps)].join(', ')}.`,
  );
}

function readPointer(run: string): Pointer | null {
  const path = join(run, LATEST);
  if (!existsSync(path)) return null;
  const parsed = pointerSchema.safeParse(readJson(path));
  if (!parsed.success) throw new UsageError(`${path} is damaged.`);
  return parsed.data;
}

/** @throws UsageError where the folder holds no run */
export function readRun(run: string): RunFile {
  const path = join(run, SETTINGS);
  if (!existsSync(path)) throw new UsageError(`${run} is no training run: it has no ${SETTINGS}.`);
  const parsed = runSchema.safeParse(readJson(path));
  if (!parsed.success) throw new UsageError(`${path} is damaged.`);
  return { ...parsed.data, settings: parseTrainSettings(parsed.data.settings) };
}

/** What is said of a run of steps alone. */
export const noSnapshot = (run: string): string =>
  `${run} holds no snapshot: the steps can be read, and it cannot go on here.`;

/** The records of the steps; what a killed process left of a line is none. */
function recordedSteps(run: string): TrainStep[] {
  const path = join(run, STEPS);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line): TrainStep[] => {
      try {
        const value: unknown = JSON.parse(line);
        return isObject(value) ? [value as unknown as TrainStep] : [];
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
  if (existsSync(join(run, LATEST))) return false;
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
  if (existsSync(join(run, LATEST)))
    throw new UsageError(`${run} holds a run already; --resume ${run} goes on with it.`);
  try {
    mkdirSync(run, { recursive: true });
  } catch (error) {
    throw new UsageError(`${run} cannot be made: ${(error as Error).message}.`);
  }
  rmSync(join(run, STEPS), { force: true });
  dropAdapters(run, 0);
  writeRun(run, file);
}

/** Trajectories that the run learns from, as they were given or as it made them. */
const DEMONSTRATIONS = 'demonstrations.jsonl';

export const writeDemonstrations = (run: string, text: string): void =>
  writeSafely(join(run, DEMONSTRATIONS), text);

/** Null where the run has none. */
export function loadDemonstrations(run: string): string | null {
  const path = join(run, DEMONSTRATIONS);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

export const writeRun = (run: string, file: RunFile): void =>
  writeSafely(join(run, SETTINGS), `${JSON.stringify(file, null, 2)}\n`);

function readChecked(run: string, { folder, hashes: sums }: Snapshot, name: string): Uint8Array {
  const path = join(run, folder, name);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  const bytes = readFileSync(path);
  if (sha256(bytes) !== sums[name]) throw new Error(`${path} does not match its hash`);
  return bytes;
}

function load(run: string, snapshot: Snapshot): TrainState {
  return decodeState({
    tensors: readChecked(run, snapshot, 'state.safetensors'),
    rest: new TextDecoder().decode(readChecked(run, snapshot, 'state.json')),
  });
}

/**
 * The last good snapshot, null before the first. A damaged newest one is skipped, and said.
 * @throws UsageError where both are damaged
 */
export function loadSnapshot(run: string, notice: (line: string) => void): TrainState | null {
  const pointer = readPointer(run);
  if (!pointer) return null;
  try {
    return load(run, pointer.latest);
  } catch (error) {
    if (!pointer.previous) throw new UsageError(`${messageOf(error)}.`);
    try {
      const state = load(run, pointer.previous);
      notice(`${messageOf(error)}; going on from step ${pointer.previous.step}`);
      // The damaged one must not count as "the one before" of the next snapshot.
      writePointer(run, { ...pointer, latest: pointer.previous, previous: null });
      return state;
    } catch (second) {
      throw new UsageError(`${messageOf(error)}, and ${messageOf(second)}.`);
    }
  }
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
  { settings, policy }: RunFile,
  config: PolicyConfig,
  { past = false }: { past?: boolean } = {},
): void {
  const before = readPointer(run);
  const name = `step-${String(state.step).padStart(6, '0')}`;
  // A step may be saved again (while questions are scored): never onto the snapshot in force.
  const folder = before?.latest.folder === name ? `${name}-again` : name;
  const { tensors, rest } = encodeState(state);
  const files = [
    { name: 'state.safetensors', bytes: tensors as Uint8Array },
    { name: 'state.json', bytes: new TextEncoder().encode(rest) },
    ...writePeft(config, settings.adapter, state.adapter, policy.id),
  ];
  mkdirSync(join(run, folder), { recursive: true });
  for (const { name, bytes } of files) writeSafely(join(run, folder, name), bytes);
  const latest = {
    folder,
    step: state.step,
    hashes: Object.fromEntries(files.map(({ name, bytes }) => [name, sha256(bytes)])),
  };
  const previous = before?.latest ?? null;
  writePointer(run, { format: 'forage.latest/1', latest, previous });
  dropAdapters(run, state.step);
  const old = before?.previous;
  if (!old || old.folder === folder) return;
  if (past && old.step < state.step)
    keepAdapter(run, old, (step) => step % settings.heldOut.every === 0);
  rmSync(join(run, old.folder), { recursive: true, force: true });
}

/** Drops the records of steps after `step` and what a killed process left of a line. */
export function trimSteps(run: string, step: number): void {
  const path = join(run, STEPS);
  if (!existsSync(path)) return;
  const kept = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => {
      try {
        return (JSON.parse(line) as TrainStep).step <= step;
      } catch {
        return false;
      }
    });
  writeSafely(path, kept.map((line) => `${line}\n`).join(''));
}

export function appendStep(run: string, step: TrainStep): void {
  const file = openSync(join(run, STEPS), 'a');
  try {
    writeSync(file, `${JSON.stringify(step)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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
