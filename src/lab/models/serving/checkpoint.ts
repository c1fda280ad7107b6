import type { FetchedCheckpoint } from '../../contract/policy.ts';
import { fetchWithProgress } from '../../workers/fetch-progress.ts';
import { type ByteProgress } from '../../contract/progress.ts';

const FILES = ['config.json', 'tokenizer.json', 'model.safetensors'] as const;
/** Only names the end-of-text token. */
const OPTIONAL_FILE = 'tokenizer_config.json';

/** Parsed JSON of a file; an empty object where it has none or is broken. */
export const jsonOf = (
  files: FetchedCheckpoint['files'],
  name: string,
): Record<string, unknown> => {
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
export const fetchCheckpoint = async (
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
