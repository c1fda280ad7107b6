/** A model that turns messages into text: what a judge and a summarizer need of one. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** Tokens of one completion, as counted by the server or engine. */
export interface TokenUse {
  /** Read. */
  prompt: number;
  /** Written, thoughts included. */
  completion: number;
}

export interface CompletionOptions {
  maxTokens: number;
  /** 0 means greedy. */
  temperature: number;
  /** The text ends before the first of these. */
  stop?: readonly string[];
  seed?: number;
  signal?: AbortSignal;
  /** Told once a completion of what it took; not every server says. */
  onUse?: (use: TokenUse) => void;
}

export interface TextModel {
  /** Names the model and, where known, its weights: part of the key of caches. */
  readonly id: string;
  /** @throws Error that says what failed; the signal's reason where it was aborted */
  complete(messages: readonly ChatMessage[], options: CompletionOptions): Promise<string>;
}
