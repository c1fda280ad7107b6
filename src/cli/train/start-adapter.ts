import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import {
  ADAPTER_CONFIG,
  writePeft,
  type Adapter,
  type AdapterFile,
} from '../../policy/lora/peft.ts';
import { UsageError } from '../shared/options.ts';
import { say } from '../shared/command.ts';
import { readAdapterFolder } from '../shared/parts.ts';
import { adapterAt, readRunAt, startFolder, type RunFile } from './folder.ts';

/** The adapter that a new run starts from: a PEFT folder, or a run (`DIR@STEP`: one of its steps). */
export function readStartAdapter(config: PolicyConfig, given: string): Promise<Adapter> {
  const at = readRunAt(given);
  if (!existsSync(at.run))
    throw new UsageError(`${at.run} is missing; --adapter takes a PEFT folder or a run.`);
  const isPeft = existsSync(join(given, ADAPTER_CONFIG));
  return readAdapterFolder(config, isPeft ? given : adapterAt(at, say).folder);
}

/** Settings with the shape of that adapter. */
export function withShapeOf(settings: TrainSettings, { spec }: Adapter): TrainSettings {
  const { rank, alpha, targets, gates } = spec;
  const { adapter } = settings;
  if (adapter.rank !== rank || adapter.alpha !== alpha)
    say(
      `The run takes the shape of its adapter: rank ${rank}, alpha ${alpha}, on ${targets.join(', ')}.`,
    );
  const own = adapter.gates && gates ? { gates: adapter.gates } : {};
  return { ...settings, adapter: { rank, alpha, targets: [...targets], ...own } };
}

export const startFiles = (
  config: PolicyConfig,
  { spec, flat, baseName }: Adapter,
): AdapterFile[] => writePeft(config, spec, flat, baseName);

/** The adapter that the run of a folder started from; null where it has none. */
export const loadStartAdapter = async (
  run: string,
  { startAdapter }: RunFile,
  config: PolicyConfig,
): Promise<Float32Array | null> =>
  startAdapter === undefined ? null : (await readAdapterFolder(config, startFolder(run))).flat;
