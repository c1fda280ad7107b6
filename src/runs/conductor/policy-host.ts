import type { DeviceFacts } from './messages.ts';
import type { DeviceChoice } from './settings.ts';
import { fetchWithProgress, type ByteProgress } from './fetch-progress.ts';
import { loadPolicy } from '../../policy/load.ts';
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyInfo,
  PolicySession,
  SampledTokens,
} from '../../policy/policy.ts';

/** The policy behind messages: the side that runs in the policy worker. */

export interface TokenMessage extends SampledTokens {
  session: number;
  /** Number of the `generate` call that they belong to. */
  call: number;
}

/** What the host tells without being asked. */
export interface PolicyListener {
  onTokens(batch: TokenMessage[]): void;
  onProgress(stage: string, bytes: ByteProgress): void;
}

export interface LoadedPolicyFacts {
  info: PolicyInfo;
  device: DeviceFacts;
  /** Text of the checkpoint's tokenizer files, so that the agent decodes with the same one. */
  tokenizer: string;
  tokenizerConfig: string | null;
}

export interface PolicyHostApi {
  load(base: string, device: DeviceChoice): Promise<LoadedPolicyFacts>;
  open(seed: number): Promise<number>;
  /** Appends `ids` to the context and samples. */
  generate(
    session: number,
    call: number,
    ids: number[],
    options: Pick<GenerateOptions, 'maxTokens' | 'stopIds' | 'sampling'>,
  ): Promise<Generated>;
  abort(session: number): void;
  fork(session: number, ids: number[], seed: number): Promise<number>;
  close(session: number): void;
}

/** Tokens are handed on this often, all sessions together. */
const BATCH_MS = 30;
/** Only names the end-of-text token. */
const OPTIONAL_FILE = 'tokenizer_config.json';

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(new Uint8Array(bytes));

/** Name of a checkpoint for records, as its config says; the command line reads the same field. */
const checkpointName = (config: string): string => {
  const parsed: unknown = JSON.parse(config);
  const named =
    typeof parsed === 'object' && parsed !== null && '_name_or_path' in parsed
      ? parsed['_name_or_path']
      : undefined;
  return typeof named === 'string' && named !== '' ? named : 'policy';
};

const adapterName = (info: GPUAdapterInfo): string =>
  info.description || [info.vendor, info.architecture].filter(Boolean).join(' ') || 'unnamed';

const isSoftware = (adapter: GPUAdapter): boolean =>
  adapter.info.isFallbackAdapter ||
  /swiftshader|llvmpipe|lavapipe/i.test(adapterName(adapter.info));

/** Settles `auto`: a real GPU where there is one, else WASM. */
export const chooseDevice = async (
  choice: DeviceChoice,
  gpu: GPU | undefined,
  cores: number,
): Promise<DeviceFacts> => {
  const wasm: DeviceFacts = { device: 'wasm', adapter: `${cores} cores`, fallback: false };
  if (choice === 'wasm') return wasm;
  const adapter = (await gpu?.requestAdapter()) ?? null;
  const usable = adapter !== null && (choice === 'webgpu' || !isSoftware(adapter));
  if (usable) {
    return {
      device: 'webgpu',
      adapter: adapterName(adapter.info),
      fallback: isSoftware(adapter),
    };
  }
  if (choice === 'auto') return wasm;
  throw new Error('WebGPU is not available in this browser; choose the device wasm');
};

interface Open {
  session: PolicySession;
  abort: AbortController | null;
}

export class PolicyHost implements PolicyHostApi {
  readonly #listener: PolicyListener;
  readonly #open = new Map<number, Open>();
  #policy: Policy | null = null;
  #lastId = 0;
  #batch = new Map<number, TokenMessage>();

  constructor(listener: PolicyListener) {
    this.#listener = listener;
  }

  async load(base: string, choice: DeviceChoice): Promise<LoadedPolicyFacts> {
    const device = await chooseDevice(choice, navigator.gpu, navigator.hardwareConcurrency);
    let stage = 'fetching';
    let bytes: ByteProgress = { loaded: 0, total: 0 };
    const tell = () => this.#listener.onProgress(stage, bytes);
    const fetchFile = fetchWithProgress(base, (progress) => {
      bytes = progress;
      tell();
    });
    const kept = new Map<string, Promise<Uint8Array>>();
    // The loader wraps what it could not read; the user is told of the file itself.
    let missing: unknown = null;
    const files = (name: string): Promise<Uint8Array> => {
      const file = kept.get(name) ?? fetchFile(name);
      if (name.endsWith('.json')) kept.set(name, file);
      file.catch((error: unknown) => {
        if (name !== OPTIONAL_FILE) missing ??= error;
      });
      return file;
    };
    const id = checkpointName(textOf(await files('config.json')));
    const onProgress = (progress: { stage: string }) => {
      stage = progress.stage;
      tell();
    };
    this.#policy = await loadPolicy({ files, id, device: device.device, onProgress }).catch(
      (error: unknown) => {
        throw missing ?? error;
      },
    );
    const tokenizer = textOf(await files('tokenizer.json'));
    const tokenizerConfig = await files(OPTIONAL_FILE).then(textOf, () => null);
    return { info: this.#policy.info, device, tokenizer, tokenizerConfig };
  }

  async open(seed: number): Promise<number> {
    if (!this.#policy) throw new Error('the policy is not loaded');
    return this.#keep(await this.#policy.open(seed));
  }

  async generate(
    id: number,
    call: number,
    ids: number[],
    options: Pick<GenerateOptions, 'maxTokens' | 'stopIds' | 'sampling'>,
  ): Promise<Generated> {
    const open = this.#get(id);
    const abort = new AbortController();
    open.abort = abort;
    if (ids.length > 0) open.session.append(ids);
    try {
      return await open.session.generate({
        ...options,
        signal: abort.signal,
        onTokens: (added) => this.#collect(id, call, added),
      });
    } finally {
      open.abort = null;
      this.#batch.delete(id);
    }
  }

  abort(id: number): void {
    this.#open.get(id)?.abort?.abort();
  }

  async fork(id: number, ids: number[], seed: number): Promise<number> {
    const { session } = this.#get(id);
    if (ids.length > 0) session.append(ids);
    return this.#keep(await session.fork(seed));
  }

  close(id: number): void {
    this.#open.get(id)?.session.close();
    this.#open.delete(id);
  }

  #keep(session: PolicySession): number {
    this.#open.set(++this.#lastId, { session, abort: null });
    return this.#lastId;
  }

  #get(id: number): Open {
    const open = this.#open.get(id);
    if (!open) throw new Error(`policy session ${id} is closed`);
    return open;
  }

  #collect(session: number, call: number, added: SampledTokens): void {
    if (this.#batch.size === 0) setTimeout(() => this.#flush(), BATCH_MS);
    const held = this.#batch.get(session);
    if (held) {
      held.ids.push(...added.ids);
      held.logprobs.push(...added.logprobs);
      held.entropies.push(...added.entropies);
    } else {
      this.#batch.set(session, {
        session,
        call,
        ids: [...added.ids],
        logprobs: [...added.logprobs],
        entropies: [...added.entropies],
      });
    }
  }

  #flush(): void {
    const batch = [...this.#batch.values()];
    this.#batch = new Map();
    if (batch.length > 0) this.#listener.onTokens(batch);
  }
}
