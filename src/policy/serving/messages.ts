import type {
  LoraValues,
  Generated,
  GenerateOptions,
  PolicyInfo,
  SampledTokens,
} from '../policy.ts';
import type { Work } from '../watchdog.ts';

/**
 * What travels between a policy in a worker and those who use it. Sessions are named by number.
 * Messages of its own instead of the page's remote calls (`lab/rpc`): a policy also runs in Node
 * threads, below everything that knows comlink; messages of a session take effect in their order without
 * a round trip each; and the tokens of all sessions come in one message, some dozens a second.
 */
export type ToPolicy =
  | { type: 'open'; session: number; seed: number; drawn: number }
  | { type: 'fork'; session: number; parent: number; seed: number }
  | { type: 'append'; session: number; ids: readonly number[] }
  | ({ type: 'generate'; session: number } & Omit<GenerateOptions, 'signal' | 'onTokens'>)
  | { type: 'abort'; session: number }
  | { type: 'close'; session: number }
  /** Answered by `adapted`. */
  | { type: 'adapt'; call: number; adapter: LoraValues | null }
  | { type: 'dispose' };

export interface StreamedTokens extends SampledTokens {
  session: number;
}

export type FromPolicy =
  /** `adapts`: it takes adapters. */
  | { type: 'ready'; info: PolicyInfo; adapts: boolean }
  /** What was sampled since the last such message, one entry a session. */
  | { type: 'tokens'; added: StreamedTokens[] }
  /** Follows the last tokens of its call. */
  | { type: 'generated'; session: number; generated: Generated; length: number }
  /** `name`: the error's, by which the near end tells typed ones. */
  | { type: 'failed'; session: number; name: string; reason: string }
  /** A sign of work, now and then while anything is generated; `tokens` is one, too. */
  | { type: 'working'; work: Work }
  /** The adapter is in use, or why it is not. */
  | { type: 'adapted'; call: number; failure: string | null };

/** The end of a channel: a MessagePort, a Worker or a worker's own scope. */
export interface Channel<In, Out> {
  postMessage(message: Out): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<In>) => void): void;
  removeEventListener(type: 'message', listener: (event: MessageEvent<In>) => void): void;
  start?(): void;
}
