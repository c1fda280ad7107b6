import { z } from 'zod';

/**
 * An encoder folder, `forage.encoder/1`: `encoder.json` (below), an ONNX file, `tokenizer.json`.
 * The model takes `input_ids` and `attention_mask` (int64, [batch, length]), and `token_type_ids`
 * where it names such an input.
 */
export const ENCODER_FORMAT = 'forage.encoder/1';
export const ENCODER_MANIFEST = 'encoder.json';

export const encoderManifestSchema = z.object({
  format: z.literal(ENCODER_FORMAT),
  /** Name and a prefix of the SHA-256 of the model file: vectors of different ids do not mix. */
  id: z.string(),
  model: z.string(),
  tokenizer: z.string(),
  dimensions: z.number().int().positive(),
  /** Texts are cut after so many tokens. */
  maxTokens: z.number().int().positive(),
  /**
   * How vectors come out of the first output: `none` where the graph pools itself ([batch, d]), the
   * mean over tokens or the first token of [batch, length, d] otherwise.
   */
  pooling: z.enum(['none', 'mean', 'cls']),
  /** Whether to scale vectors to unit length (again). */
  normalize: z.boolean(),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
});

export type EncoderManifest = z.infer<typeof encoderManifestSchema>;
