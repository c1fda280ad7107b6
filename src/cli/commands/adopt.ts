import { existsSync, openAsBlob, readdirSync, statSync } from 'node:fs';
import { join, resolve, basename, relative, sep } from 'node:path';
import { adopt, type Adopted, type Base } from '../../handover/adopt/adopt.ts';
import { AdoptError, type AdoptFile } from '../../handover/adopt/folder.ts';
import type { AdoptedExperiment } from '../../handover/adopt/experiment.ts';
import { appendLines } from '../shared/append.ts';
import { print, say, type Command } from '../shared/command.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { UsageError } from '../shared/options.ts';
import { appendStep, createRun, noSnapshot, saveSnapshot, type RunFile } from '../train/folder.ts';
import { openArchive } from '../../handover/adopt/open-archive.ts';
import { messageOf } from '../../base/errors.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { openFolder } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';

/** Finds the policy of an imported adapter by its weights. */

interface FoundPolicy {
  checkpoint: CheckpointFolder;
  revision: string;
}

/** Result of the search. */
interface AdoptPolicy {
  base: Base;
  /** Null where no folder that was looked at holds the weights. */
  found: FoundPolicy | null;
  /** The folder that a run without them names. */
  folder: string;
}

/** Packed weights are named after those that they were made of. */
const holds = (wanted: string, { revision }: FoundPolicy): boolean => wanted.startsWith(revision);

async function openAt(folder: string): Promise<FoundPolicy> {
  const checkpoint = await openFolder(folder);
  return { checkpoint, revision: await folderRevision(checkpoint) };
}

/** A folder that cannot be opened is skipped; `tried` lists what each has. */
async function firstWith(
  wanted: string,
  folders: readonly string[],
): Promise<{ found: FoundPolicy | null; tried: string[] }> {
  const tried: string[] = [];
  for (const folder of new Set(folders.map((path) => resolve(path)))) {
    try {
      const found = await openAt(folder);
      if (holds(wanted, found)) return { found, tried };
      tried.push(`${folder} (${found.revision})`);
    } catch (error) {
      tried.push(`${folder} (${messageOf(error).replace(/\.$/u, '')})`);
    }
  }
  return { found: null, tried };
}

/** The policy that ships with the project. */
const shipped = (): string[] => [builtIn('policy')];

/**
 * Looks only in the named folder, where one is named; else where it was exported from, and among the policies that ship
 * with the project.
 * @throws UsageError, CheckpointError where the folder that was named is not a checkpoint
 */
async function findPolicy(
  given: string | undefined,
  { policy }: AdoptedExperiment,
): Promise<AdoptPolicy> {
  const { id, revision: wanted, folder: from } = policy;
  const trained = `it was trained on ${id} (${wanted})`;
  if (given !== undefined) {
    const named = await openAt(given);
    if (holds(wanted, named)) return taken(named);
    const { found } = await firstWith(wanted, shipped());
    const advice = found
      ? `${found.checkpoint.path} has them: name it, or leave --policy out.`
      : 'Name the folder of that model: --policy DIR.';
    return {
      base: {
        missing: `${trained}, but ${named.checkpoint.path} has other weights (${named.revision}). ${advice}`,
      },
      found: null,
      folder: named.checkpoint.path,
    };
  }
  const own = from && existsSync(join(from, 'config.json')) ? [from] : [];
  const folders = [...own, ...shipped()];
  const { found, tried } = await firstWith(wanted, folders);
  if (found) return taken(found);
  return {
    base: {
      missing: `${trained}, but none of these folders has those weights: ${tried.join(', ')}. Name the folder of that model: --policy DIR.`,
    },
    found: null,
    folder: resolve(folders[0] ?? builtIn('policy')),
  };
}

const taken = (found: FoundPolicy): AdoptPolicy => ({
  base: { config: found.checkpoint.config },
  found,
  folder: found.checkpoint.path,
});

/** Limit on files: a nested folder may hold anything. */
const MOST_FILES = 20_000;

function* pathsBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pathsBelow(path);
    else if (statSync(path, { throwIfNoEntry: false })?.isFile()) yield path;
  }
}

/**
 * The files of a folder, or of an archive of one; nothing is read before it is asked for.
 * @throws UsageError where there is nothing, or nothing of the kind; AdoptError for a damaged archive
 */
async function adoptFiles(given: string): Promise<AdoptFile[]> {
  const path = resolve(given);
  if (!existsSync(path)) throw new UsageError(`${given} is missing.`);
  if (statSync(path).isFile()) {
    const files = await openArchive(basename(path), await openAsBlob(path));
    if (!files)
      throw new UsageError(`${given} is neither a folder nor a tar, tar.gz or zip archive of one.`);
    return files;
  }
  const files: AdoptFile[] = [];
  for (const found of pathsBelow(path)) {
    if (files.length === MOST_FILES)
      throw new UsageError(
        `${given} has more than ${MOST_FILES} files; name the exported folder in it.`,
      );
    const name = relative(path, found).split(sep).join('/');
    files.push({ path: name, blob: await openAsBlob(found) });
  }
  return files;
}

/** The sources that the run searched elsewhere; its record here names only the world. */
function otherSources({ corpus, engine }: AdoptedExperiment): string[] {
  const own = [corpus ? 'passages of its own' : '', engine ? 'a search engine' : ''].filter(
    Boolean,
  );
  return own.length === 0
    ? []
    : [
        `The run searched ${own.join(' and ')}; lab train --resume continues with the world’s passages. To search them again, start a new run: lab train --corpus FILE, or --engine KIND=URL.`,
      ];
}

async function writeRollouts(out: string, adopted: Adopted): Promise<number> {
  let count = 0;
  for (const { step } of adopted.steps) {
    const found = await adopted.rollouts(step);
    count += found.length;
    const lines = found.map((rollout) => JSON.stringify(rollout));
    if (lines.length > 0) appendLines(join(out, 'rollouts.jsonl'), lines);
  }
  return count;
}

function runFile({ experiment, settings }: Adopted, { found, folder }: AdoptPolicy): RunFile {
  const { policy, world, runId } = experiment;
  return {
    format: 'forage.cli-run/6',
    runId,
    settings,
    device: 'wasm',
    policy: {
      folder,
      id: policy.id,
      revision: found ? found.revision : policy.revision,
    },
    world: {
      folder: world.folder !== null && existsSync(world.folder) ? world.folder : null,
      seed: world.seed,
    },
  };
}

export const adoptCommand: Command = {
  name: 'adopt',
  summary: 'imports the result folder of a TRL or verl run as a run',
  positional: { name: 'FOLDER', required: true },
  options: {
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoint folder that was trained (default: the exported one or one that ships with Forage, whichever has those weights)',
    },
    out: { type: 'string', value: 'DIR', help: 'empty folder for the new run', required: true },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values, [given = '']) {
    const opened: { policy?: AdoptPolicy } = {};
    const named = values.policy as string | undefined;
    const adopted = await adopt(await adoptFiles(given), {
      base: async (experiment) => (opened.policy = await findPolicy(named, experiment)).base,
      now: new Date().toISOString(),
    }).catch((error: unknown) => {
      throw error instanceof AdoptError ? new UsageError(`${given}: ${error.message}`) : error;
    });
    const { policy } = opened;
    if (!policy) throw new UsageError(`${given} names no model.`);
    const out = resolve(String(values.out));
    const file = runFile(adopted, policy);
    const { state, steps, trainer } = adopted;
    const { found } = policy;
    const count = await fillFolder(out, async () => {
      createRun(out, file);
      for (const step of adopted.steps) appendStep(out, step);
      const rollouts = await writeRollouts(out, adopted);
      if (state && found) saveSnapshot(out, state, file, found.checkpoint.config);
      return rollouts;
    });
    const notes = [
      ...otherSources(adopted.experiment),
      ...adopted.notes,
      ...(state ? [] : [noSnapshot(out)]),
    ];
    if (found && named === undefined)
      say(`Its model is in ${found.checkpoint.path} (${found.revision}).`);
    for (const note of notes) say(note);
    if (values.json)
      print(
        JSON.stringify({
          out,
          trainer,
          steps: steps.length,
          rollouts: count,
          snapshot: state?.step ?? null,
          policy: found && found.checkpoint.path,
          notes,
        }),
      );
    else
      say(
        `${out}: ${steps.length} steps, ${count} rollouts, ${state ? `the adapter of step ${state.step}` : 'no adapter'}`,
      );
  },
};
