import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isGgufName } from '../../formats/gguf.ts';
import { CheckpointError, parsed, parseJson } from '../../policy/checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../../policy/checkpoint/checkpoint-files.ts';
import {
  openCheckpoint,
  readOptionalFile,
  readSmallFile,
} from '../../policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../policy/checkpoint/config.ts';
import { cacheLimits, type CacheLimits } from '../../policy/checkpoint/limits.ts';
import type { HeldTypes } from '../../policy/checkpoint/weight-type.ts';
import type { GgufBytes } from '../../policy/gguf/header.ts';
import { openGguf } from '../../policy/gguf/open.ts';
import { ggufParts } from '../../policy/gguf/parts.ts';
import { heldTypesFor } from '../../policy/open/device.ts';
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

/** A checkpoint on disk, of any kind that the Models page accepts: a folder, or a GGUF file. */
export interface CheckpointFolder {
  /** The folder; of a GGUF model the file, or its first part. */
  path: string;
  /** Name for records: what config.json says, or the folder's own name. */
  id: string;
  config: PolicyConfig;
  /** Files that belong to it, weights among them. */
  names: readonly string[];
  files: CheckpointFiles;
  /** Names and paths of the files with weights. */
  weights: readonly { name: string; path: string }[];
  /** What matrices are held in on the CPU unless someone chooses. */
  held: HeldTypes;
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
  readRange: (name, start, end) => readRange(join(folder, name), start, end),
});

async function readRange(path: string, start: number, end: number): Promise<Uint8Array> {
  const file = await open(path);
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
}

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

const limitsOf = (config: PolicyConfig): CacheLimits => {
  const limits = cacheLimits(config);
  if (limits.maxContext <= SHORT_CONTEXT) limits.maxSlots = SHORT_SLOTS;
  return limits;
};

/** @throws UsageError where it is not there */
function ggufBytes(path: string): GgufBytes {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile())
    throw new UsageError(
      `${path} is missing. Put all parts of the model in one folder, or correct the name.`,
    );
  return {
    name: basename(path),
    size: stats.size,
    read: (start, end) => readRange(path, start, end),
  };
}

/** @throws UsageError or CheckpointError that names the file at fault, and what to do */
async function openGgufFile(given: string): Promise<CheckpointFolder> {
  const path = resolve(given);
  const parts = ggufParts(basename(path)).map((name) => ({
    name,
    path: join(dirname(path), name),
  }));
  const model = await openGguf(parts.map((part) => ggufBytes(part.path)));
  const { files, names } = model;
  const config = parsePolicyConfig(model.config);
  const source = await openCheckpoint(files);
  return {
    path,
    // The file's name says how it is quantised, which general.name does not.
    id: basename(path).replace(/(-\d{5}-of-\d{5})?\.gguf$/i, ''),
    config,
    names,
    files,
    weights: parts,
    held: heldTypesFor(source, 'wasm'),
    limits: limitsOf(config),
  };
}

/**
 * Opens a folder with a Llama, Qwen2, Qwen3, SmolLM3 or Gemma 3 checkpoint, whole or in shards, or a GGUF file of one.
 * No weight is read.
 * @throws UsageError or CheckpointError that names the folder or file at fault, and what to do
 */
export async function openCheckpointFolder(given: string): Promise<CheckpointFolder> {
  if (isGgufName(given)) return openGgufFile(given);
  const path = resolve(given);
  const files = folderFiles(path);
  const names = await namesIn(given, files);
  const bytes = await readSmallFile(files, 'config.json');
  const json = parsed('config.json', () => parseJson(bytes));
  const config = parsed('config.json', () => parsePolicyConfig(json));
  return {
    path,
    id: nameIn(json, path),
    config,
    names,
    files,
    weights: names.filter(isWeights).map((name) => ({ name, path: join(path, name) })),
    held: 'f32',
    limits: limitsOf(config),
  };
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
export async function folderRevision({ weights }: CheckpointFolder): Promise<string> {
  return revisionOfDigests(
    await Promise.all(
      weights.map(async ({ name, path }) => ({ name, digest: await digestOf(path) })),
    ),
  );
}
