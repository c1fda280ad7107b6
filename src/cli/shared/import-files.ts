import { existsSync, openAsBlob, statSync } from 'node:fs';
import { basename } from 'node:path';
import { importAll, type Imported } from '../../formats/import/collect.ts';
import { KnownItems } from '../../formats/import/values/known.ts';
import type { Passage } from '../../records/records.ts';
import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { withManifest } from '../../retrieval/encoder/sentence-transformers.ts';
import { localMethod } from '../../retrieval/methods/list.ts';
import { openLocalSource } from '../../retrieval/open-local.ts';
import type { Source } from '../../retrieval/sources.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { splitQuestions, type SplitQuestions } from '../../lab/corpus/retrieval/split.ts';
import { openOrtFromDisk } from './build-world.ts';
import { diskFolder } from './disk-folder.ts';
import { UsageError } from './options.ts';
import { messageOf } from '../../base/errors.ts';

/** The user's corpora and questions, in every format that the Corpus page imports. */

type Say = (line: string) => void;

async function readFile(
  path: string,
  known: KnownItems,
  say: Say,
  splitField?: string,
): Promise<Imported> {
  if (!existsSync(path) || !statSync(path).isFile())
    throw new UsageError(`${path} is not a readable file.`);
  let imported: Imported;
  known.file = path;
  try {
    imported = await importAll(await openAsBlob(path), {
      name: basename(path),
      known,
      splitField,
    });
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`);
  }
  const { rejected, progress } = imported;
  const [first] = rejected;
  if (first) {
    const where = first.line === null ? `item ${first.item + 1}` : `line ${first.line}`;
    const at = first.key === '' ? '' : ` ${first.key}`;
    say(`${path}: ${progress.rejected} rejected, the first at ${where}${at}: ${first.expected}`);
  }
  return imported;
}

/** Passages of files, each once. @throws UsageError where a file cannot be read or none holds a passage */
export async function readCorpus(paths: readonly string[], say: Say): Promise<Passage[]> {
  const known = new KnownItems();
  const passages: Passage[] = [];
  for (const path of paths) {
    const imported = await readFile(path, known, say);
    for (const { passage } of imported.passages) passages.push(passage);
  }
  if (passages.length === 0) throw new UsageError(`${paths.join(', ')}: no passages found.`);
  return passages;
}

/** How the questions of a file are split. */
export interface SplitBy {
  /** Path of the field that says so; `split` by default. */
  field?: string | undefined;
  /** Seed of the random split where no field gives one; 0, as on the page. */
  seed?: number | undefined;
}

/**
 * Questions of a file, in its order, each with its split: the one that the page gives it, unless
 * another field or seed is named.
 * @throws UsageError where the file cannot be read, holds no question, or lacks the field that was named
 */
export async function readQuestions(
  path: string,
  say: Say,
  { field, seed = 0 }: SplitBy = {},
): Promise<SplitQuestions<WorldQuestion>> {
  const { questions } = await readFile(path, new KnownItems(), say, field);
  if (questions.length === 0) throw new UsageError(`${path}: no questions found.`);
  if (field !== undefined && questions.every(({ split }) => split !== 'train'))
    throw new UsageError(
      `${path}: no question has train (or training) in the field ${field}; name another with --split-field, or leave it out for a random split.`,
    );
  return splitQuestions(questions, seed);
}

/**
 * A source over passages.
 * @param encoder folder of an ONNX encoder; every method that searches vectors uses it
 * @throws UsageError where the folder is none
 */
export async function openCorpus(
  passages: readonly Passage[],
  method: string,
  encoder: string,
  onProgress: Say,
): Promise<Source> {
  const encodes = localMethod(method).dense !== null;
  if (encodes && !existsSync(encoder))
    throw new UsageError(`${encoder} is not the folder of an encoder.`);
  const model =
    method === 'lexical'
      ? null
      : await OnnxEncoder.open(await withManifest(diskFolder(encoder), 'encoder'), openOrtFromDisk);
  const hooks = {
    onProgress: (stage: string, done: number, total: number) =>
      onProgress(`${stage}: ${done}/${total} passages`),
  };
  return (await openLocalSource(passages, { method }, { encoder: model }, hooks)).source;
}
