import type { AppConfig, ModelRecord } from '@mlc-ai/web-llm';
import type { WebLlmModel } from '../../../records/setup.ts';

/** The models that WebLLM can load: its own list, the user's, and where their files are taken from. */

export interface WebLlmLine {
  id: string;
  /** Megabytes of GPU memory, as the list states it; null where it does not. */
  memoryMB: number | null;
  /** Features that the GPU must have, such as `shader-f16`. */
  features: readonly string[];
  maxContext: number;
  custom: boolean;
}

/** Local copies of what the list names: files are asked for under these addresses instead. */
export interface Mirror {
  /** Stands for `https://huggingface.co/`. */
  weights?: string;
  /** Stands for the folder of the compiled libraries. */
  libraries?: string;
}

const HUB = 'https://huggingface.co/';
/** What the library itself assumes where its list says nothing. */
const DEFAULT_CONTEXT = 4096;

const slashed = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

/** @param prefix the folder of the libraries that the list was written for */
function mirrored(
  record: ModelRecord,
  { weights, libraries }: Mirror,
  prefix: string,
): ModelRecord {
  const { model, model_lib: library } = record;
  return {
    ...record,
    model: weights && model.startsWith(HUB) ? slashed(weights) + model.slice(HUB.length) : model,
    model_lib:
      libraries && library.startsWith(prefix)
        ? slashed(libraries) + library.slice(prefix.length).replace(/^\//, '')
        : library,
  };
}

/**
 * The library adds `resolve/main/` to every address that lacks it, as hubs want it. In the fragment it
 * is content, and the files are asked for in the folder itself.
 */
const folderAddress = (url: string): string =>
  url.startsWith(HUB) || url.includes('/resolve/') ? url : `${slashed(url)}#/resolve/main/`;

const ownRecord = ({ id, weights, library, maxContext }: WebLlmModel): ModelRecord => ({
  model: folderAddress(weights),
  model_id: id,
  model_lib: library,
  overrides: { context_window_size: maxContext },
});

/** The library's list with the user's models before it; one of the user's hides its namesake. */
export function appConfig(
  listed: AppConfig,
  libraries: string,
  custom: readonly WebLlmModel[],
  mirror: Mirror = {},
): AppConfig {
  const own = custom.map(ownRecord);
  const taken = new Set(custom.map(({ id }) => id));
  const rest = listed.model_list
    .filter(({ model_id: id }) => !taken.has(id))
    .map((record) => mirrored(record, mirror, libraries));
  return { ...listed, model_list: [...own, ...rest] };
}

/** Lines for a list; embedding models are left out, they write no text. */
export const modelLines = (config: AppConfig, custom: readonly WebLlmModel[]): WebLlmLine[] => {
  const own = new Set(custom.map(({ id }) => id));
  // ModelType.embedding; the enum's value would load the whole library.
  const EMBEDDING = 1;
  return config.model_list
    .filter(({ model_type: type }) => type === undefined || type.valueOf() !== EMBEDDING)
    .map((record) => ({
      id: record.model_id,
      memoryMB: record.vram_required_MB ?? null,
      features: record.required_features ?? [],
      maxContext: record.overrides?.context_window_size ?? DEFAULT_CONTEXT,
      custom: own.has(record.model_id),
    }));
};
