import { z } from 'zod';

/**
 * A world folder, `forage.world/1`: `manifest.json` (below), `local.json` (passage rows),
 * `questions.json`, `vectors.f16` (optional) and the static web index under `web/`.
 */
export const WORLD_FORMAT = 'forage.world/1';
export const MANIFEST_FILE = 'manifest.json';
export const LOCAL_FILE = 'local.json';
export const QUESTIONS_FILE = 'questions.json';
export const VECTORS_FILE = 'vectors.f16';

const count = z.number().int().nonnegative();

const fileEntry = z.object({
  bytes: count,
  /** SHA-256 of the file, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const worldManifestSchema = z.object({
  format: z.literal(WORLD_FORMAT),
  seed: z.number().int(),
  counts: z.object({ local: count, web: count, questions: count }),
  /** Every file but the manifest itself. */
  files: z.record(z.string(), fileEntry),
  /** Row i of `vectors.f16` is the vector of local passage i. */
  vectors: z
    .object({
      dimensions: z.number().int().positive(),
      /** Id of the encoder that made them; a query must be encoded by the same one. */
      encoder: z.string(),
    })
    .nullable(),
});

export type WorldManifest = z.infer<typeof worldManifestSchema>;

const chainStepSchema = z.object({
  subject: z.string(),
  relation: z.string(),
  object: z.string(),
  title: z.string(),
  passageId: z.string(),
  query: z.string(),
});

export const worldQuestionSchema = z.object({
  id: z.string(),
  text: z.string(),
  answers: z.array(z.string()),
  type: z.enum(['bridge', 'comparison', 'intersection', 'yesno', 'summary']).exactOptional(),
  hops: z.number().int().positive().exactOptional(),
  supporting: z.array(z.string()),
  chain: z.array(chainStepSchema).exactOptional(),
  composition: z.string().exactOptional(),
  localSuffices: z.boolean().exactOptional(),
  difficulty: z.string().exactOptional(),
  split: z.enum(['train', 'dev', 'test']).exactOptional(),
});

/** A question of a world, with the split that it belongs to. */
export type WorldQuestion = z.infer<typeof worldQuestionSchema>;
