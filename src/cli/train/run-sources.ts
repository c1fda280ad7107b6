import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { SourceDefault } from '../../records/setup.ts';
import { SPLIT_FIELD } from '../../formats/import/values/split.ts';
import { splitWords, type QuestionSplit } from '../../lab/corpus/retrieval/split.ts';
import { say } from '../shared/command.ts';
import { UsageError } from '../shared/options.ts';
import type { PartsOptions } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';

/**
 * Passages, search engine and questions of a run's own in its record: named by path and SHA-256, so that a
 * run continues with the same ones or says what is missing.
 */

const fileSchema = z.strictObject({ path: z.string(), sha256: z.string() });
type NamedFile = z.infer<typeof fileSchema>;

const count = z.int().min(0);

export const runSourcesSchema = z.strictObject({
  corpus: z
    .strictObject({
      files: z.array(fileSchema).min(1),
      method: z.string(),
      /** Folder; null: the built-in one. */
      encoder: z.string().nullable(),
    })
    .nullable(),
  engine: z
    .strictObject({ kind: z.string(), url: z.string(), calls: z.int().min(1).nullable() })
    .nullable(),
  questions: z
    .strictObject({
      ...fileSchema.shape,
      /** The field that says the split, where one was named. */
      field: z.string().nullable(),
      split: z.strictObject({
        by: z.enum(['field', 'share', 'field+share']),
        seed: count,
        train: count,
        dev: count,
        test: count,
        left: count,
      }),
    })
    .nullable(),
});
export type RunSources = z.infer<typeof runSourcesSchema>;

/** What `openSources` is notified of a run's sources. */
export type SourceParts = Pick<PartsOptions, 'corpus' | 'engine' | 'questions' | 'split'>;

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}.`);
  }
  return hash.digest('hex');
}

const named = async (path: string): Promise<NamedFile> => ({
  path: resolve(path),
  sha256: await sha256Of(path),
});

/**
 * The record of what was named; undefined where nothing is in the world's place.
 * @param split of the questions that were opened
 */
export async function recordSources(
  { corpus, engine, questions, split: by }: SourceParts,
  split: QuestionSplit | null,
): Promise<RunSources | undefined> {
  if (!corpus && !engine && questions === undefined) return undefined;
  return {
    corpus: corpus
      ? {
          files: await Promise.all(corpus.files.map(named)),
          method: corpus.method,
          encoder: corpus.encoder === undefined ? null : resolve(corpus.encoder),
        }
      : null,
    engine: engine
      ? { kind: engine.spec.kind, url: engine.spec.url, calls: engine.calls ?? null }
      : null,
    questions:
      questions === undefined || !split
        ? null
        : { ...(await named(questions)), field: by?.field ?? null, split },
  };
}

/** As `openSources` takes them. */
export const partsOf = ({ corpus, engine, questions }: RunSources): SourceParts => ({
  ...(corpus && {
    corpus: {
      files: corpus.files.map(({ path }) => path),
      method: corpus.method,
      encoder: corpus.encoder ?? builtIn('encoder'),
    },
  }),
  ...(engine && {
    engine: {
      spec: { kind: engine.kind, url: engine.url },
      ...(engine.calls !== null && { calls: engine.calls }),
    },
  }),
  ...(questions && {
    questions: questions.path,
    split: {
      ...(questions.field !== null && { field: questions.field }),
      seed: questions.split.seed,
    },
  }),
});

/** Where files are now, if they were moved. */
export interface Moved {
  corpus?: readonly string[] | undefined;
  questions?: string | undefined;
}

async function checked(
  { path, sha256 }: NamedFile,
  { what, option }: { what: string; option: string },
): Promise<void> {
  const advice = `Put it there again, or name where it is now: ${option} FILE.`;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`The run works with the ${what} of ${path}, which is missing. ${advice}`);
  if ((await sha256Of(path)) !== sha256)
    throw new UsageError(
      `${path} holds other ${what} than the run began with (another SHA-256). ${advice}`,
    );
}

const QUESTIONS = { what: 'questions', option: '--questions' };
const PASSAGES = { what: 'passages', option: '--corpus' };

/**
 * The sources of a run that continues, with files where they are now.
 * @throws UsageError that says which file is missing or another one
 */
export async function foundSources(
  sources: RunSources | undefined,
  moved: Moved,
): Promise<RunSources | undefined> {
  const { corpus, questions } = sources ?? { corpus: null, questions: null };
  if (moved.corpus && moved.corpus.length !== (corpus?.files.length ?? 0))
    throw new UsageError(
      corpus
        ? `The run works with ${corpus.files.length} files of passages, and --corpus names ${moved.corpus.length}; name all of them, in their order.`
        : "The run works with the world's own passages; leave --corpus out.",
    );
  if (moved.questions !== undefined && !questions)
    throw new UsageError("The run asks the world's own questions; leave --questions out.");
  if (!sources) return undefined;
  const at = (file: NamedFile, path: string | undefined): NamedFile =>
    path === undefined ? file : { ...file, path: resolve(path) };
  const found: RunSources = {
    ...sources,
    corpus: corpus && {
      ...corpus,
      files: corpus.files.map((file, i) => at(file, moved.corpus?.[i])),
    },
    questions: questions && { ...questions, ...at(questions, moved.questions) },
  };
  for (const file of found.corpus?.files ?? []) await checked(file, PASSAGES);
  if (found.questions) await checked(found.questions, QUESTIONS);
  return found;
}

/** Where a run searches whose settings name no source: your corpus or engine is searched alone. */
export function defaultSource({ corpus, engine }: SourceParts): SourceDefault | 'web' {
  if (corpus && !engine) return 'local';
  return engine && !corpus ? 'web' : 'recipe';
}

/**
 * Says how the questions were split.
 * @throws UsageError where none is left to train on
 */
export function checkSplit(path: string, split: QuestionSplit, heldOut: number): void {
  if (split.train === 0)
    throw new UsageError(
      `${path}: none of its ${split.dev + split.test + split.left} questions is left to train on (${splitWords(split)}). Add questions, or a field “${SPLIT_FIELD}” that says train.`,
    );
  say(`${path}: ${splitWords(split)}.`);
  if (split.dev === 0 && heldOut > 0)
    say(
      `warning: no question is held out, so that no step says how well the policy does; add some with ${SPLIT_FIELD}: dev.`,
    );
}
