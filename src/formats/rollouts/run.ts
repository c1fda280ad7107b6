import { importRollouts, ImportError, type ImportItem } from './import.ts';
import { LAYOUTS } from './importers/list.ts';
import { inStepOrder } from './shape/names.ts';

/** A run out of one file, or of the many that a trainer writes, one per step. */

export interface RunFile {
  /** Unique within the run; ids of rollouts begin with it. */
  name: string;
  blob: Blob;
}

/**
 * An item and the file it lies in, which is left out where there is one only. A file that cannot be read
 * at all is a fault at line 0 where others can.
 */
export type RunItem = ImportItem & { file?: string };

const EXPECTED = `Expected are JSON lines, a list in JSON, or parquet, packed by gzip or not, in a layout that is known: ${LAYOUTS.join(', ')}.`;

/** Items of one file of several, under the run's name. */
async function* itemsOf({ name, blob }: RunFile, run: string): AsyncGenerator<RunItem> {
  try {
    for await (const item of importRollouts(blob, name))
      yield item.kind === 'rollout' && item.rollout.origin
        ? { ...item, file: name, rollout: { ...item.rollout, runId: run } }
        : { ...item, file: name };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    yield { kind: 'fault', line: 0, bytes: blob.size, reason: error.message, file: name };
  }
}

async function* itemsOfAll(files: readonly RunFile[], run: string): AsyncGenerator<RunItem> {
  let before = 0;
  for (const file of inStepOrder(files)) {
    for await (const item of itemsOf(file, run)) yield { ...item, bytes: before + item.bytes };
    before += file.blob.size;
  }
}

/** Why there is nothing to show, in one sentence and what was expected. */
function nothing(run: string, files: number, first: RunItem | null): ImportError {
  if (!first)
    return new ImportError(`${run} holds no rollouts: it has no records at all. ${EXPECTED}`);
  if (first.kind === 'fault' && first.line === 0)
    return new ImportError(`None of the ${files} files of ${run} can be read: ${first.reason}`);
  const reason = first.kind === 'fault' ? first.reason : '';
  const where = `${first.file === undefined ? '' : `${first.file} `}line ${first.line}`;
  // Where the layout is at fault, those that are known are named already.
  const expected = /\bexpected\b/.test(reason) ? '' : ` ${EXPECTED}`;
  return new ImportError(`${run} holds no rollouts: ${where} ${reason}.${expected}`);
}

/** Recognises files of questions and passages, which are often next to those of rollouts. */

/**
 * Content of a file for the Corpus page, and where to open it; null for other files.
 * Any text can be cut into passages, so prose does not count.
 */
export async function elsewhere(blob: Blob, name: string): Promise<string | null> {
  // Loaded where it is needed: most files are rollouts.
  const { previewImport } = await import('../import/collect.ts');
  const { itemSchema } = await import('../import/schemas/list.ts');
  try {
    const { format, questions, passages } = await previewImport(blob, { items: 1, name });
    const none = questions.length + passages.length === 0;
    if (format.schema === 'prose' || none) return null;
    const schema = itemSchema(format.schema);
    const option = format.kind === 'questions' ? '--questions' : '--corpus';
    return `holds ${schema.holds ?? schema.name} and no rollouts. Open it under Corpus, or give it to “lab rollout” or “lab evaluate” as ${option}.`;
  } catch {
    return null;
  }
}

/**
 * The rollouts of a run's files in the order of its steps, and what cannot be read of them.
 *
 * @param run its name: that of the file where there is one
 * @throws ImportError where there is no rollout in any of them; the message says what they are
 */
export async function* importRun(
  files: readonly RunFile[],
  run: string,
): AsyncGenerator<RunItem, void> {
  const only = files.length === 1 ? files[0] : undefined;
  const items = only ? importRollouts(only.blob, run) : itemsOfAll(files, run);
  let rollouts = 0;
  let first: RunItem | null = null;
  try {
    for await (const item of items) {
      if (item.kind === 'rollout') rollouts += 1;
      else first ??= item;
      yield item;
    }
    if (rollouts === 0) throw nothing(run, files.length, first);
  } catch (error) {
    // Its records are something: perhaps what other pages read.
    const known = only && first && rollouts === 0 && error instanceof ImportError;
    const partial = first?.kind === 'fault' && first.partial;
    const other = known && !partial ? await elsewhere(only.blob, only.name) : null;
    throw other === null ? error : new ImportError(`${run} ${other}`);
  }
}
