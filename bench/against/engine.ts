import type { Prompt } from './prompts.ts';

/** An engine that decodes greedily, several contexts at a time. */
export interface Engine {
  /** What it holds the model in, as text. */
  readonly held: string;
  /** Opens a context for each prompt, and computes all of them. Contexts before are closed. */
  prefill(prompts: readonly Prompt[]): Promise<void>;
  /** Decodes so many tokens of each context, one forward pass each. */
  decode(tokens: number): Promise<void>;
  stop(): Promise<void>;
}

/** Places where two engines find the same token likeliest after the same text. */
export interface Agreement {
  equal: number;
  tokens: number;
}
