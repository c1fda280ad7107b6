import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { issueOf, messageOf } from '../../base/errors.ts';
import {
  EXPERIMENT_SCHEMA,
  filesDigest,
  parseExperiment,
  TOKENIZER_FILES,
  type Experiment,
} from '../../handover/environment/experiment.ts';
import { asWord } from '../../systems/index.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { worldQuestionSchema, type WorldQuestion } from '../../retrieval/world/manifest.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { UsageError } from '../shared/options.ts';
import { openFolder, type OpenSources, type PartsOptions } from '../shared/parts.ts';

/** Experiments on disk: read and checked, or described from the options of the command line. */

const readOptional = async (path: string): Promise<Uint8Array | null> => {
  try {
    return new Uint8Array(await readFile(path));
  } catch {
    return null;
  }
};

const readAll = (paths: readonly string[]): Promise<Uint8Array[]> =>
  Promise.all(
    paths.map(async (path) => {
      try {
        return new Uint8Array(await readFile(path));
      } catch (error) {
        throw new UsageError(`${path} cannot be read: ${messageOf(error)}.`);
      }
    }),
  );

/** `filesDigest` of what makes a checkpoint's tokens. @throws UsageError where it has no tokenizer.json */
async function tokenizerDigest(folder: string): Promise<string> {
  const found = await Promise.all(TOKENIZER_FILES.map((name) => readOptional(join(folder, name))));
  if (!found[0]) throw new UsageError(`${folder} has no ${TOKENIZER_FILES[0]}.`);
  return filesDigest(found.filter((bytes) => bytes !== null));
}

/**
 * Reads `experiment.json`, its paths made whole, and checks that the files are those that it was written with.
 * @throws UsageError that names what is wrong
 */
export async function readExperiment(file: string): Promise<Experiment> {
  const [bytes] = await readAll([file]);
  let experiment: Experiment;
  try {
    experiment = parseExperiment(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}.`);
  }
  const at = (path: string): string => resolve(dirname(file), path);
  const { policy, world, corpus, questions } = experiment;
  const whole: Experiment = {
    ...experiment,
    policy: { ...policy, tokenizer: at(policy.tokenizer) },
    world: { ...world, folder: world.folder === null ? null : at(world.folder) },
    corpus: corpus && {
      ...corpus,
      files: corpus.files.map(at),
      encoder: corpus.encoder === null ? null : at(corpus.encoder),
    },
    questions: questions && { ...questions, file: at(questions.file) },
  };
  await checkDigests(whole, file);
  return whole;
}

async function checkDigests(
  { policy, corpus, questions }: Experiment,
  file: string,
): Promise<void> {
  const check = (what: string, given: string, found: string): void => {
    if (given !== found)
      throw new UsageError(
        `${what} has changed since ${file} was written; export the experiment again, or restore the file.`,
      );
  };
  check(policy.tokenizer, policy.digest, await tokenizerDigest(policy.tokenizer));
  if (corpus)
    check(corpus.files.join(', '), corpus.digest, await filesDigest(await readAll(corpus.files)));
  if (questions)
    check(questions.file, questions.digest, await filesDigest(await readAll([questions.file])));
}

/** Options of the command line besides the settings. */
export interface Named extends Pick<PartsOptions, 'world' | 'corpus' | 'engine' | 'questions'> {
  policy?: string | undefined;
  /** Most tokens of a context; the checkpoint's own limit by default, as far as Forage goes. */
  maxContext?: number | undefined;
}

/** The experiment that options describe. @throws UsageError, CheckpointError */
export async function describeExperiment(
  settings: TrainSettings,
  { policy, maxContext, world, corpus, engine, questions }: Named,
  { world: opened }: Pick<OpenSources, 'world'>,
): Promise<Experiment> {
  const checkpoint = await openFolder(policy);
  const own = checkpoint.config.maxPositions;
  if (maxContext !== undefined && maxContext > own)
    throw new UsageError(
      `--max-context is ${maxContext}; the checkpoint's limit is ${own} tokens.`,
    );
  return {
    schema: EXPERIMENT_SCHEMA,
    runId: `${asWord(settings.preset)}-${settings.seed}`,
    settings,
    policy: {
      id: checkpoint.id,
      revision: await folderRevision(checkpoint),
      vocabulary: checkpoint.config.vocabSize,
      maxContext: maxContext ?? checkpoint.limits.maxContext,
      tokenizer: checkpoint.path,
      digest: await tokenizerDigest(checkpoint.path),
    },
    world: {
      folder: typeof world === 'string' ? resolve(world) : null,
      seed: opened.manifest.seed,
    },
    corpus: corpus
      ? {
          files: corpus.files.map((file) => resolve(file)),
          method: corpus.method,
          encoder: corpus.encoder === undefined ? null : resolve(corpus.encoder),
          digest: await filesDigest(await readAll(corpus.files)),
        }
      : null,
    engine: engine ? engine.spec : null,
    questions:
      questions === undefined
        ? null
        : { file: resolve(questions), digest: await filesDigest(await readAll([questions])) },
    curriculum: null,
    run: null,
  };
}

/** The questions of an experiment's file. @throws UsageError that names the line at fault */
export async function readExperimentQuestions(file: string): Promise<WorldQuestion[]> {
  const [bytes] = await readAll([file]);
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      return worldQuestionSchema.parse(JSON.parse(line));
    } catch (error) {
      const why = error instanceof z.ZodError ? issueOf(error) : messageOf(error);
      throw new UsageError(`${file}: line ${i + 1} is not a valid question: ${why}.`);
    }
  });
}
