import { z } from 'zod';

/**
 * An encoder folder, `forage.encoder/1`: `encoder.json` (below), an ONNX file, `tokenizer.json`.
 * The model takes `input_ids` and `attention_mask` (int64, [batch, length]), and `token_type_ids`
 * where it names such an input.
 */
export const ENCODER_FORMAT = 'forage.encoder/1';
export const ENCODER_MANIFEST = 'encoder.json';

/** A cross-encoder folder, `forage.reranker/1`, with `reranker.json`. */
export const RERANKER_FORMAT = 'forage.reranker/1';
export const RERANKER_MANIFEST = 'reranker.json';

/** How texts become ids, the same in both kinds of folder. */
const textFields = {
  /** Name and a prefix of the SHA-256 of the model file: vectors of different ids do not mix. */
  id: z.string().min(1),
  model: z.string().min(1),
  tokenizer: z.string().min(1),
  /** Texts are cut after this many tokens, special tokens included. */
  maxTokens: z.int().positive(),
  /** Id of padding. Its mask is 0, so it matters only where positions are counted from the ids. */
  padId: z.int().nonnegative().default(0),
  /** Whether texts are lower-cased before the tokenizer sees them (it may do so itself). */
  lowerCase: z.boolean().default(false),
};

export const encoderManifestSchema = z.object({
  format: z.literal(ENCODER_FORMAT),
  ...textFields,
  dimensions: z.int().positive(),
  /**
   * How vectors come out of the model: `none` where the graph pools itself ([batch, d]), else from
   * [batch, length, d] the mean over tokens, the greatest of each dimension, the first or the last token.
   */
  pooling: z.enum(['none', 'mean', 'max', 'cls', 'last']),
  /** Name of the output that is pooled; the first one by default. */
  output: z.string().optional(),
  /** Whether to scale vectors to unit length (again). */
  normalize: z.boolean(),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  /** Whether the tokenizer's own template ([CLS] … [SEP], <s> … </s>) goes around texts. */
  specialTokens: z.boolean().default(false),
  /**
   * How passages and queries are written: `forage` as the built-in encoder was trained (a space in
   * front, `title : text`), `plain` as most others were (`title text`).
   */
  layout: z.enum(['forage', 'plain']).default('forage'),
});

export type EncoderManifest = z.infer<typeof encoderManifestSchema>;
/** As it is written in a file: fields with a default may be left out. */
export type EncoderManifestFile = z.input<typeof encoderManifestSchema>;

export const rerankerManifestSchema = z.object({
  format: z.literal(RERANKER_FORMAT),
  ...textFields,
  /**
   * Logits of a pair: one is the score itself; of two, the score is how far the second ("relevant")
   * lies above the first.
   */
  labels: z.union([z.literal(1), z.literal(2)]).default(1),
  /** Name of the output that holds them; the first one by default. */
  output: z.string().optional(),
});

export type RerankerManifest = z.infer<typeof rerankerManifestSchema>;
export type RerankerManifestFile = z.input<typeof rerankerManifestSchema>;
