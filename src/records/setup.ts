import { z } from 'zod';

/**
 * What a run works with, as data: which policy, which passages, which search engine, which helpers.
 * Validated wherever it enters (address, form, stored preference). Ids name what is stored on this
 * device; API keys are never part of it.
 */

const id = z.string().min(1).max(200);

/** An OpenAI-compatible server. */
export const endpointSchema = z.strictObject({
  id,
  /** Base address, such as `http://localhost:8080/v1`. */
  url: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1).max(200),
  /**
   * `completions` takes one text; `chat` messages in turns; `chat-continue` messages whose last is the
   * beginning of the assistant's turn (llama.cpp and Ollama do so, vLLM and SGLang where asked to).
   */
  api: z.enum(['chat', 'chat-continue', 'completions']),
  /** Most tokens of one context, as the user states it: servers do not tell. */
  maxContext: z.int().min(256).max(10_000_000),
});

/** A WebLLM model that is not in the library's own list. */
export const webLlmModelSchema = z.strictObject({
  id,
  /** Folder of the weights: `mlc-chat-config.json`, `ndarray-cache.json`, shards, tokenizer. */
  weights: z.url({ protocol: /^https?$/ }),
  /** The compiled library, a `.wasm` file. */
  library: z.url({ protocol: /^https?$/ }),
  maxContext: z.int().min(256).max(10_000_000),
});

/** A part that comes with the page. */
const builtInSchema = z.strictObject({ kind: z.literal('built-in') });

const policyRefSchema = z.discriminatedUnion('kind', [
  builtInSchema,
  /** A checkpoint stored on this device: samples and trains. */
  z.strictObject({ kind: z.literal('checkpoint'), id }),
  /** A WebLLM model by its id in the model list: samples only. */
  z.strictObject({ kind: z.literal('webllm'), id }),
  z.strictObject({ kind: z.literal('endpoint'), id }),
]);

/** The local source, searched by one of `methods`. */
const localSpecSchemaOf = (methods: readonly string[]) =>
  z.discriminatedUnion('kind', [
    /** `method`: how it is searched; words and vectors fused, as it is shipped, where absent. */
    z.strictObject({ kind: z.literal('built-in'), method: z.enum(methods).optional() }),
    z.strictObject({
      kind: z.literal('collections'),
      ids: z.array(id).min(1).max(50),
      method: z.enum(methods),
      /** `built-in`, or the id of a stored encoder; lexical search needs none. */
      encoder: id,
      /** Id of a stored cross-encoder that orders what was found again. */
      reranker: id.nullable(),
    }),
  ]);

const address = z.url({ protocol: /^https?$/ });

/** The web source: a search engine of one of the kinds `engines`, by its address. */
export const webSpecSchemaOf = (engines: readonly string[]) =>
  z.discriminatedUnion('kind', [
    builtInSchema,
    /** `url`: address of the call, or of the instance, as the kind wants it. */
    z.strictObject({ kind: z.enum(engines), url: address }),
  ]);

/**
 * Source of searches that do not name one. `recipe`: as in the recipe; `local`: only the local source, for an imported
 * corpus that the built-in web does not cover.
 */
export const SOURCE_DEFAULTS = ['recipe', 'local'] as const;

/** Where the listed questions come from. */
const questionsSpecSchema = z.discriminatedUnion('kind', [
  builtInSchema,
  z.strictObject({ kind: z.literal('collections'), ids: z.array(id).min(1).max(50) }),
]);

/** Who summarizes passages for the policy (UR², hybrid knowledge access). */
const summarizerSpecSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('off') }),
  z.strictObject({ kind: z.literal('extractive') }),
  z.strictObject({ kind: z.literal('model'), policy: policyRefSchema }),
]);

/** Who judges answers (LJ). */
const judgeSpecSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('off') }),
  z.strictObject({ kind: z.literal('model'), policy: policyRefSchema }),
]);

/** A setup that searches by one of `methods` and asks one of `engines`: `src/retrieval/setup.ts` has them. */
export const setupSchemaOf = (methods: readonly string[], engines: readonly string[]) =>
  z.strictObject({
    policy: policyRefSchema,
    local: localSpecSchemaOf(methods),
    web: webSpecSchemaOf(engines),
    /** What is stored or carried without it was made when every run searched as its recipe says. */
    source: z.enum(SOURCE_DEFAULTS).default('recipe'),
    questions: questionsSpecSchema.default({ kind: 'built-in' }),
    summarizer: summarizerSpecSchema,
    judge: judgeSpecSchema,
  });

export type Endpoint = z.infer<typeof endpointSchema>;
export type WebLlmModel = z.infer<typeof webLlmModelSchema>;
export type PolicyRef = z.infer<typeof policyRefSchema>;
export type LocalSpec = z.infer<ReturnType<typeof localSpecSchemaOf>>;
export type WebSpec = z.infer<ReturnType<typeof webSpecSchemaOf>>;
export type SourceDefault = (typeof SOURCE_DEFAULTS)[number];
export type QuestionsSpec = z.infer<typeof questionsSpecSchema>;
export type SummarizerSpec = z.infer<typeof summarizerSpecSchema>;
export type Setup = z.infer<ReturnType<typeof setupSchemaOf>>;

export const BUILT_IN_SETUP: Setup = {
  policy: { kind: 'built-in' },
  local: { kind: 'built-in' },
  web: { kind: 'built-in' },
  source: 'recipe',
  questions: { kind: 'built-in' },
  summarizer: { kind: 'off' },
  judge: { kind: 'off' },
};

/** Servers and models that the user named; what a `PolicyRef` refers to. */
export const resourcesSchema = z.strictObject({
  endpoints: z.array(endpointSchema).max(100),
  webllm: z.array(webLlmModelSchema).max(100),
  /** Where WebLLM takes weights and libraries from instead of their own places; empty: there. */
  mirror: z.strictObject({
    weights: z.url({ protocol: /^https?$/ }).optional(),
    libraries: z.url({ protocol: /^https?$/ }).optional(),
  }),
});

export type Resources = z.infer<typeof resourcesSchema>;

export const NO_RESOURCES: Resources = { endpoints: [], webllm: [], mirror: {} };
