import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { ExperimentSource, SourceRun } from '../../handover/export/parts/experiment.ts';
import { CONFIG, SIDE_FILES } from '../../lab/models/checkpoints/plan/file-names.ts';
import { isUntrained } from '../../learn/rl/state.ts';
import { withChanges } from '../../learn/settings/edit-settings.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import { readSmallFile } from '../../policy/checkpoint/checkpoint.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { SHIPPED_SEED } from '../../world/world.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import { MANIFEST_FILE } from '../../retrieval/world/manifest.ts';
import { fetchFromDisk } from '../shared/build-world.ts';
import { sayBefore } from '../train/before.ts';
import { loadSnapshot, readRun, type RunFile } from '../train/folder.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { say } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { readQuestions } from '../shared/import-files.ts';
import { openFolder } from '../shared/parts.ts';
import { foundSources, partsOf } from '../train/run-sources.ts';
import { builtIn, projectPath } from '../shared/paths.ts';
import { asUsage, readSettings } from '../shared/train-settings.ts';

type Questions = ExperimentSource['questions'];

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
    throw new UsageError(`${path} is not a world folder: ${MANIFEST_FILE} is missing.`);
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
  const warm =
    state !== null &&
    (state.step > 0 || file.settings.warmUp === null || state.coldStart?.over === true);
  if (!state || !warm || (state.step > 0 && isUntrained(state))) {
    const within = warm ? 'has learned nothing yet' : 'is within its cold start';
    const why = state ? within : 'has no snapshot yet';
    say(`${folder} ${why}: the export starts where the run started, without an adapter.`);
    return { run: null, learningRate: null };
  }
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

/** Whether the run trains on a generated world, which only its seed names. */
const isMade = ({ world }: RunFile): boolean =>
  world.folder === null && world.seed !== SHIPPED_SEED;

/** A generated world is exported as a folder. */
function worldFolder(file: RunFile | null, values: OptionValues): string | null {
  const given = values.world === undefined ? null : resolve(String(values.world));
  if (!file) return given;
  const { seed, folder } = file.world;
  if (!isMade(file)) return folder;
  if (given === null)
    throw new UsageError(
      `The run trains on the generated world of seed ${seed}. Write it with lab world --seed ${seed} --out DIR, and export with --world DIR.`,
    );
  return given;
}

/** Passages, engine and questions of a run's own, as the folder carries them. @throws UsageError */
async function ownData(
  file: RunFile | null,
): Promise<Pick<ExperimentSource, 'corpus' | 'engine'> & { questions: Questions | null }> {
  const found = await foundSources(file?.sources, {});
  if (!found) return { corpus: null, engine: null, questions: null };
  const { corpus, engine, questions } = found;
  const { split } = partsOf(found);
  return {
    corpus: corpus && {
      files: corpus.files.map(({ path }, i) => ({
        name: `passages-${i + 1}${extname(path)}`,
        bytes: new Uint8Array(readFileSync(path)),
      })),
      method: corpus.method,
      encoder: corpus.encoder,
    },
    engine: engine && { kind: engine.kind, url: engine.url },
    questions: questions && (await readQuestions(questions.path, say, split)).questions,
  };
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
  if (file) sayBefore(file, say);
  const made = file !== null && isMade(file);
  if (file && (values.recipe ?? (made ? undefined : values.world) ?? values.seed) !== undefined)
    throw new UsageError('--run has its own recipe, world and seed; leave these options out.');
  const settings = file
    ? settingsOfRun(file, values, changes)
    : readSettings('export', values, changes, () => undefined);
  const checkpoint = await openFolder(text('policy') ?? file?.policy.folder);
  const revision = await folderRevision(checkpoint);
  const begun =
    file && folder !== null
      ? runOf(folder, file, checkpoint.config)
      : { run: null, learningRate: null };
  if (
    begun.run &&
    file &&
    !file.policy.revision.startsWith(revision) &&
    !(lists['without'] ?? []).includes('adapter')
  )
    throw new UsageError(
      `${checkpoint.path} has other weights than the run started with, so its adapter does not fit. Leave the adapter out: --without adapter.`,
    );
  const world = worldFolder(file, values);
  const opened = await readWorld(world);
  if (file && opened.manifest.seed !== file.world.seed)
    throw new UsageError(
      `The run trains on the world of seed ${file.world.seed}; ${world ?? 'the built-in one'} has seed ${opened.manifest.seed}.`,
    );
  const data = await ownData(file);
  const { config, limits, id, path } = checkpoint;
  return {
    settings:
      begun.learningRate === null
        ? settings
        : { ...settings, optimizer: { ...settings.optimizer, learningRate: begun.learningRate } },
    policy: {
      id,
      revision,
      folder: path,
      maxContext: Number(values['max-context'] ?? limits.maxContext),
      vocabulary: config.vocabSize,
      tokenizer: await tokenizerOf(checkpoint),
    },
    world: { folder: world, seed: opened.manifest.seed },
    corpus: data.corpus,
    engine: data.engine,
    questions: data.questions ?? opened.questions,
    run: begun.run,
    version: version(),
  };
}
