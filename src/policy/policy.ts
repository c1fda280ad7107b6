import { MODEL_DISTRIBUTION, type TokenDistribution } from '../records/rollout.ts';
import type { ToolSchema, TurnMessage } from './text-model.ts';

/**
 * What the agent needs of a language model: contexts that can be appended to, sampled from and
 * forked. The built-in transformer implements it directly; a worker implements it over messages.
 */

import type { Work } from './watchdog.ts';
import type { LoraSpec } from './lora/spec.ts';
import type { MatrixType, StoreType } from './ops/values.ts';

/** What tokens are drawn from; temperature 0 means greedy. */
export type Sampling = TokenDistribution;

export interface GenerateOptions {
  maxTokens: number;
  /** Generation ends after one of these ids was sampled; the id is part of the output. */
  stopIds: readonly number[];
  /**
   * Generation also ends right after the token with which the text of this call first contains one
   * of these. That token is part of the output, whatever else its text holds.
   */
  stopTexts?: readonly string[];
  /** Text before this call that counts as its beginning: a stop text may have begun there. */
  stopPrefix?: string;
  sampling: Sampling;
  /**
   * What log-probabilities and entropies are of. `sampling` (absent: the same): what tokens are drawn
   * from; of greedy ones, which are drawn from scratch, the model's. `model`: softmax(logits) over the
   * whole vocabulary, whatever is drawn from. Only an engine of ours can choose.
   */
  scores?: 'sampling' | 'model';
  /**
   * With an adapter that has gates, every token of this call is read as a mixture with what was expected in its place
   * (`latent/gates.ts`), up to, and without, the first of these ids or the token that completes one of these texts.
   * Without gates, and in engines that are not ours, tokens are read as themselves.
   */
  latent?: { readonly stopIds: readonly number[]; readonly stopTexts?: readonly string[] };
  /**
   * Tokens that are written in the place of drawn ones, in order; `maxTokens` is their number. What comes back says how likely
   * each was, under the model at temperature 1. Only an engine of ours can: others give no tokens.
   */
  forced?: readonly number[];
  signal?: AbortSignal;
  /** Called after decoding steps with what was added since the last call. */
  onTokens?: (added: SampledTokens) => void;
}

/**
 * Tokens that the policy sampled. Log-probabilities and entropies are one per token, or, where a server
 * gives none, empty: nothing is made up.
 */
export interface SampledTokens {
  ids: number[];
  /** Natural-log probability under the distribution that `GenerateOptions.scores` names. */
  logprobs: number[];
  /** Entropy in nats of that same distribution. */
  entropies: number[];
}

export interface Generated extends SampledTokens {
  /** `stop`: a stop id or text; `length`: maxTokens; `context`: no room left in the context; `abort`: the signal. */
  finish: 'stop' | 'length' | 'context' | 'abort';
  /** The first tokens of the call, which were read as mixtures; absent where none was. */
  latent?: LatentTokens;
}

/** Tokens that were read mixed with what was expected in their place. */
export interface LatentTokens {
  count: number;
  /** Mean a of the gates over them. */
  gate: number;
  /** h of each, [count, hidden size]: the trainer makes the same inputs of them. */
  hidden: Float32Array;
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
  /** 0 where a server does not tell. */
  parameters: number;
  /** Most tokens one context can hold. */
  maxContext: number;
  device: 'wasm' | 'webgpu' | 'server';
  /** How the weights are stored, such as `f16`; empty where unknown. */
  dtype: string;
  /** What this engine holds the matrices in; absent of other engines. */
  onDevice?: MatrixType | 'mixed';
  /** What it holds keys and values of contexts in; absent of other engines. */
  keys?: StoreType;
  /** What its authors sample with, for asking; absent where its files do not say. Training has its own. */
  sampling?: Partial<Sampling>;
  /** What the user should know of its files, one sentence each; absent: nothing. */
  notes?: readonly string[];
  /** As text, what log-probabilities are where they are not the engine's own, or that there are none. */
  logprobs?: string;
  /**
   * What they are of. `sampling` (absent: the same): as `GenerateOptions.scores` says; `temperature`:
   * the softmax after temperature and before any truncation; `unknown`: a server's, which does not say.
   */
  logprobsOf?: 'sampling' | 'temperature' | 'unknown';
}

/** The distribution that log-probabilities of a sampling are of; null where that is not known. */
export function logprobsOf(
  { logprobsOf: of = 'sampling' }: Pick<PolicyInfo, 'logprobsOf'>,
  sampling: Sampling,
): TokenDistribution | null {
  switch (of) {
    case 'sampling':
      return sampling.temperature === 0 ? MODEL_DISTRIBUTION : sampling;
    case 'temperature':
      return { ...MODEL_DISTRIBUTION, temperature: sampling.temperature };
    case 'unknown':
      return null;
  }
}

/** Turns messages into the text of one context. */
export interface PolicyChat {
  /**
   * The messages in the model's own template; the text ends where the assistant's turn begins.
   * @param tools that the model may call; a template that knows none leaves them out
   * @throws Error where the template refuses them, such as a system message that it does not know
   */
  render(messages: readonly TurnMessage[], tools?: readonly ToolSchema[]): string;
}

/** An adapter and its values: those of `loraSlots`, in their order, then those of gates. */
export interface LoraValues {
  spec: LoraSpec;
  flat: Float32Array;
}

export interface Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  /** Absent where the checkpoint has no chat template. */
  readonly chat?: PolicyChat;
  /**
   * Opens a context. The same seed and the same calls give the same tokens on the WASM device.
   * @param drawn tokens that the seed's stream of random numbers has drawn already, so that a context
   * that is made again continues with the numbers that it would have had; a server has no such stream
   */
  open(seed: number, drawn?: number): Promise<PolicySession>;
  /**
   * Samples with an adapter from now on, null for the checkpoint itself: its products are added, the
   * weights stay as they are. Absent where a policy cannot be adapted.
   * @throws Error while sessions are open; RangeError for a wrong number of values
   */
  readonly setAdapter?: (adapter: LoraValues | null) => Promise<void>;
  /**
   * `listener` is notified of every piece of work on a step, before the kernels for it are made and while
   * they run. Absent where a policy gives no such signs.
   */
  onWork?(listener: (work: Work) => void): void;
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
  /** All ids that end a turn or a text, `endOfText` among them; `[endOfText]` where absent. */
  readonly endIds?: readonly number[];
  /** Stands before a text without a chat template, where the checkpoint was trained with one. */
  readonly startOfText?: number;
  /** Encodes text of a chat template: special tokens in it are recognised. */
  encodeTemplate?(text: string): number[];
  /** The ids are pieces of text that were met so far, not the vocabulary of the model. */
  readonly pieces?: boolean;
}
