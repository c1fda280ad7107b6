import {
  checkGroup,
  openParquet,
  readRows,
  reasonOf,
  type ParquetFile,
} from '../../parquet/read.ts';
import { itemAt } from '../../../base/items.ts';
import { formatOf, schemaOf } from '../schemas/list.ts';
import { questionColumns } from '../values/columns.ts';
import { ImportError, type Format, type RawItem, type ResumePosition } from '../values/types.ts';

/** Columns that a question of verl is read from; `prompt` is long and only read where `question` is missing. */
const WANTED = ['id', 'data_source', 'question', 'golden_answers', 'reward_model', 'extra_info'];
/** Rows that are turned into objects at a time. */
const ROWS = 20_000;

/** @throws ImportError where the file has no readable footer */
async function opened(blob: Blob): Promise<ParquetFile> {
  try {
    return await openParquet(blob);
  } catch (error) {
    throw new ImportError(`expected a whole parquet file: ${reasonOf(error)}`);
  }
}

const rowOf = (columns: readonly string[]): Record<string, null> =>
  Object.fromEntries(columns.map((name) => [name, null]));

/** Our names of the columns; published benchmarks have others. */
const namesOf = (columns: readonly string[]): readonly string[] =>
  schemaOf(rowOf(columns)) ? columns : questionColumns(columns);

/**
 * The schema of a file's rows, by its columns.
 * @throws ImportError where footer or schema cannot be read, or no column holds questions or passages
 */
export async function parquetFormat(blob: Blob): Promise<Format> {
  const { columns } = await opened(blob);
  const has = (name: string): boolean => columns.includes(name);
  const asked = has('question') || has('prompt');
  const schema =
    asked && (has('reward_model') || has('golden_answers'))
      ? 'verl'
      : schemaOf(rowOf(namesOf(columns)))?.id;
  if (schema === undefined && !asked)
    throw new ImportError(
      `expected a parquet column \`question\` or \`prompt\`, or \`text\` or \`contents\` for passages; the columns are ${columns.join(', ')}`,
    );
  return formatOf('parquet', schema ?? 'verl');
}

/** The columns that are read, with our names. */
function columnsOf({ columns }: ParquetFile, { schema }: Format): ReadonlyMap<string, string> {
  const plain = (names: readonly string[]) => new Map(names.map((name) => [name, name]));
  if (schema !== 'verl')
    return new Map(namesOf(columns).map((name, i) => [itemAt(columns, i), name]));
  const known = WANTED.filter((name) => columns.includes(name));
  if (columns.includes('question')) return plain(known);
  if (columns.includes('prompt')) return plain([...known, 'prompt']);
  throw new ImportError('expected a parquet column `question` or `prompt`');
}

/** Number of rows as the row groups state it. */
export async function parquetRows(blob: Blob): Promise<number> {
  return (await opened(blob)).groups.reduce((a, b) => a + b, 0);
}

/**
 * Rows of a parquet file as objects, row group by row group. A row group that cannot be read is one problem.
 * @throws ImportError where footer or schema cannot be read, or no column holds questions
 */
export async function* parquetItems(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
): AsyncGenerator<RawItem, void> {
  const file = await opened(blob);
  const names = columnsOf(file, format);
  const columns = [...names.keys()];
  const named = (row: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [names.get(name) ?? name, value]),
    );
  const total = file.groups.reduce((sum, rows) => sum + rows, 0);
  const place = (row: number): Omit<RawItem, 'value' | 'problem'> => ({
    item: row,
    line: null,
    bytes: Math.round((blob.size * (row + 1)) / total),
    next: { format, offset: 0, line: 1, item: row + 1 },
  });
  let groupStart = 0;
  for (const [group, count] of file.groups.entries()) {
    const groupEnd = groupStart + count;
    let checked = false;
    for (let at = groupStart; at < groupEnd; at += ROWS) {
      signal?.throwIfAborted();
      const end = Math.min(groupEnd, at + ROWS);
      const skip = Math.max(0, (resume?.item ?? 0) - at);
      if (at + skip >= end) continue;
      try {
        if (!checked) await checkGroup(file, group, columns);
        checked = true;
        const rows = await readRows(file, columns, at, end);
        for (const [i, value] of rows.slice(skip).entries())
          yield { ...place(at + skip + i), value: named(value) };
      } catch (error) {
        const expected = `expected readable rows ${at} to ${groupEnd - 1}: ${reasonOf(error)}`;
        yield { ...place(groupEnd - 1), problem: { key: '', expected } };
        break;
      }
    }
    groupStart = groupEnd;
  }
}
