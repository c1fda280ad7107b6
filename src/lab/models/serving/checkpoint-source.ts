import { memoryFiles, type CheckpointFiles } from '../../../policy/checkpoint/checkpoint-files.ts';
import { readSmallFile } from '../../../policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../../policy/checkpoint/config.ts';
import { cacheLimits } from '../../../policy/checkpoint/limits.ts';
import type { LoadPolicyOptions } from '../../../policy/open/load.ts';
import { openReader, type CheckpointReader } from '../../../policy/open/reader.ts';
import { HuggingFaceTokenizer } from '../../../policy/open/tokenizer.ts';
import { openCheckpoint as openHeld } from '../checkpoints/open.ts';
import { revisionOf } from '../checkpoints/plan/revision.ts';
import type { CheckpointStore } from '../checkpoints/store.ts';
import { heldRevision } from '../../../policy/open/device.ts';
import type { HeldTypes, StoredType } from '../../../policy/checkpoint/weight-type.ts';
import { storedTypeOf } from '../../../policy/open/fit-here.ts';
import { sha256 } from '../../../base/hash.ts';
import { fetchWithProgress } from '../../workers/fetch-progress.ts';
import type { Checkpoint, FetchedCheckpoint, StoredCheckpoint } from '../../contract/policy.ts';
import { type ByteProgress } from '../../contract/progress.ts';

/** Where engines get a checkpoint from: the page's own server, or this device's storage. */
export interface CheckpointSource {
  /**
   * Keeps it on the device until what comes back is called, or this worker ends: held as long as any of
   * its files may be read.
   * @throws CheckpointFault of kind `missing`
   */
  hold(): Promise<() => void>;
  /** @throws MissingFile, CheckpointFault, or the signal's reason */
  get(onProgress: (bytes: ByteProgress) => void, signal: AbortSignal): Promise<Checkpoint>;
  /** What turns text into tokens and messages into text, on this side of the workers. */
  reader(checkpoint: Checkpoint): Promise<CheckpointReader>;
}

/** Holds a checkpoint until the signal is aborted. @throws CheckpointFault, or the signal's reason */
export async function holdUntil(signal: AbortSignal, source: CheckpointSource): Promise<void> {
  const release = await source.hold();
  if (signal.aborted) {
    release();
    throw signal.reason;
  }
  signal.addEventListener('abort', release, { once: true });
}

/** Gives the files of a stored checkpoint that is held; each worker opens the storage by itself. */
export type OpenStored = (id: string) => Promise<CheckpointFiles>;

const isStored = (checkpoint: Checkpoint): checkpoint is StoredCheckpoint => 'stored' in checkpoint;

/** What `loadPolicy` and `loadWeights` need of a checkpoint in this worker. */
export async function loadOptions(
  checkpoint: Checkpoint,
  open: OpenStored,
): Promise<Omit<LoadPolicyOptions, 'device'>> {
  if (isStored(checkpoint)) {
    const { stored, repository: _, ...rest } = checkpoint;
    return { ...rest, files: await open(stored) };
  }
  return { id: checkpoint.id, files: readerOf(checkpoint) };
}

const readerOf =
  ({ files }: FetchedCheckpoint) =>
  (name: string): Promise<Uint8Array> => {
    const file = files[name];
    return file ? Promise.resolve(file) : Promise.reject(new Error('the server has no such file'));
  };

/** Random access to the files of a checkpoint. */
export const filesOf = (checkpoint: Checkpoint, open: OpenStored): Promise<CheckpointFiles> =>
  isStored(checkpoint)
    ? open(checkpoint.stored)
    : Promise.resolve(memoryFiles(new Map(Object.entries(checkpoint.files))));

const FILES = ['config.json', 'tokenizer.json', 'model.safetensors'] as const;
/** Only names the end-of-text token. */
const OPTIONAL_FILE = 'tokenizer_config.json';

/** Parsed JSON of a file; an empty object where it has none or is broken. */
const jsonOf = (files: FetchedCheckpoint['files'], name: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(files[name]));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

/** The checkpoint's name as its config says; the command line reads the same field. */
const nameIn = (config: Record<string, unknown>): string => {
  const named = config['_name_or_path'];
  return typeof named === 'string' && named !== '' ? named : 'policy';
};

/**
 * Fetches the checkpoint below `base`. What is in the files is checked by the one who loads it.
 * @throws MissingFile where the server lacks one that is needed; the signal's reason.
 */
const fetchCheckpoint = async (
  base: string,
  onProgress: (progress: ByteProgress) => void,
  signal: AbortSignal,
): Promise<FetchedCheckpoint> => {
  const fetchFile = fetchWithProgress(base, onProgress);
  const optional = fetchFile(OPTIONAL_FILE, { signal }).catch(() => null);
  const needed = await Promise.all(
    FILES.map(async (name) => [name, await fetchFile(name, { signal })] as const),
  );
  const files: FetchedCheckpoint['files'] = Object.fromEntries(needed);
  const settings = await optional;
  if (settings) files[OPTIONAL_FILE] = settings;
  return { id: nameIn(jsonOf(files, 'config.json')), files };
};

/** Shape of a checkpoint, and the revision that a loaded policy of it names. */
export async function factsOf(
  checkpoint: Checkpoint,
  open: OpenStored,
): Promise<{
  config: PolicyConfig;
  revision: string;
  stored: StoredType;
  /** Of a GGUF file: what its matrices are held in, by name. */
  packed?: HeldTypes;
}> {
  if (isStored(checkpoint)) {
    const files = await open(checkpoint.stored);
    const bytes = await readSmallFile(files, 'config.json');
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const stored = storedTypeOf(json) ?? 'f32';
    const config = parsePolicyConfig(json);
    const packed = files.weights?.(config).packing?.held;
    return { config, revision: checkpoint.revision, stored, ...(packed && { packed }) };
  }
  const { files } = checkpoint;
  const revision = (await sha256(files['model.safetensors']!)).slice(0, 12);
  const json = jsonOf(files, 'config.json');
  return { config: parsePolicyConfig(json), revision, stored: storedTypeOf(json) ?? 'f32' };
}

/** The checkpoint that the page's server gives. */
export const servedCheckpoint = (base: string): CheckpointSource => ({
  hold: () => Promise.resolve(() => undefined),
  get: (onProgress, signal) => fetchCheckpoint(base, onProgress, signal),
  reader: async (checkpoint) => {
    if (isStored(checkpoint)) throw new Error('this checkpoint is stored on the device');
    return {
      tokenizer: new HuggingFaceTokenizer(
        jsonOf(checkpoint.files, 'tokenizer.json'),
        jsonOf(checkpoint.files, 'tokenizer_config.json'),
      ),
    };
  },
});

/** A checkpoint on this device. */
export const storedCheckpoint = (
  store: CheckpointStore,
  id: string,
  locks: LockManager = navigator.locks,
): CheckpointSource => ({
  hold: async () => (await openHeld(id, store, locks)).release,
  get: async (_, signal) => {
    // Says as text where it is missing, or not whole.
    const files = await store.open(id);
    const { name, source, weights, keys } = await store.record(id);
    const json: unknown = JSON.parse(
      new TextDecoder().decode(await readSmallFile(files, 'config.json')),
    );
    signal.throwIfAborted();
    return {
      id: name,
      stored: id,
      ...(source.kind === 'hub' && source.file === undefined && { repository: source.repository }),
      revision: heldRevision(revisionOf(await store.rows(id)), weights),
      weights,
      keys,
      ...cacheLimits(parsePolicyConfig(json)),
    };
  },
  reader: async (checkpoint) => {
    if (!isStored(checkpoint)) throw new Error('this checkpoint is not stored on the device');
    return openReader(await store.open(checkpoint.stored));
  },
});
