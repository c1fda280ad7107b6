/** A model that turns messages into text: what a judge and a summarizer need of one. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A function that a model may call, as chat templates take it (the OpenAI shape). */
export interface ToolSchema {
  type: 'function';
  function: {
    name: string;
    description: string;
    parameters: {
      type: 'object';
      properties: Record<string, { type: 'string'; description: string }>;
      required: string[];
    };
  };
}

/** What the model called in one turn. */
interface CallMessage {
  role: 'assistant';
  content: string;
  tool_calls: {
    id: string;
    type: 'function';
    function: { name: string; arguments: Record<string, unknown> };
  }[];
}

/** The result of one call. */
interface ToolMessage {
  role: 'tool';
  content: string;
  name: string;
  tool_call_id: string;
}

export type TurnMessage = ChatMessage | CallMessage | ToolMessage;

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
