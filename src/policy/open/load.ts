import { messageOf } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';
import { CheckpointError, parsed, parseJson } from '../checkpoint/checkpoint-error.ts';
import { memoryFiles, type CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import {
  openCheckpoint,
  readOptionalFile,
  readSmallFile,
  WEIGHTS,
} from '../checkpoint/checkpoint.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import { sourceOf, weightsOf, type TensorSource } from '../checkpoint/tensor-source.ts';
import type { PolicyWeights } from '../checkpoint/weights.ts';
import { uploadDecoder, type Rounded } from '../model/upload.ts';
import type { MatrixType, StoreType } from '../ops/values.ts';
import type { PolicyChat, PolicyTokenizer, Sampling } from '../policy.ts';
import { heldTypesFor, keyTypeFor, startOps, type PolicyDevice } from './device.ts';
import { LoadedPolicy, MAX_SLOTS, type Started } from './loaded-policy.ts';
import { HuggingFaceTokenizer } from './tokenizer.ts';
import { isObject } from '../../base/objects.ts';

const FILE = 'generation_config.json';

const inRange = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' && value >= least && value <= most ? value : undefined;

/**
 * What a checkpoint's authors sample with, as far as it is supported here: temperature, top-p and top-k. Values out of
 * range are left out; `do_sample: false` is greedy.
 * @param json parsed `generation_config.json`
 * @returns null where it names none of them
 */
export function samplingOf(json: unknown): Partial<Sampling> | null {
  if (!isObject(json)) return null;
  const greedy = json['do_sample'] === false;
  const temperature = greedy ? 0 : inRange(json['temperature'], 0, 4);
  const topP = greedy ? undefined : inRange(json['top_p'], 0, 1);
  const topK = greedy ? undefined : inRange(json['top_k'], 0, 2 ** 31);
  const sampling = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && topP > 0 && { topP }),
    ...(topK !== undefined && Number.isInteger(topK) && { topK }),
  };
  return Object.keys(sampling).length === 0 ? null : sampling;
}

const text = ({ temperature, topP, topK }: Partial<Sampling>): string =>
  [
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(topP === undefined ? [] : [`top-p ${topP}`]),
    ...(topK === undefined ? [] : [`top-k ${topK}`]),
  ].join(', ');

/** For the user. */
export const samplingNote = (sampling: Partial<Sampling>): string =>
  `Questions are asked with the model's own sampling (${text(sampling)}) unless you set another; training keeps the sampling of its settings.`;

/** @throws CheckpointError where the file is no JSON */
export async function loadSampling(files: CheckpointFiles): Promise<Partial<Sampling> | null> {
  const bytes = await readOptionalFile(files, FILE);
  return bytes ? samplingOf(parsed(FILE, () => parseJson(bytes))) : null;
}

interface LoadProgress {
  /** What is being done, for the status bar: `reading config.json`, `compiling` … */
  readonly stage: string;
  /** Share done, 0 to 1. */
  readonly share: number;
}

/** Reads a whole file of a checkpoint; rejects where there is none. */
type ReadFile = (name: string) => Promise<Uint8Array>;

export interface LoadPolicyOptions {
  /**
   * Whole files, for checkpoints with one small `model.safetensors`; or files by range, for any:
   * those are read and uploaded layer by layer.
   */
  readonly files: ReadFile | CheckpointFiles;
  /** Name shown for the checkpoint. */
  readonly id: string;
  readonly device: PolicyDevice;
  /** Most contexts that decode together; 64 if not given. */
  readonly maxSlots?: number;
  /** Most tokens of one context, if less than the checkpoint's own limit. Of files by range only. */
  readonly maxContext?: number;
  /** SHA-256 prefix of the weights, where it is known; else weights by range are named by size. */
  readonly revision?: string;
  /** What matrices are held in; by default, halves of a 16-bit checkpoint on a GPU, else float32. */
  readonly weights?: MatrixType;
  /** What keys and values of contexts are held in; by default, as `keyTypeFor` says. */
  readonly keys?: StoreType;
  /** The checkpoint's chat template, where the one who loads it asks it for text. */
  readonly chat?: PolicyChat;
  readonly onProgress?: (progress: LoadProgress) => void;
}

async function readFile(
  options: { files: ReadFile; onProgress?: LoadPolicyOptions['onProgress'] },
  name: string,
  share: number,
) {
  options.onProgress?.({ stage: `reading ${name}`, share });
  try {
    return await options.files(name);
  } catch (error) {
    throw new CheckpointError(
      name,
      `cannot be read (${messageOf(error)})`,
      'A checkpoint is a folder with config.json, tokenizer.json and model.safetensors',
    );
  }
}

/** A checkpoint that is read as whole files: those with these names, and `optional` where it is there. */
async function inMemory(
  options: { files: ReadFile; onProgress?: LoadPolicyOptions['onProgress'] },
  names: readonly string[],
  optional?: string,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const [i, name] of names.entries()) files.set(name, await readFile(options, name, 0.05 * i));
  const bytes = optional === undefined ? null : await options.files(optional).catch(() => null);
  if (optional !== undefined && bytes) files.set(optional, bytes);
  return files;
}

/** Makes a policy of weights that are in memory already, such as those being trained. */
export async function createPolicy(
  weights: PolicyWeights,
  tokenizer: PolicyTokenizer,
  info: Started,
  options: Pick<LoadPolicyOptions, 'device' | 'maxSlots' | 'weights' | 'keys'>,
): Promise<LoadedPolicy> {
  return policyOver(sourceOf(weights), tokenizer, info, options);
}

/** What the user should know of weights that are not held as their file stores them. */
class RoundedTypes {
  readonly #types = new Map<string, Rounded & { readonly tensors: number }>();

  add(one: Rounded): void {
    const key = `${one.stored} ${one.held}`;
    const before = this.#types.get(key) ?? { ...one, tensors: 0, worst: 0, share: 0 };
    this.#types.set(key, {
      ...before,
      tensors: before.tensors + 1,
      worst: Math.max(before.worst, one.worst),
      share: Math.max(before.share, one.share),
    });
  }

  /** One sentence per type of the file, the most frequent first. */
  notes(): string[] {
    return [...this.#types.values()]
      .toSorted((a, b) => b.tensors - a.tensors)
      .map(
        ({ stored, held, tensors, worst, share }) =>
          `${tensors} ${tensors === 1 ? 'matrix' : 'matrices'} stored as ${stored} ${tensors === 1 ? 'is' : 'are'} held as ${held}: the largest difference is ${worst.toPrecision(2)}, ${(100 * share).toPrecision(2)} % of the largest value of its group of 32.`,
      );
  }
}

/** Puts a source on its device and makes a policy of it. */
async function policyOver(
  source: TensorSource,
  tokenizer: PolicyTokenizer,
  info: Started,
  options: Pick<
    LoadPolicyOptions,
    'device' | 'maxSlots' | 'chat' | 'weights' | 'keys' | 'onProgress'
  >,
): Promise<LoadedPolicy> {
  const { device, onProgress } = options;
  onProgress?.({ stage: `starting ${device}`, share: 0.05 });
  const ops = await startOps(device);
  try {
    const type = options.weights ?? heldTypesFor(source, device);
    const rounded = new RoundedTypes();
    const decoder = await uploadDecoder(ops, source, {
      type,
      onRounded: (one) => rounded.add(one),
      onLayer: (done, layers) =>
        onProgress?.({
          stage: `uploading layer ${done} of ${layers}`,
          share: 0.05 + (0.9 * done) / layers,
        }),
    });
    const keys = options.keys ?? keyTypeFor(source.config, options.maxSlots ?? MAX_SLOTS, device);
    const packed = (type !== 'f32' && type !== 'f16') || keys === 'f16';
    const notes = [...(info.notes ?? []), ...rounded.notes()];
    const described = { ...info, ...(notes.length > 0 && { notes }) };
    const policy = new LoadedPolicy(decoder, tokenizer, described, {
      ...options,
      type,
      keys,
      ...(packed && { source }),
    });
    onProgress?.({ stage: 'ready', share: 1 });
    return policy;
  } catch (error) {
    ops.dispose();
    throw error;
  }
}

function checkVocabulary(config: PolicyConfig, tokenizer: PolicyTokenizer): void {
  if (tokenizer.vocabSize > config.vocabSize)
    throw new CheckpointError(
      'tokenizer.json',
      `it has ${tokenizer.vocabSize} tokens, config.json only ${config.vocabSize}`,
      'The files belong to different checkpoints; use files of one',
    );
}

/**
 * The weights of a checkpoint alone, in float32 in one buffer, for those who train over them on the
 * CPU. A GPU trainer takes what `openCheckpoint` gives, and reads it layer by layer.
 * @throws CheckpointError as `loadPolicy` does
 */
export async function loadWeights(
  files: LoadPolicyOptions['files'],
  maxContext?: number,
): Promise<PolicyWeights> {
  if (typeof files !== 'function') return weightsOf(await openCheckpoint(files, maxContext));
  const whole = await inMemory({ files }, ['config.json', WEIGHTS]);
  return weightsOf(await openCheckpoint(memoryFiles(whole), maxContext));
}

/** @param settings `tokenizer_config.json`, which names the end-of-text token; <|endoftext|> without */
const tokenizerOf = (
  json: Uint8Array,
  settings: Uint8Array | null,
  generation: Uint8Array | null = null,
): HuggingFaceTokenizer => {
  const optional = (file: string, bytes: Uint8Array | null): object =>
    bytes ? parsed(file, () => parseJson(bytes)) : {};
  const config = optional('tokenizer_config.json', settings);
  const ends = optional('generation_config.json', generation);
  return parsed('tokenizer.json', () => new HuggingFaceTokenizer(parseJson(json), config, ends));
};

/** The tokenizer of a checkpoint. @throws CheckpointError that names the file at fault */
export async function loadTokenizer(files: CheckpointFiles): Promise<HuggingFaceTokenizer> {
  return tokenizerOf(
    await readSmallFile(files, 'tokenizer.json'),
    await readOptionalFile(files, 'tokenizer_config.json'),
    await readOptionalFile(files, 'generation_config.json'),
  );
}

async function loadByRange(
  options: LoadPolicyOptions,
  files: CheckpointFiles,
): Promise<LoadedPolicy> {
  const { onProgress } = options;
  onProgress?.({ stage: 'reading config.json', share: 0 });
  const source = await openCheckpoint(files, options.maxContext);
  onProgress?.({ stage: 'reading tokenizer.json', share: 0.02 });
  const tokenizer = await loadTokenizer(files);
  checkVocabulary(source.config, tokenizer);
  const revision = options.revision ?? `size-${source.bytes}`;
  const dtype = source.dtype === 'f32' ? 'f32' : 'f16';
  const sampling = await loadSampling(files);
  const notes = [...source.notes, ...(sampling ? [samplingNote(sampling)] : [])];
  const started = {
    id: options.id,
    revision,
    dtype,
    ...(notes.length > 0 && { notes }),
    ...(sampling && { sampling }),
  };
  return policyOver(source, tokenizer, started, options);
}

/**
 * Loads a Hugging Face checkpoint of a Llama, Qwen2, Qwen3, SmolLM3 or Gemma 3 decoder: config.json,
 * tokenizer.json, and model.safetensors or its shards (f32, f16 or bf16). Products and sums are f32;
 * matrices are held in what `weights` says.
 * @throws CheckpointError that names the file at fault and what to do; Error where the device does
 * not exist.
 */
export async function loadPolicy(options: LoadPolicyOptions): Promise<LoadedPolicy> {
  const { files } = options;
  return typeof files === 'function' ? loadWhole(options, files) : loadByRange(options, files);
}

async function loadWhole(options: LoadPolicyOptions, files: ReadFile): Promise<LoadedPolicy> {
  const names = ['config.json', 'tokenizer.json', WEIGHTS];
  const whole = await inMemory({ ...options, files }, names, 'tokenizer_config.json');
  const revision = (await sha256(whole.get(WEIGHTS)!)).slice(0, 12);
  return loadByRange({ ...options, revision }, memoryFiles(whole));
}
