import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CheckpointError, parsed, parseJson } from '../../policy/checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../../policy/checkpoint/checkpoint-files.ts';
import { readOptionalFile, readSmallFile } from '../../policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../policy/checkpoint/config.ts';
import { cacheLimits, type CacheLimits } from '../../policy/checkpoint/limits.ts';
import { CheckpointFault } from '../../lab/models/checkpoints/plan/fault.ts';
import {
  chooseFiles,
  INDEX,
  isWeights,
  shardsOf,
} from '../../lab/models/checkpoints/plan/file-names.ts';
import { revisionOfDigests } from '../../lab/models/checkpoints/plan/revision.ts';
import { UsageError } from './options.ts';
import { messageOf } from '../../base/errors.ts';

/** A checkpoint in a folder on disk, of any kind that the Models page accepts. */
export interface CheckpointFolder {
  path: string;
  /** Name for records: what config.json says, or the folder's own name. */
  id: string;
  config: PolicyConfig;
  /** Files that belong to it, weights among them. */
  names: readonly string[];
  files: CheckpointFiles;
  limits: CacheLimits;
}

/** Contexts up to this are short enough for as many slots as an engine has: the built-in policy's are. */
const SHORT_CONTEXT = 1024;
const SHORT_SLOTS = 64;

/** Files of a folder, read by range. */
export const folderFiles = (folder: string): CheckpointFiles => ({
  size: async (name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : null;
  },
  readRange: async (name, start, end) => {
    const file = await open(join(folder, name));
    try {
      const bytes = new Uint8Array(end - start);
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new Error(`it ends at byte ${start + at}`);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  },
});

/** The files of the checkpoint, by the rules of the Models page. @throws UsageError */
async function namesIn(path: string, files: CheckpointFiles): Promise<string[]> {
  try {
    const index = await readOptionalFile(files, INDEX);
    const json = index && parsed(INDEX, () => parseJson(index));
    return chooseFiles(path, readdirSync(path), json && shardsOf({ ...json }));
  } catch (error) {
    if (error instanceof CheckpointFault) throw new UsageError(`${error.message} ${error.next}`);
    throw error;
  }
}

const nameIn = (config: object, path: string): string => {
  const named = '_name_or_path' in config ? config._name_or_path : undefined;
  return typeof named === 'string' && named !== '' ? named : basename(path);
};

/**
 * Opens a folder with a Llama, Qwen2, Qwen3 or SmolLM3 checkpoint, whole or in shards. No weight is read.
 * @throws UsageError or CheckpointError that names the folder or file at fault, and what to do
 */
export async function openCheckpointFolder(given: string): Promise<CheckpointFolder> {
  const path = resolve(given);
  const files = folderFiles(path);
  const names = await namesIn(given, files);
  const bytes = await readSmallFile(files, 'config.json');
  const json = parsed('config.json', () => parseJson(bytes));
  const config = parsed('config.json', () => parsePolicyConfig(json));
  const limits = cacheLimits(config);
  if (limits.maxContext <= SHORT_CONTEXT) limits.maxSlots = SHORT_SLOTS;
  return { path, id: nameIn(json, path), config, names, files, limits };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  } catch (error) {
    const reason = messageOf(error);
    throw new CheckpointError(basename(path), `cannot be read (${reason})`, 'Get the file again');
  }
  return hash.digest('hex');
}

/** Names the weights of a checkpoint, as the page names those of a stored one. */
export async function folderRevision({ path, names }: CheckpointFolder): Promise<string> {
  const weights = names.filter(isWeights);
  return revisionOfDigests(
    await Promise.all(
      weights.map(async (name) => ({ name, digest: await digestOf(join(path, name)) })),
    ),
  );
}
