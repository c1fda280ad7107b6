import type { SupervisedWorker } from './supervised.ts';
import type { PolicyHostApi, TokenMessage } from './policy-host.ts';
import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
  SampledTokens,
} from '../../policy/policy.ts';

/** The policy behind messages: the side that the agent uses. */

type Host = SupervisedWorker<PolicyHostApi>;

/** A `generate` call under way, and how much of its output was handed on. */
interface Streaming {
  call: number;
  delivered: number;
  onTokens: (added: SampledTokens) => void;
}

const tail = (tokens: SampledTokens, from: number): SampledTokens => ({
  ids: tokens.ids.slice(from),
  logprobs: tokens.logprobs.slice(from),
  entropies: tokens.entropies.slice(from),
});

class RemoteSession implements PolicySession {
  /** Appended here, sent with the next call. */
  #pending: number[] = [];
  #length: number;
  #calls = 0;
  readonly #id: number;
  readonly #policy: RemotePolicy;

  constructor(policy: RemotePolicy, id: number, length: number) {
    this.#policy = policy;
    this.#id = id;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  append(ids: readonly number[]): void {
    this.#pending.push(...ids);
    this.#length += ids.length;
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    const { maxTokens, stopIds, sampling, signal } = options;
    const { host, streams, count } = this.#policy;
    const call = ++this.#calls;
    const stream: Streaming = { call, delivered: 0, onTokens: options.onTokens ?? (() => {}) };
    const abort = () => void host.call((api) => api.abort(this.#id)).catch(() => undefined);
    streams.set(this.#id, stream);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const ids = this.#take();
      const running = host.call((api) =>
        api.generate(this.#id, call, ids, { maxTokens, stopIds: [...stopIds], sampling }),
      );
      if (signal?.aborted) abort();
      const generated = await running;
      // Batches of tokens travel on a channel of their own; what is still on its way is handed on here.
      if (generated.ids.length > stream.delivered) {
        const rest = tail(generated, stream.delivered);
        count(rest.ids.length);
        stream.onTokens(rest);
      }
      this.#length += generated.ids.length;
      return generated;
    } finally {
      streams.delete(this.#id);
      signal?.removeEventListener('abort', abort);
    }
  }

  async fork(seed: number): Promise<PolicySession> {
    const ids = this.#take();
    const id = await this.#policy.host.call((api) => api.fork(this.#id, ids, seed));
    return new RemoteSession(this.#policy, id, this.#length);
  }

  close(): void {
    this.#policy.host.call((api) => api.close(this.#id)).catch(() => undefined);
  }

  #take(): number[] {
    const ids = this.#pending;
    this.#pending = [];
    return ids;
  }
}

export class RemotePolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly host: Host;
  readonly streams = new Map<number, Streaming>();
  /** Told how many tokens were sampled. */
  readonly count: (tokens: number) => void;

  constructor(
    host: Host,
    info: PolicyInfo,
    tokenizer: PolicyTokenizer,
    count: (tokens: number) => void = () => {},
  ) {
    this.host = host;
    this.info = info;
    this.tokenizer = tokenizer;
    this.count = count;
  }

  async open(seed: number): Promise<PolicySession> {
    const id = await this.host.call((api) => api.open(seed));
    return new RemoteSession(this, id, 0);
  }

  /** Hands batches of the host to the calls they belong to; late ones are known already. */
  receive(batch: readonly TokenMessage[]): void {
    for (const { session, call, ...tokens } of batch) {
      const stream = this.streams.get(session);
      if (!stream || stream.call !== call) continue;
      stream.delivered += tokens.ids.length;
      this.count(tokens.ids.length);
      stream.onTokens(tokens);
    }
  }

  dispose(): void {
    this.host.terminate();
  }
}
