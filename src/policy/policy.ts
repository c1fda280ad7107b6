/**
 * What the agent needs of a language model: contexts that can be appended to, sampled from and
 * forked. The built-in transformer implements it directly; a worker implements it over messages.
 */

import type { LoraSpec } from './lora/spec.ts';

export interface Sampling {
  /** 0 means greedy. */
  temperature: number;
  /** 0 means no limit. */
  topK: number;
  /** 1 means no limit. */
  topP: number;
}

export interface GenerateOptions {
  maxTokens: number;
  /** Generation ends after one of these ids was sampled; the id is part of the output. */
  stopIds: readonly number[];
  sampling: Sampling;
  signal?: AbortSignal;
  /** Called after decoding steps with what was added since the last call. */
  onTokens?: (added: SampledTokens) => void;
}

/** Tokens that the policy sampled; the three arrays have one length. */
export interface SampledTokens {
  ids: number[];
  /** Natural-log probability under the sampling distribution's temperature-1 softmax (no top-k, no top-p). */
  logprobs: number[];
  /** Entropy in nats of that same softmax. */
  entropies: number[];
}

export interface Generated extends SampledTokens {
  /** `stop`: a stop id; `length`: maxTokens; `context`: no room left in the context; `abort`: the signal. */
  finish: 'stop' | 'length' | 'context' | 'abort';
}

/** One context (a rollout, or a probe forked from one). Calls on one session do not overlap. */
export interface PolicySession {
  /** Tokens read and written so far. */
  readonly length: number;
  /** Adds text that the policy did not write. It is prefilled with the next `generate`. */
  append(ids: readonly number[]): void;
  generate(options: GenerateOptions): Promise<Generated>;
  /** A second context with the same past and a seed of its own. */
  fork(seed: number): Promise<PolicySession>;
  close(): void;
}

export interface PolicyInfo {
  /** Name of the checkpoint, e.g. `baize-mini`. */
  id: string;
  /** SHA-256 prefix of the weights file. */
  revision: string;
  parameters: number;
  /** Most tokens one context can hold. */
  maxContext: number;
  device: 'wasm' | 'webgpu';
  dtype: 'f16' | 'f32';
}

export interface Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  /** Opens a context. The same seed and the same calls give the same tokens on the WASM device. */
  open(seed: number): Promise<PolicySession>;
  /**
   * Samples from other weights from now on: all parameters in the order of `parameterSlots`, such as
   * those of `mergeAdapter`. `info` still names the checkpoint that was loaded. Absent where a policy
   * cannot be adapted.
   * @throws Error while sessions are open, or for a wrong number of values
   */
  setWeights?(flat: Float32Array): Promise<void>;
  /**
   * Samples from the checkpoint with an adapter folded in from now on, null for the checkpoint itself:
   * what `setWeights` does with `mergeAdapter`, layer by layer and without the weights in memory. There
   * where the policy was loaded from files by range.
   * @throws Error while sessions are open; RangeError for a wrong number of values
   */
  setAdapter?(adapter: { spec: LoraSpec; flat: Float32Array } | null): Promise<void>;
  dispose(): void;
}

/** The tokenizer of a checkpoint, as the agent uses it. */
export interface PolicyTokenizer {
  readonly vocabSize: number;
  /** Encodes text in which no special token is recognised: `<search>` becomes ordinary pieces. */
  encodeText(text: string): number[];
  /** Id of one special token, such as `</search>`; undefined where the checkpoint has none. */
  specialId(token: string): number | undefined;
  /** Decodes ids, special tokens written out. */
  decode(ids: readonly number[]): string;
  readonly endOfText: number;
  /** All tokens that end a turn, where there are more than `endOfText`. */
  readonly endIds?: readonly number[];
  /** Encodes text in which special tokens are recognised, such as what a chat template renders. */
  encodeTemplate?(text: string): number[];
}
