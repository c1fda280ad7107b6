import { z } from 'zod';
import { trainSettingsSchema } from '../../recipes/training.ts';
import { WITHOUT } from './mapping/mapping.ts';

/** `experiment.json` of an exported folder: what the trainer, the environment and a reader go by. */

export const TRAINERS = ['trl', 'verl'] as const;
/** Who trains. */
export type Trainer = (typeof TRAINERS)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

export const experimentFileSchema = z.object({
  format: z.literal('forage.experiment/1'),
  name: z.string(),
  /** Version of Forage that wrote it. */
  forage: z.string(),
  settings: trainSettingsSchema,
  /** Parts that were left out of the settings. */
  without: z.array(z.enum(WITHOUT)),
  policy: z.object({
    id: z.string(),
    revision: z.string(),
    folder: z.string().nullable(),
    maxContext: count,
    vocabulary: count,
  }),
  world: z.object({ folder: z.string().nullable(), seed: z.int() }),
  elsewhere: z.string().nullable(),
  questions: z.object({ file: z.string(), sha256, train: count, heldOut: count }),
  adapter: z.object({ folder: z.string(), sha256 }).nullable(),
  run: z.object({ id: z.string(), step: count, curriculum: z.json() }).nullable(),
  trainer: z.object({
    name: z.enum(TRAINERS),
    /** Packages and the versions that they are pinned to. */
    versions: z.record(z.string(), z.string()),
    /** Rows of the training set, each a question of a step. */
    rows: count,
    arguments: z.record(z.string(), z.json()),
    notes: z.array(z.object({ setting: z.string(), text: z.string() })),
  }),
});
export type ExperimentFile = z.infer<typeof experimentFileSchema>;
