import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toHuggingFaceConfig } from '../../policy/checkpoint/config.ts';
import { readSafetensors, writeSafetensors } from '../../policy/checkpoint/safetensors.ts';
import { writeWeights, type PolicyWeights } from '../../policy/checkpoint/weights.ts';
import { DEFAULT_SETTINGS, type PretrainSettings } from '../../pretrain/policy/plan.ts';
import type { Progress } from '../../pretrain/policy/run.ts';
import type { SharedState } from '../../pretrain/policy/replica.ts';
import { UsageError } from '../shared/options.ts';
import { writeSafely } from '../shared/write-safely.ts';
import { definedSettings, settingsSchema } from './options.ts';

/**
 * A run's folder: `latest.json` names a snapshot folder and the SHA-256 of its tensors. A
 * snapshot is written whole under a new name before `latest.json` is renamed onto, so that a
 * killed process leaves the one before in force.
 */

const count = z.number().int().nonnegative();
const cursorSchema = z.object({
  trajectories: count,
  spans: count,
  drills: count,
});
const pointerSchema = z.object({
  folder: z.string(),
  previous: z.string().nullable(),
  sha256: z.string(),
  progress: z.object({
    step: count,
    tokens: count,
    cursor: cursorSchema.extend({ streams: z.array(cursorSchema).optional() }),
  }),
  settings: settingsSchema,
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const STATE = 'state.safetensors';

export function saveSnapshot(
  out: string,
  state: SharedState,
  progress: Progress,
  settings: PretrainSettings,
): void {
  const before = readPointer(out);
  const folder = `step-${String(progress.step).padStart(6, '0')}`;
  const names = ['weights', 'first', 'second'] as const;
  const bytes = writeSafetensors(
    new Map(names.map((name) => [name, { shape: [state[name].length], data: state[name] }])),
  );
  mkdirSync(join(out, folder), { recursive: true });
  writeSafely(join(out, folder, STATE), bytes);
  const previous = before === undefined || before.folder === folder ? null : before.folder;
  const pointer = { folder, previous, sha256: sha256(bytes), progress, settings };
  writeSafely(join(out, 'latest.json'), `${JSON.stringify(pointer, null, 2)}\n`);
  if (before?.previous && before.previous !== folder)
    rmSync(join(out, before.previous), { recursive: true, force: true });
}

function readPointer(out: string): z.infer<typeof pointerSchema> | undefined {
  const path = join(out, 'latest.json');
  if (!existsSync(path)) return undefined;
  try {
    return pointerSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UsageError(`${path} is damaged.`);
  }
}

/** Progress and settings of a run's last snapshot. */
export function readProgress(out: string): { progress: Progress; settings: PretrainSettings } {
  const pointer = readPointer(out);
  if (pointer === undefined) throw new UsageError(`${out} holds no snapshot.`);
  return {
    progress: pointer.progress,
    settings: { ...DEFAULT_SETTINGS, ...definedSettings(pointer.settings) },
  };
}

/** Fills the buffers from a run's last snapshot. @throws UsageError where it is damaged */
export function loadState(out: string, state: SharedState): void {
  const pointer = readPointer(out);
  if (pointer === undefined) throw new UsageError(`${out} holds no checkpoint.`);
  const path = join(out, pointer.folder, STATE);
  if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
  const bytes = readFileSync(path);
  if (sha256(bytes) !== pointer.sha256) throw new UsageError(`${path} does not match its hash.`);
  const tensors = readSafetensors(bytes);
  for (const name of ['weights', 'first', 'second'] as const) {
    const data = tensors.get(name)?.data;
    if (data?.length !== state[name].length)
      throw new UsageError(`${path} holds another shape than the settings.`);
    state[name].set(data);
  }
}

/** Writes a Hugging Face folder: config, weights in f16, tokenizer. Each file appears whole. */
export function exportPolicy(
  folder: string,
  name: string,
  weights: PolicyWeights,
  tokenizer: { folder: string; endOfText: number; pad: number },
): void {
  mkdirSync(folder, { recursive: true });
  const { endOfText, pad } = tokenizer;
  const config = {
    _name_or_path: name,
    ...toHuggingFaceConfig(weights.config, 'float16', endOfText, pad),
  };
  writeSafely(join(folder, 'model.safetensors'), writeWeights(weights, 'F16'));
  writeSafely(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  for (const file of ['tokenizer.json', 'tokenizer_config.json'])
    if (join(folder, file) !== join(tokenizer.folder, file))
      copyFileSync(join(tokenizer.folder, file), join(folder, file));
}
