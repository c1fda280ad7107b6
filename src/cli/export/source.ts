import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ExperimentSource, SourceRun } from '../../handover/export/parts/experiment.ts';
import { CONFIG, SIDE_FILES } from '../../lab/models/checkpoints/plan/file-names.ts';
import { withChanges } from '../../learn/settings/edit-settings.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import { readSmallFile } from '../../policy/checkpoint/checkpoint.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { TrainSettings } from '../../recipes/training.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import { MANIFEST_FILE } from '../../retrieval/world/manifest.ts';
import { fetchFromDisk } from '../shared/build-world.ts';
import { loadSnapshot, readRun, type RunFile } from '../train/folder.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { say } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openFolder } from '../shared/parts.ts';
import { builtIn, projectPath } from '../shared/paths.ts';
import { asUsage, readSettings } from '../shared/train-settings.ts';

/** A file below `src/handover/files`. */
export const readHandoverFile = (path: string): Promise<string> =>
  readFile(projectPath(`src/handover/files/${path}`), 'utf8');

/** Version of Forage. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

async function tokenizerOf({
  files,
}: CheckpointFolder): Promise<ExperimentSource['policy']['tokenizer']> {
  const names = SIDE_FILES.filter((name) => name !== CONFIG);
  const found = [];
  for (const name of [...names, CONFIG])
    if ((await files.size(name)) !== null)
      found.push({ name, bytes: new Uint8Array(await readSmallFile(files, name)) });
  return found;
}

/** The world of a folder, without what searches it; null: the built-in one. @throws UsageError */
function readWorld(folder: string | null): Promise<World> {
  const path = folder ?? builtIn('world');
  if (!existsSync(join(path, MANIFEST_FILE)))
    throw new UsageError(`${path} is no world: it has no ${MANIFEST_FILE}.`);
  return loadWorld(fetchFromDisk(path));
}

/** A run's last snapshot; null before its first, and within its warm-up. */
function runOf(
  folder: string,
  file: RunFile,
  config: PolicyConfig,
): {
  run: SourceRun | null;
  learningRate: number | null;
} {
  const state = loadSnapshot(folder, say);
  const warm = state !== null && state.warmedUp >= (file.settings.warmUp?.updates ?? 0);
  if (!state || !warm) return { run: null, learningRate: null };
  const adapter = writePeft(config, file.settings.adapter, state.adapter, file.policy.id);
  return {
    run: { id: file.runId, step: state.step, curriculum: state.curriculum, adapter },
    learningRate: state.learningRate,
  };
}

/** What `--run` begins with: its settings as they are now, and its folders. */
function settingsOfRun(
  file: RunFile,
  values: OptionValues,
  changes: readonly string[],
): TrainSettings {
  const settings = structuredClone(file.settings);
  if (values.steps !== undefined) settings.steps = Number(values.steps);
  return asUsage(() => withChanges(settings, changes));
}

/**
 * What `lab export` exports: a recipe with the built-in policy and world unless others are named, or the
 * run of a folder with its own.
 * @throws UsageError that names the option or the file at fault
 */
export async function readSource(
  values: OptionValues,
  lists: OptionLists,
): Promise<ExperimentSource> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const changes = lists['set'] ?? [];
  const given = text('run');
  const folder = given === undefined ? null : resolve(given);
  const file = folder === null ? null : readRun(folder);
  if (file && (values.recipe ?? values.world ?? values.seed) !== undefined)
    throw new UsageError('--run has its own recipe, world and seed; leave these options out.');
  const settings = file
    ? settingsOfRun(file, values, changes)
    : readSettings('export', values, changes, () => undefined);
  const checkpoint = await openFolder(text('policy') ?? file?.policy.folder);
  const revision = await folderRevision(checkpoint);
  const own =
    file && folder !== null
      ? runOf(folder, file, checkpoint.config)
      : { run: null, learningRate: null };
  if (
    own.run &&
    file &&
    !file.policy.revision.startsWith(revision) &&
    !(lists['without'] ?? []).includes('adapter')
  )
    throw new UsageError(
      `${checkpoint.path} holds other weights than the run began with; its adapter does not fit them. Leave it out: --without adapter.`,
    );
  const world = file
    ? file.world.folder
    : values.world === undefined
      ? null
      : resolve(String(values.world));
  const opened = await readWorld(world);
  const { config, limits, id, path } = checkpoint;
  return {
    settings:
      own.learningRate === null
        ? settings
        : { ...settings, optimizer: { ...settings.optimizer, learningRate: own.learningRate } },
    policy: {
      id,
      revision,
      folder: path,
      maxContext: Number(values['max-context'] ?? limits.maxContext),
      vocabulary: config.vocabSize,
      tokenizer: await tokenizerOf(checkpoint),
    },
    world: { folder: world, seed: opened.manifest.seed },
    corpus: null,
    engine: null,
    questions: opened.questions,
    run: own.run,
    version: version(),
  };
}
