import type { Policy, PolicyChat, PolicyInfo, PolicySession, PolicyTokenizer } from '../policy.ts';
import { messageOf } from '../../base/errors.ts';
import { CheckpointError, parsed, parseJson } from '../checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import { openCheckpoint, readOptionalFile, readSmallFile } from '../checkpoint/checkpoint.ts';
import { parsePolicyConfig, type PolicyConfig } from '../checkpoint/config.ts';
import type { DeviceWeights } from '../engine/device-weights.ts';
import type { GenerationEngine } from '../engine/engine.ts';
import type { Work } from '../watchdog.ts';
import { readSafetensors } from '../checkpoint/safetensors.ts';
import { checkedSlots } from '../lora/check.ts';
import { mergeLayer } from '../lora/merge.ts';
import type { LoraSpec } from '../lora/spec.ts';
import { readLayer, weightsOf, type TensorSource } from '../checkpoint/tensor-source.ts';
import { HuggingFaceTokenizer } from './tokenizer.ts';
import { hasShaderF16, weightTypeFor } from '../checkpoint/weight-type.ts';
import {
  parameterCount,
  viewWeights,
  weightsFromTensors,
  type PolicyWeights,
} from '../checkpoint/weights.ts';
import { sha256 } from '../../base/hash.ts';

export type PolicyDevice = 'wasm' | 'webgpu';

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

const sha256Prefix = async (bytes: Uint8Array): Promise<string> =>
  (await sha256(bytes)).slice(0, 12);

/** Whether the tensors of a safetensors file are stored as 16-bit floats. */
function storedType(bytes: Uint8Array): 'f16' | 'f32' {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const header = new Uint8Array(bytes.subarray(8, 8 + Number(view.getBigUint64(0, true))));
  return /"dtype":\s*"B?F16"/.test(new TextDecoder().decode(header)) ? 'f16' : 'f32';
}

/** Selects the jax-js backend. @throws Error where the device does not exist here. */
async function startDevice(device: PolicyDevice): Promise<void> {
  const { defaultDevice, init } = await import('@jax-js/jax');
  const available = await init(device);
  if (!available.includes(device))
    throw new Error(
      device === 'webgpu'
        ? 'WebGPU is not available here; choose the WASM device'
        : 'WebAssembly is not available here',
    );
  defaultDevice(device);
}

class LoadedPolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly #engine: GenerationEngine;
  readonly #upload: (flat: Float32Array) => DeviceWeights;
  readonly chat?: PolicyChat;
  readonly setAdapter?: NonNullable<Policy['setAdapter']>;

  /** @param source what layers are made anew of, for `setAdapter` */
  constructor(
    info: PolicyInfo,
    tokenizer: PolicyTokenizer,
    engine: GenerationEngine,
    upload: (flat: Float32Array) => DeviceWeights,
    source: TensorSource | null,
    chat: PolicyChat | undefined,
  ) {
    this.info = info;
    this.tokenizer = tokenizer;
    this.#engine = engine;
    this.#upload = upload;
    if (chat) this.chat = chat;
    if (source) this.setAdapter = (adapter) => this.#fold(source, adapter);
  }

  async #fold(
    source: TensorSource,
    adapter: { spec: LoraSpec; flat: Float32Array } | null,
  ): Promise<void> {
    const { config } = source;
    if (adapter) checkedSlots(config, adapter.spec, adapter.flat);
    const { uploadLayer } = await import('../engine/device-weights.ts');
    await this.#engine.updateLayers(async (index) => {
      const layer = await readLayer(source, index);
      if (adapter) mergeLayer(config, layer, index, adapter.spec, adapter.flat);
      const type = this.info.onDevice ?? 'f32';
      return uploadLayer(config, layer, type, adapter?.spec.targets);
    });
  }

  open(seed: number): Promise<PolicySession> {
    return Promise.resolve(this.#engine.open(seed));
  }

  async setWeights(flat: Float32Array): Promise<void> {
    await this.#engine.replaceWeights(() => this.#upload(flat));
  }

  onWork(listener: (work: Work) => void): void {
    this.#engine.onWork(listener);
  }

  dispose(): void {
    this.#engine.dispose();
  }
}

type Started = Omit<PolicyInfo, 'device' | 'parameters' | 'maxContext' | 'onDevice'>;

/** Makes a policy of weights that `upload` puts on the device, which must have been started. */
async function policyOver(
  device: DeviceWeights,
  tokenizer: PolicyTokenizer,
  info: Started,
  options: { device: PolicyDevice; maxSlots?: number | undefined; chat?: PolicyChat },
  source: TensorSource | null = null,
): Promise<Policy> {
  const { uploadWeights } = await import('../engine/device-weights.ts');
  const { GenerationEngine } = await import('../engine/engine.ts');
  const { config } = device;
  const engine = new GenerationEngine(device, {
    maxSlots: options.maxSlots ?? 64,
    sync: options.device === 'wasm',
    decode: (ids) => tokenizer.decode(ids),
  });
  return new LoadedPolicy(
    {
      ...info,
      device: options.device,
      onDevice: device.type,
      parameters: parameterCount(config),
      maxContext: config.maxPositions,
    },
    tokenizer,
    engine,
    (flat) => uploadWeights(viewWeights(config, flat)),
    source,
    options.chat,
  );
}

/** Makes a policy of weights that are in memory already, such as those being trained. */
export async function createPolicy(
  weights: PolicyWeights,
  tokenizer: PolicyTokenizer,
  info: Started,
  options: { device: PolicyDevice; maxSlots?: number },
): Promise<Policy> {
  await startDevice(options.device);
  // Loaded late: jax-js looks for workers and devices when it is first imported.
  const { uploadWeights } = await import('../engine/device-weights.ts');
  return policyOver(uploadWeights(weights), tokenizer, info, options);
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
  const options = { files };
  const configBytes = await readFile(options, 'config.json', 0);
  const config = parsed('config.json', () => parsePolicyConfig(parseJson(configBytes)));
  const bytes = await readFile(options, 'model.safetensors', 0);
  return parsed('model.safetensors', () => weightsFromTensors(config, readSafetensors(bytes)));
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

async function loadByRange(options: LoadPolicyOptions, files: CheckpointFiles): Promise<Policy> {
  const { device, onProgress } = options;
  onProgress?.({ stage: 'reading config.json', share: 0 });
  const source = await openCheckpoint(files, options.maxContext);
  onProgress?.({ stage: 'reading tokenizer.json', share: 0.02 });
  const tokenizer = await loadTokenizer(files);
  checkVocabulary(source.config, tokenizer);
  onProgress?.({ stage: `starting ${device}`, share: 0.05 });
  await startDevice(device);
  const { uploadFrom } = await import('../engine/device-weights.ts');
  const shaderF16 = device === 'webgpu' && (await hasShaderF16());
  const uploaded = await uploadFrom(source, {
    type: weightTypeFor(source.dtype, shaderF16),
    onLayer: (done, layers) =>
      onProgress?.({
        stage: `uploading layer ${done} of ${layers}`,
        share: 0.05 + (0.9 * done) / layers,
      }),
  });
  const revision = options.revision ?? `size-${source.bytes}`;
  const dtype = source.dtype === 'f32' ? 'f32' : 'f16';
  const info = { id: options.id, revision, dtype } as const;
  const policy = await policyOver(uploaded, tokenizer, info, options, source);
  onProgress?.({ stage: 'ready', share: 1 });
  return policy;
}

/**
 * Loads a Hugging Face checkpoint of a Llama, Qwen2, Qwen3 or SmolLM3 decoder: config.json,
 * tokenizer.json, and model.safetensors or its shards (f32, f16 or bf16). Products and sums are f32; a GPU
 * may hold the matrices of a 16-bit checkpoint in f16, see `weightTypeFor`.
 * @throws CheckpointError that names the file at fault and what to do; Error where the device does
 * not exist.
 */
export async function loadPolicy(options: LoadPolicyOptions): Promise<Policy> {
  const { files } = options;
  return typeof files === 'function' ? loadWhole(options, files) : loadByRange(options, files);
}

async function loadWhole(given: LoadPolicyOptions, files: ReadFile): Promise<Policy> {
  const options = { ...given, files };
  const configBytes = await readFile(options, 'config.json', 0);
  const config = parsed('config.json', () => parsePolicyConfig(parseJson(configBytes)));
  const tokenizerBytes = await readFile(options, 'tokenizer.json', 0.05);
  const settings = await files('tokenizer_config.json').catch(() => null);
  const tokenizer = tokenizerOf(tokenizerBytes, settings);
  checkVocabulary(config, tokenizer);
  const bytes = await readFile(options, 'model.safetensors', 0.1);
  options.onProgress?.({ stage: 'checking model.safetensors', share: 0.7 });
  const weights = parsed('model.safetensors', () =>
    weightsFromTensors(config, readSafetensors(bytes)),
  );
  const revision = await sha256Prefix(bytes);
  options.onProgress?.({ stage: `starting ${options.device}`, share: 0.9 });
  const policy = await createPolicy(
    weights,
    tokenizer,
    { id: options.id, revision, dtype: storedType(bytes) },
    { device: options.device, ...(options.maxSlots ? { maxSlots: options.maxSlots } : {}) },
  );
  options.onProgress?.({ stage: 'ready', share: 1 });
  return policy;
}
