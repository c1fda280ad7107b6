import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { merge } from '../../base/objects.ts';
import { FORM_BLOCKS } from '../../records/form-line.ts';
import { dialectSchema } from './dialect.ts';
import { systemSchema } from './system.ts';

/**
 * What a recipe's loop may choose: which parts of the agent run, with which constants. Every field is a
 * switch of an ablation. Where a paper gives no constant, the recipe file says so.
 */

const positiveInt = z.int().min(1);
const share = z.number().min(0).max(1);

export const LONG_ANSWER_TOKENS = 160;

/** Ways in which a recipe may have the local source searched. */
export const SEARCH_METHODS = ['setup', 'lexical', 'flat', 'hnsw', 'cluster', 'hybrid'] as const;

const samplingSchema = z.strictObject({
  temperature: z.number().min(0).max(4),
  topK: z.int().min(0),
  topP: share,
});

const retrievalSchema = z.strictObject({
  /**
   * How the local source is searched: `setup` (default), as it was opened, or by a method of
   * `src/retrieval/methods/list.ts`. The paper's cluster retriever is `cluster`.
   */
  method: z.enum(SEARCH_METHODS).optional(),
  /** Passages per search. */
  k: z.int().min(1).max(20),
  /**
   * Whether k gives way to the most passages that the policy's context holds, where they are shown as
   * they are. A summary of them is short, however many they are.
   */
  fitK: z.boolean().optional(),
  /** Most retrievals a rollout may make; the background is not one of them. */
  maxSearches: z.int().min(0).max(32),
  /** Most tokens of one passage inside `<result>` or `<background>`; longer ones are cut. */
  passageTokens: positiveInt,
  /** `router`: from π(a|s), equation (23), as `nlr.routing` says; the others are fixed policies. */
  source: z.enum(['local', 'web', 'both', 'router']),
  /** Whether `<local_search>` and `<web_search>` overrule `source`. */
  honourTags: z.boolean(),
  /** UR²: whether the policy reads a summary for its query in place of the passages. */
  summarize: z.enum(['off', 'on']).default('off'),
  /** Most words of a query; a longer one is a fault against the protocol. Absent: no limit. */
  queryWords: positiveInt.optional(),
});

const backgroundSchema = z.strictObject({
  /** RDRA: whether D0 is retrieved, and whether T of equation (2) reads it. */
  mode: z.enum(['off', 'shown', 'shown-and-used-by-T']),
  k: z.int().min(1).max(10),
  /** `router`: from π(a|s), like any call, with a route event and a reward of its own. */
  source: z.enum(['local', 'web', 'both', 'router']),
  /**
   * What is for t in equation (3): `intention`, the query that the thought leads to, or
   * `thought`, the text of t itself (first search only).
   */
  secondStage: z.enum(['intention', 'thought']),
});

const stieStopSchema = z.strictObject({
  /**
   * `above`: stop when answers agree; `literal`: when the mean overlap falls below, as printed, so at
   * the first answer that differs from the earlier ones; `by-mode`: `literal` in `paper`, `above` in
   * `corrected`.
   */
  overlap: z.enum(['by-mode', 'above', 'literal', 'off']),
  overlapThreshold: share,
  /** Earlier answers needed before `above` may stop; `literal` compares as soon as there is one. */
  minHistory: positiveInt,
  confidence: z.boolean(),
  /** "Theoretical upper limit" means a confidence of at least 1 − ε (`corrected`); 1 in `paper`. */
  epsilon: share,
  newInformation: z.boolean(),
  /** Stop when a round brings at most this many new entities and facts together. */
  minNewInformation: z.int().min(0),
});

const stieSchema = z.strictObject({
  mode: z.enum(['paper', 'corrected', 'off']),
  overQueries: z.boolean(),
  overAnswers: z.boolean(),
  /**
   * Passages that an earlier result showed are left out, and the next best take their place: the repeated retrieved content
   * of KunLunBaizeRAG's introduction, for which the paper has no equation. Default: they are shown again.
   */
  overPassages: z.boolean().optional(),
  tokens: z.enum(['sets', 'bags']),
  /** Which candidate is y_t: the most confident, or the policy's first sample. */
  current: z.enum(['most-confident', 'first-sample']),
  /** K: candidates sampled a round. */
  candidates: z.int().min(1).max(16),
  confidence: z.enum(['mean', 'min']),
  /** δ1, δ2, δ3 of equation (9). */
  thresholds: z.tuple([share, share, share]),
  /** N of equations (12) and (13). */
  maxCount: positiveInt,
  /** Most tokens of one probed candidate. */
  probeTokens: positiveInt,
  /** Refusals in a row after which the answer is asked for. */
  maxRefusals: positiveInt,
  stop: stieStopSchema,
});

/** R(a) of equation (20): which reading, and its two factors. */
export const routerRewardSchema = z.strictObject({
  reward: z.enum(['paper', 'measured']),
  beta1: z.number().min(0),
  beta2: z.number().min(0),
});

const nlrSchema = routerRewardSchema.extend({
  /**
   * How π(a|s) becomes a choice: drawn from it, as (23) needs to learn, or the likelier source. No
   * paper says which is evaluated.
   */
  routing: z.enum(['sampled', 'argmax']).default('sampled'),
  /** Whether the router sees how much of a query the local index knows; an ablation of that feature. Absent: seen. */
  coverage: z.enum(['seen', 'hidden']).optional(),
});

const budgetsSchema = z.strictObject({
  /** Most tokens that the policy may write before it is asked for the answer. */
  tokens: positiveInt,
  /** Most tokens between two words of the environment. */
  stepTokens: positiveInt,
  /** Room kept for the answer. */
  answerTokens: positiveInt,
  /** The same for a long answer (default `LONG_ANSWER_TOKENS`). */
  longAnswerTokens: positiveInt.optional(),
  /** Faults against the protocol after which the rollout stops. */
  maxFaults: positiveInt,
});

export const recipeSettingsSchema = z.strictObject({
  /**
   * Blocks beside thought, search and answer that the policy may write; a policy that knows form lines is
   * told of them.
   */
  blocks: z.array(z.enum(FORM_BLOCKS)).default([]),
  /** `agent`: think, search, answer; `program`: the system's own. */
  loop: z.enum(['agent', 'naive-rag', 'naive-generation', 'think', 'rationale', 'program']),
  /** The format that a policy speaks whose tags are text; absent: the protocol's own tags. */
  dialect: dialectSchema.optional(),
  method: z
    .strictObject({
      /**
       * A first search with the question itself, before the policy writes. `question`: for a policy whose tags are ids its
       * passages stand before the question, as a background does; `result`: they are a result after it, as they are for every
       * other policy, with the blocks that follow results.
       */
      firstSearch: z.enum(['question', 'result']).optional(),
    })
    .optional(),
  /** A system with code of its own, and its parameters (`src/systems`). */
  system: systemSchema.optional(),
  sampling: samplingSchema,
  retrieval: retrievalSchema,
  background: backgroundSchema,
  stie: stieSchema,
  nlr: nlrSchema,
  budgets: budgetsSchema,
});

export type RecipeSettings = z.infer<typeof recipeSettingsSchema>;

/** The same shape with every field optional, at every depth; arrays are replaced whole. */
export type SettingsOverride = {
  [K in keyof RecipeSettings]?: RecipeSettings[K] extends readonly unknown[] | string
    ? RecipeSettings[K]
    : DeepPartial<RecipeSettings[K]>;
};
type DeepPartial<T> = {
  [K in keyof T]?: NonNullable<T[K]> extends readonly unknown[]
    ? T[K]
    : NonNullable<T[K]> extends object
      ? DeepPartial<NonNullable<T[K]>>
      : T[K];
};

/** Changes of settings over other changes: `over` counts where both say something. */
export const mergeOverrides = (base: SettingsOverride, over: SettingsOverride): SettingsOverride =>
  merge(base, over) as SettingsOverride;

/**
 * A recipe's settings with some of them changed; another system than its own brings its own parameters.
 * @throws Error that names the first field at fault, where the result is not a valid setting.
 */
export function withOverrides(settings: RecipeSettings, over: SettingsOverride): RecipeSettings {
  const { system } = over;
  const isOther = system?.id !== undefined && system.id !== settings.system?.id;
  const base = isOther ? { ...settings, system: undefined } : settings;
  const parsed = recipeSettingsSchema.safeParse(merge(base, over));
  if (parsed.success) return parsed.data;
  throw new Error(`recipe setting ${issueOf(parsed.error)}`);
}

/** What the recipes share: the constants of arXiv 2506.19466 where it gives them. */
export const DEFAULT_SETTINGS: RecipeSettings = {
  blocks: [],
  loop: 'agent',
  sampling: { temperature: 1, topK: 0, topP: 1 },
  // Search-R1's k (2503.09516); 2506.19466 gives none.
  retrieval: {
    k: 3,
    maxSearches: 8,
    passageTokens: 96,
    source: 'both',
    honourTags: true,
    summarize: 'off',
  },
  background: { mode: 'off', k: 2, source: 'both', secondStage: 'intention' },
  stie: {
    mode: 'off',
    overQueries: true,
    overAnswers: true,
    tokens: 'sets',
    current: 'first-sample',
    candidates: 4,
    confidence: 'mean',
    thresholds: [0.25, 0.5, 0.75],
    maxCount: 4,
    probeTokens: 32,
    maxRefusals: 3,
    stop: {
      overlap: 'by-mode',
      overlapThreshold: 0.9,
      minHistory: 3,
      confidence: true,
      epsilon: 0.0002,
      newInformation: true,
      minNewInformation: 0,
    },
  },
  nlr: { reward: 'paper', beta1: 0.5, beta2: 0.5, routing: 'sampled' },
  budgets: { tokens: 512, stepTokens: 160, answerTokens: 48, maxFaults: 4 },
};

/** All searches, background included, go to the local source, also those that a policy writes as `<web_search>`. */
export const LOCAL_ONLY = {
  retrieval: { source: 'local', honourTags: false },
  background: { source: 'local' },
} as const satisfies SettingsOverride;

/** All searches, background included, go to the web source, for a custom search engine only. */
export const WEB_ONLY = {
  retrieval: { source: 'web', honourTags: false },
  background: { source: 'web' },
} as const satisfies SettingsOverride;
