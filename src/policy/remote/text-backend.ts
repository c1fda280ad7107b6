import type { PolicyInfo, Sampling } from '../policy.ts';
import type { ChatMessage } from '../text-model.ts';

/**
 * What a model that gives text, not token ids, has to offer to be a policy: an OpenAI-compatible
 * server, WebLLM. `TextPolicy` makes a `Policy` of it; an adapter implements this and no more.
 */

/** One step of a stream: a token's text where the server tells tokens apart, else any stretch. */
export interface TextChunk {
  text: string;
  /**
   * Natural-log probability of this one token as the server states it; absent where the server gives
   * none, or where `text` is no single token. Tokens that share a character come as one chunk with
   * the sum of theirs.
   */
  logprob?: number;
  /** Alternatives at this place with theirs, most likely first. */
  top?: readonly { text: string; logprob: number }[];
  /**
   * On the last chunk, where the server says why it ended: `end`, the model ended its turn;
   * `length`, `maxTokens` or the server's context. Its text may be empty.
   */
  finish?: 'end' | 'length';
}

export interface TextRequest extends Sampling {
  /**
   * Everything so far as one text. With `turns` other than `none`, the text of the messages joined,
   * of use for counting alone.
   */
  prefix: string;
  /**
   * The same as messages. With `turns: 'continue'` the last may be the assistant's: the server is to
   * continue writing it (`continue_final_message`, `prefix`, prefill). With `turns: 'alternate'` the last
   * is the user's. Empty with `turns: 'none'`.
   */
  messages: readonly ChatMessage[];
  /** In the server's own tokens. */
  maxTokens: number;
  /**
   * The stream may end after the first of these, where the server can leave it in the text
   * (`include_stop_str_in_output`). A server that swallows the stop text must not get them:
   * the reader of the stream ends it by itself, after the chunk that holds one of them.
   */
  stop: readonly string[];
  /** Unsigned 32 bits; another one each call. */
  seed: number;
  signal: AbortSignal;
}

/** How the conversation so far is given to the model. */
export type Turns =
  /** As one text: a completions endpoint. */
  | 'none'
  /** As messages, the last being the beginning of the assistant's turn. */
  | 'continue'
  /** As messages in turns: what the environment writes becomes a message of the user's. */
  | 'alternate';

export interface TextBackend {
  /** `device` is `server` or where the model runs here; `revision` is empty where unknown. */
  readonly info: PolicyInfo;
  readonly turns: Turns;
  /**
   * Samples one continuation. The iterator's `return()` ends the request at the server.
   * @throws Error that say what failed and what to do; the signal's reason where it was
   * aborted
   */
  stream(request: TextRequest): AsyncIterable<TextChunk>;
  dispose?(): void;
}
