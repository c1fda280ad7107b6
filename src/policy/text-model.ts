/** A model that turns messages into text: what a judge and a summarizer need of one. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface CompletionOptions {
  maxTokens: number;
  /** 0 means greedy. */
  temperature: number;
  /** The text ends before the first of these. */
  stop?: readonly string[];
  seed?: number;
  signal?: AbortSignal;
}

export interface TextModel {
  /** Names the model and, where known, its weights: part of the key of caches. */
  readonly id: string;
  /** @throws Error that says what failed; the signal's reason where it was aborted */
  complete(messages: readonly ChatMessage[], options: CompletionOptions): Promise<string>;
}
