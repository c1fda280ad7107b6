import { z } from 'zod';
import { QUESTION_TYPES } from '../../records/records.ts';

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
  /** `superset`: the web holds every local page, too. Absent: each corpus has pages of its own. */
  web: z.literal('superset').optional(),
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
  betterQuery: z.string().optional(),
  source: z.enum(['local', 'web', 'both']).optional(),
  passageIds: z.array(z.string()).optional(),
  date: z.number().int().optional(),
  rivals: z
    .array(
      z.object({
        object: z.string(),
        passageId: z.string(),
        why: z.enum(['stale', 'contradicting', 'namesake']),
        date: z.number().int().optional(),
      }),
    )
    .optional(),
});

export const worldQuestionSchema = z.object({
  id: z.string(),
  text: z.string(),
  answers: z.array(z.string()),
  type: z.enum(QUESTION_TYPES).optional(),
  hops: z.number().int().positive().optional(),
  supporting: z.array(z.string()),
  chain: z.array(chainStepSchema).optional(),
  composition: z.string().optional(),
  localSuffices: z.boolean().optional(),
  difficulty: z.string().optional(),
  needs: z.enum(['search', 'background', 'nothing', 'refusal', 'clarification']).optional(),
  options: z.array(z.string()).optional(),
  mayRetrieve: z.boolean().optional(),
  summary: z.array(z.string()).optional(),
  clarification: z.object({ ask: z.string(), reply: z.string() }).optional(),
  missing: z.object({ subject: z.string(), relation: z.string(), query: z.string() }).optional(),
  split: z.enum(['train', 'dev', 'test']).optional(),
});

/** A question of a world, with the split that it belongs to. */
export type WorldQuestion = z.infer<typeof worldQuestionSchema>;
