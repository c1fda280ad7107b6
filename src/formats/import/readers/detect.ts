import { groupBy, itemAt } from '../../../base/items.ts';
import { GGUF_ADVICE } from '../../gguf.ts';
import { jsonItems } from './json-items.ts';
import { parseJsonLine } from '../values/json-value.ts';
import { tableHeader } from '../../values/csv.ts';
import { questionColumns, TABLE_COLUMNS } from '../values/columns.ts';
import { csvRecords } from './csv.ts';
import { parquetFormat } from './parquet.ts';
import { formatOf, schemaOf } from '../schemas/list.ts';
import { ImportError, type Format } from '../values/types.ts';

/** How much of a file is looked at. */
const SNIFF = 2 ** 20;
/** How many items are looked at. */
const LOOK = 20;

/** The schema that most of the values have, ties to the first; null where none is known. */
function commonSchema(values: readonly unknown[]): string | null {
  const known = values.flatMap((value) => schemaOf(value) ?? []);
  const groups = [...groupBy(known, ({ id }) => id).values()];
  const [most] = groups.toSorted((a, b) => b.length - a.length);
  return most ? itemAt(most, 0).id : null;
}

/**
 * The format of a file, by its content; the name only tells Markdown from text and both from
 * broken JSON.
 * @throws ImportError naming what was expected, for an empty file or one of no known format
 */
export async function detect(blob: Blob, name = ''): Promise<Format> {
  const bytes = new Uint8Array(await blob.slice(0, SNIFF).arrayBuffer());
  if (bytes.length === 0) throw new ImportError('the file is empty');
  const text = new TextDecoder().decode(bytes);
  if (text.startsWith('PAR1')) return parquetFormat(blob);
  if (text.startsWith('GGUF'))
    throw new ImportError(`a GGUF model has no passages. ${GGUF_ADVICE}`);
  if (text.includes('\0'))
    throw new ImportError('expected UTF-8 text or parquet, found other bytes');
  const first = text.trimStart()[0];
  if (first === undefined)
    throw new ImportError('the file is empty: it has only spaces and line ends');
  const json = first === '[' || first === '{' ? await detectJson(text, first) : null;
  if (json) return json;
  const written = /\.(?:txt|md|markdown)$/iu.test(name);
  if ((first === '[' || first === '{') && !written) throw new ImportError(expectedJson(first));
  const table = await detectTable(text, name, written);
  return table ?? formatOf(isMarkdown(text, name) ? 'markdown' : 'text', 'prose');
}

const expectedJson = (first: string): string =>
  `expected ${first === '[' ? 'a list of' : 'lines of JSON with'} questions (\`question\` with ` +
  '`answer`, `answers`, `golden_answers` or `reward_model`) or passages (`text` or `contents`)' +
  (first === '[' ? '' : ', or {title: [sentences]}');

async function detectJson(text: string, first: '[' | '{'): Promise<Format | null> {
  if (first === '{') {
    const values = text
      .split('\n', LOOK)
      .flatMap((line) => parseJsonLine(line).flatMap(({ value }) => value ?? []));
    const schema = commonSchema(values);
    // On one line, {title: [sentences]} is read as an object, whatever its size.
    if (schema && schema !== 'title-sentences') return formatOf('jsonl', schema);
    if (schema && values.length > 1) return formatOf('jsonl', schema);
  }
  const container = first === '[' ? 'json-array' : 'json-object';
  const values: unknown[] = [];
  for await (const { value } of jsonItems(new Blob([text]), formatOf(container, 'qa'))) {
    if (value !== undefined) values.push(value);
    if (values.length >= LOOK) break;
  }
  const schema = commonSchema(values);
  // Of an object, most members: one list of texts among others does not make it passages by title.
  const known = values.filter((value) => schemaOf(value)).length;
  if (container === 'json-object' && (schema !== 'title-sentences' || 2 * known <= values.length))
    return null;
  if (!schema) return null;
  return formatOf(container, schema);
}

/** Benchmarks that are published encrypted have the key beside the question. */
const isEncrypted = (row: unknown): boolean => {
  const { canary, question } = Object(row) as Record<string, unknown>;
  return typeof canary === 'string' && /^[\w+/]{8,}={0,2}$/u.test(String(question));
};

/**
 * CSV or TSV with a header that names a question and its answer, or a text; null for what is not a table.
 * @param written whether the name says that it is running text
 * @throws ImportError for a table of other columns: as running text it would be a passage that holds the answers
 */
async function detectTable(text: string, name: string, written: boolean): Promise<Format | null> {
  const table = tableHeader(text);
  if (!table) return null;
  const container = table.delimiter === ',' ? 'csv' : 'tsv';
  const columns = questionColumns(table.names);
  const row = schemaOf(Object.fromEntries(columns.map((column) => [column, ''])));
  if (!row) {
    // A first line of running text may have commas, too.
    if (written || !(table.regular || /\.(?:csv|tsv)$/iu.test(name))) return null;
    const found = table.names.filter(Boolean).join(', ');
    throw new ImportError(`expected ${TABLE_COLUMNS}; the columns are ${found}`);
  }
  const format = formatOf(container, row.id);
  for await (const { value } of csvRecords(new Blob([text]), format)) {
    if (isEncrypted(value))
      throw new ImportError(
        'expected questions as text; these are encrypted with the key in the column `canary`: decrypt them with the script of the benchmark first',
      );
    break;
  }
  return format;
}

const isMarkdown = (text: string, name: string): boolean =>
  /\.(?:md|markdown)$/iu.test(name) ||
  (!/\.txt$/iu.test(name) && /^#{1,6} \S/mu.test(text.slice(0, 2 ** 16)));
