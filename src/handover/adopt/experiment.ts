import { z } from 'zod';
import { issueOf, messageOf } from '../../base/errors.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import { AdoptError, EXPERIMENT, type AdoptFolder } from './folder.ts';

/** What adopting needs of `experiment.json`, schema `forage.experiment/1`. */
const schema = z.object({
  schema: z.literal('forage.experiment/1'),
  runId: z.string().min(1).max(200),
  /** Folders that were exported earlier also name the version of their recipe, which decides nothing any more. */
  settings: z.looseObject({ recipeVersion: z.unknown().optional() }),
  policy: z.object({
    id: z.string(),
    /** Beginning of the SHA-256 of its weights. */
    revision: z.string(),
    vocabulary: z.int().min(1),
    folder: z.string().nullish(),
  }),
  world: z.object({
    folder: z.string().nullable(),
    seed: z.int(),
  }),
  questions: z.object({ train: z.int().min(0).default(0) }).nullish(),
  corpus: z.unknown(),
  engine: z.unknown(),
  /** The curriculum before the first step there. */
  curriculum: z.json().nullish(),
  /** The adapter that training began from. */
  adapter: z.object({ folder: z.string(), digest: z.string() }).nullish(),
  run: z.object({ id: z.string(), step: z.int().min(0) }).nullish(),
  trainer: z.object({ name: z.string() }).nullish(),
  /** Of an adapter that is published without its run: a name, and as text how it was trained. */
  published: z.object({ name: z.string(), before: z.array(z.string()).min(1) }).nullish(),
});

export interface AdoptedExperiment extends Omit<z.infer<typeof schema>, 'settings'> {
  settings: TrainSettings;
  /** Steps that were made before it went there. */
  startStep: number;
}

/** @throws AdoptError that names the field at fault */
export async function readExperiment(folder: AdoptFolder): Promise<AdoptedExperiment> {
  const text = (await folder.text(EXPERIMENT)) ?? '';
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(issueOf(parsed.error, 'it'));
    const { settings: exported, ...rest } = parsed.data;
    const { recipeVersion: _, ...settings } = exported;
    return { ...rest, settings: parseTrainSettings(settings), startStep: rest.run?.step ?? 0 };
  } catch (error) {
    throw new AdoptError(
      `${EXPERIMENT} cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : messageOf(error)}. ` +
        'Replace it with the file of the exported folder.',
    );
  }
}

/** How the trainer counts: its optimizer steps, or whole steps. */
export type Counting = 'updates' | 'steps';

/** Forage's step of one that the trainer counts from 1. */
export const stepOf = (
  { settings, startStep }: Pick<AdoptedExperiment, 'settings' | 'startStep'>,
  counted: number,
  by: Counting,
): number => startStep + (by === 'steps' ? counted : Math.ceil(counted / settings.updates));
