import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../../policy/policy.ts';
import type { Limits } from './cut.ts';
import type { SampleRequest } from './protocol.ts';

/** A policy whose tokens come from outside: `generate` becomes a request that a trainer answers. */

/** A sampling request of a session; the transport adds the id and the rollout. */
export type SamplingCall = Omit<SampleRequest, 'id' | 'rollout'> & Pick<Limits, 'fillsContext'>;

/** Asks the trainer. For an aborted rollout it resolves without tokens, as an aborted engine does. */
export type Ask = (wanted: SamplingCall) => Promise<Generated>;

const NOTHING = { ids: [], logprobs: [], entropies: [] };

class RemoteSession implements PolicySession {
  readonly #ask: Ask;
  readonly #seed: number;
  readonly #maxContext: number;
  readonly #ids: number[];

  constructor(ask: Ask, seed: number, maxContext: number, ids: readonly number[]) {
    this.#ask = ask;
    this.#seed = seed;
    this.#maxContext = maxContext;
    this.#ids = [...ids];
  }

  get length(): number {
    return this.#ids.length;
  }

  append(ids: readonly number[]): void {
    for (const id of ids) this.#ids.push(id);
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    const { maxTokens, stopIds, stopTexts = [], stopPrefix = '', sampling, signal } = options;
    const room = this.#maxContext - this.#ids.length;
    if (signal?.aborted) return { ...NOTHING, finish: 'abort' };
    if (maxTokens <= 0 || options.forced) return { ...NOTHING, finish: 'length' };
    if (room <= 0) return { ...NOTHING, finish: 'context' };
    const wanted: SamplingCall = {
      context: this.#ids,
      maxTokens: Math.min(maxTokens, room),
      stopIds,
      stopTexts,
      stopPrefix,
      sampling,
      scores: options.scores ?? 'sampling',
      seed: this.#seed,
      fillsContext: room < maxTokens,
    };
    const generated = await this.#ask(wanted);
    this.append(generated.ids);
    return generated;
  }

  fork(seed: number): Promise<PolicySession> {
    return Promise.resolve(new RemoteSession(this.#ask, seed, this.#maxContext, this.#ids));
  }

  close(): void {
    // The trainer's engine keeps no state for it.
  }
}

/** What of a checkpoint is available where another samples from it. */
export interface PolicyReader {
  info: PolicyInfo;
  tokenizer: PolicyTokenizer;
  chat?: PolicyChat;
}

/** The policy of one rollout. */
export class RemotePolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly chat?: PolicyChat;
  readonly #ask: Ask;

  constructor({ info, tokenizer, chat }: PolicyReader, ask: Ask) {
    this.info = info;
    this.tokenizer = tokenizer;
    if (chat) this.chat = chat;
    this.#ask = ask;
  }

  open(seed: number): Promise<PolicySession> {
    return Promise.resolve(new RemoteSession(this.#ask, seed, this.info.maxContext, []));
  }

  dispose(): void {
    // It holds nothing.
  }
}
