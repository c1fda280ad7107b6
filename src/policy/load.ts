import type { Policy, PolicyInfo, PolicySession, PolicyTokenizer } from './policy.ts';
import { parsePolicyConfig, type PolicyConfig } from './config.ts';
import type { DeviceWeights } from './generation/device-weights.ts';
import type { GenerationEngine } from './generation/engine.ts';
import { readSafetensors } from './safetensors.ts';
import { HuggingFaceTokenizer } from './tokenizer.ts';
import { parameterCount, viewWeights, weightsFromTensors, type PolicyWeights } from './weights.ts';

export type PolicyDevice = 'wasm' | 'webgpu';

export interface LoadProgress {
  /** What is being done, for the status bar: `reading config.json`, `compiling` … */
  readonly stage: string;
  /** Share done, 0 to 1. */
  readonly share: number;
}

export interface LoadPolicyOptions {
  /** Reads a file of the checkpoint; rejects where there is none. */
  readonly files: (name: string) => Promise<Uint8Array>;
  /** Name shown for the checkpoint. */
  readonly id: string;
  readonly device: PolicyDevice;
  /** Most contexts that decode together; 64 if not given. */
  readonly maxSlots?: number;
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** A checkpoint that cannot be used; the message names the file and says what to do. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly file: string;

  constructor(file: string, problem: string, remedy: string) {
    super(`${file}: ${problem}. ${remedy}`);
    this.file = file;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function readFile(
  options: Pick<LoadPolicyOptions, 'files' | 'onProgress'>,
  name: string,
  share: number,
) {
  options.onProgress?.({ stage: `reading ${name}`, share });
  try {
    return await options.files(name);
  } catch (error) {
    throw new CheckpointError(
      name,
      `cannot be read (${reasonOf(error)})`,
      'A checkpoint is a folder with config.json, tokenizer.json and model.safetensors',
    );
  }
}

/** Runs a parser over a file; what it throws is told as a fault of the file. */
function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = reasonOf(error).replace(new RegExp(`^${file}: `), '');
    throw new CheckpointError(file, reason, 'Download or export the checkpoint again');
  }
}

/** The copy is for browsers, which refuse to decode from shared memory. */
function parseJson(bytes: Uint8Array): object {
  const json: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes)));
  if (typeof json !== 'object' || json === null) throw new Error('it holds no JSON object');
  return json;
}

async function sha256Prefix(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return [...new Uint8Array(digest).subarray(0, 6)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

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

  constructor(
    info: PolicyInfo,
    tokenizer: PolicyTokenizer,
    engine: GenerationEngine,
    upload: (flat: Float32Array) => DeviceWeights,
  ) {
    this.info = info;
    this.tokenizer = tokenizer;
    this.#engine = engine;
    this.#upload = upload;
  }

  open(seed: number): Promise<PolicySession> {
    return Promise.resolve(this.#engine.open(seed));
  }

  async setWeights(flat: Float32Array): Promise<void> {
    await this.#engine.replaceWeights(() => this.#upload(flat));
  }

  dispose(): void {
    this.#engine.dispose();
  }
}

/** Makes a policy of weights that are in memory already, such as those being trained. */
export async function createPolicy(
  weights: PolicyWeights,
  tokenizer: PolicyTokenizer,
  info: Pick<PolicyInfo, 'id' | 'revision' | 'dtype'>,
  options: { device: PolicyDevice; maxSlots?: number },
): Promise<Policy> {
  await startDevice(options.device);
  // Loaded late: jax-js looks for workers and devices when it is first imported.
  const { uploadWeights } = await import('./generation/device-weights.ts');
  const { GenerationEngine } = await import('./generation/engine.ts');
  const engine = new GenerationEngine(uploadWeights(weights), {
    maxSlots: options.maxSlots ?? 64,
    sync: options.device === 'wasm',
    decode: (ids) => tokenizer.decode(ids),
  });
  const { config } = weights;
  return new LoadedPolicy(
    {
      ...info,
      device: options.device,
      parameters: parameterCount(config),
      maxContext: config.maxPositions,
    },
    tokenizer,
    engine,
    (flat) => uploadWeights(viewWeights(config, flat)),
  );
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
 * The weights of a checkpoint alone, in float32, for those who train over them.
 * @throws CheckpointError as `loadPolicy` does
 */
export async function loadWeights(files: LoadPolicyOptions['files']): Promise<PolicyWeights> {
  const options = { files };
  const configBytes = await readFile(options, 'config.json', 0);
  const config = parsed('config.json', () => parsePolicyConfig(parseJson(configBytes)));
  const bytes = await readFile(options, 'model.safetensors', 0);
  return parsed('model.safetensors', () => weightsFromTensors(config, readSafetensors(bytes)));
}

/**
 * Loads a Hugging Face checkpoint in Qwen3's layout: config.json, tokenizer.json and
 * model.safetensors (f32, f16 or bf16; computed in f32).
 * @throws CheckpointError that names the file at fault and what to do; Error where the device does
 * not exist.
 */
export async function loadPolicy(options: LoadPolicyOptions): Promise<Policy> {
  const configBytes = await readFile(options, 'config.json', 0);
  const config = parsed('config.json', () => parsePolicyConfig(parseJson(configBytes)));
  const tokenizerBytes = await readFile(options, 'tokenizer.json', 0.05);
  // Only names the end-of-text token; checkpoints without it end with <|endoftext|>.
  const settings = await options.files('tokenizer_config.json').catch(() => null);
  const tokenizer = parsed(
    'tokenizer.json',
    () => new HuggingFaceTokenizer(parseJson(tokenizerBytes), settings ? parseJson(settings) : {}),
  );
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
