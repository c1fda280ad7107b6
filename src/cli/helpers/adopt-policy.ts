import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { Base } from '../../handover/adopt/adopt.ts';
import type { AdoptedExperiment } from '../../handover/adopt/input/experiment.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { openFolder } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';

/** Finds the policy of an imported adapter by its weights. */

interface FoundPolicy {
  checkpoint: CheckpointFolder;
  revision: string;
}

/** Result of the search. */
export interface AdoptPolicy {
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
export async function findPolicy(
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
