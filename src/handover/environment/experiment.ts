import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { canonical, sha256 } from '../../base/hash.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/**
 * `experiment.json` of an exported folder, schema `forage.experiment/1`: what the environment needs of it.
 * An export writes more beside it (versions, refusals, the trainer's arguments); that is not read here.
 * Paths are relative to the folder of the file.
 */
export const EXPERIMENT_SCHEMA = 'forage.experiment/1';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256');

const experimentSchema = z.object({
  schema: z.literal(EXPERIMENT_SCHEMA),
  /** Names the run in records, as `runId` of `forage.rollout/1`. */
  runId: z.string().min(1).max(200),
  /** `forage.train/1`: recipe and overrides, seed, steps, questions, groupSize, stages, curriculum … */
  settings: z.unknown(),
  /** The checkpoint whose tokens are spoken. No weights are read. */
  policy: z.object({
    /** Names the checkpoint in records. */
    id: z.string().min(1),
    revision: z.string(),
    /** Ids are below this: `vocab_size` of config.json. */
    vocabulary: z.int().min(1),
    /** Maximum tokens per context: the limit of the trainer's engine. */
    maxContext: z.int().min(64),
    /** Folder with those of `TOKENIZER_FILES` that the checkpoint has. */
    tokenizer: z.string(),
    /** `filesDigest` of them. */
    digest,
  }),
  /** World folder; null: the built-in one. Its seed tells another world of the same name. */
  world: z.object({
    folder: z.string().nullable(),
    seed: z.int(),
  }),
  /** Files of passages used instead of the world's local corpus; null: the world's. */
  corpus: z
    .object({
      files: z.array(z.string()).min(1),
      /** How they are searched, such as `lexical`. */
      method: z.string(),
      /** Folder of an encoder; null: the built-in one. */
      encoder: z.string().nullable(),
      /** `filesDigest` of them. */
      digest,
    })
    .nullable(),
  /** A search engine in place of the world's web; null: the world's. */
  engine: z.object({ kind: z.string(), url: z.string() }).nullable(),
  /**
   * File of questions as a world holds them (`id`, `text`, `answers`, `supporting`, `split` …), one JSON a
   * line; null: the world's. `train` are drawn; of `dev` the held-out sample is taken.
   */
  questions: z
    .object({
      file: z.string(),
      /** `filesDigest` of it. */
      digest,
    })
    .nullable(),
  /** State of the curriculum where the run already drew or scored; null: from the start. */
  curriculum: z.json().nullable(),
  /** The run that is continued: its steps so far. Draws and steps are counted over the whole of it. */
  run: z
    .object({ step: z.int().min(0) })
    .nullable()
    .default(null),
});

export type Experiment = Omit<z.infer<typeof experimentSchema>, 'settings'> & {
  settings: TrainSettings;
};

/** @throws Error of one line that names the field at fault */
export function parseExperiment(json: unknown): Experiment {
  const parsed = experimentSchema.safeParse(json);
  if (!parsed.success) throw new Error(`experiment: ${issueOf(parsed.error)}`);
  return { ...parsed.data, settings: parseTrainSettings(parsed.data.settings) };
}

/** What makes the tokens and the chat template of a checkpoint, in the order of the digest. */
export const TOKENIZER_FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'generation_config.json',
  'chat_template.jinja',
] as const;

/** SHA-256 of the SHA-256 of files in their order, a line each. Their names do not count. */
export async function filesDigest(contents: readonly Uint8Array[]): Promise<string> {
  const each = await Promise.all(contents.map((bytes) => sha256(bytes)));
  return sha256(each.map((hex) => `${hex}\n`).join(''));
}

/**
 * SHA-256 of what makes the environment the same: settings, tokens, questions, passages. Paths, addresses
 * and names of the run are left out: another machine has others.
 */
export function environmentHash(experiment: Experiment): Promise<string> {
  const { settings, policy, world, corpus, engine, questions, curriculum } = experiment;
  return sha256(
    canonical({
      schema: EXPERIMENT_SCHEMA,
      settings,
      policy: {
        vocabulary: policy.vocabulary,
        maxContext: policy.maxContext,
        digest: policy.digest,
      },
      world: world.seed,
      corpus: corpus && { method: corpus.method, digest: corpus.digest },
      engine: engine?.kind ?? null,
      questions: questions?.digest ?? null,
      curriculum,
    }),
  );
}
