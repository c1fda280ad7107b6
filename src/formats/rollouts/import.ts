import { type Place, RecordError } from './parts/build.ts';
import { messageOf, oneLine } from '../../base/errors.ts';
import { readDocument, type DocumentItem } from './container/document.ts';
import { UnpackError } from './container/gunzip.ts';
import { unwrap, type Source, type Unwrapped } from './container/unwrap.ts';
import { PartError, QuestionError, readRecord } from './detect.ts';
import { readEvalLog } from './eval-log.ts';
import type { ImportedRollout } from './shape/imported.ts';
import { lineValues, type LineValue } from '../values/json.ts';
import { parseJson, type JsonObject, asNumber, asText } from './shape/json.ts';
import { readLines } from './shape/lines.ts';
import { readParquet } from './parquet.ts';
import { csvRecords } from '../import/readers/csv.ts';
import { formatOf } from '../import/schemas/list.ts';
import {
  COMPLETION_KEYS,
  GOLD_KEYS,
  PREDICTION_KEYS,
  PROMPT_KEYS,
  TAGGED_KEYS,
} from './parts/keys.ts';
import { isObject } from '../../base/objects.ts';

/** Objects that hold several records: logs of Inspect AI, episodes of verifiers, and tables. */

/** Step and group stand once, at the episode; every trace of it gets them. */
function tracesOf(episode: JsonObject, traces: readonly JsonObject[]): JsonObject[] {
  const { group, run } = episode;
  const id = isObject(group) ? asText(group['id']) : null;
  const work = isObject(run) && isObject(run['work']) ? run['work'] : {};
  const step = asNumber(work['step']);
  return traces.map((trace) => ({
    ...trace,
    ...(id !== null && { group_id: id }),
    ...(step !== null && { step }),
  }));
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** verl's table of validation has a step per row, and its samples side by side: input_1, output_1, score_1, input_2 … */
function samplesOf(row: JsonObject): JsonObject[] {
  const samples = new Map<string, JsonObject>();
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(row)) {
    const [, key, number] = /^(input|output|gts?|score)_(\d+)$/.exec(name) ?? [];
    if (key === undefined || number === undefined) rest[name] = value;
    else samples.set(number, { ...samples.get(number), [key]: value });
  }
  const own = [...samples.values()].filter(({ output }) => output !== undefined && output !== null);
  return own.length === 0 ? [row] : own.map((sample) => ({ ...rest, ...sample }));
}

/** Rows of {columns, data}, as Weights & Biases writes its tables and pandas the orient "split". */
function splitRows({ columns, data }: JsonObject): JsonObject[] | null {
  if (!isList(columns) || !isList(data)) return null;
  const whole = data.every((row) => isList(row) && row.length === columns.length);
  if (!whole || !columns.every((name) => typeof name === 'string')) return null;
  return (data as unknown[][]).flatMap((row) =>
    samplesOf(Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
  );
}

/**
 * Rows of {column: {row: value}}, pandas' own orient, and of {column: [values]}; null for any other value. Much
 * else looks so: they are a table where they are rollouts.
 */
function columnRows(table: unknown): JsonObject[] | null {
  if (!isObject(table)) return null;
  const columns = Object.entries(table);
  const first = columns[0]?.[1];
  const keys = isObject(first) || isList(first) ? Object.keys(first) : [];
  const isColumn = (value: unknown): boolean =>
    isList(value) === isList(first) &&
    (isObject(value) || isList(value)) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key));
  if (keys.length === 0 || columns.length < 2 || !columns.every(([, value]) => isColumn(value)))
    return null;
  return keys.map((key) =>
    Object.fromEntries(columns.map(([name, value]) => [name, (value as JsonObject)[key]])),
  );
}

/** Rows of {rows: [{row}]}, as the viewer of Hugging Face's data sets gives them. */
function viewerRows({ rows }: JsonObject): JsonObject[] | null {
  if (!isList(rows)) return null;
  const own = rows.flatMap((row) => (isObject(row) && isObject(row['row']) ? [row['row']] : []));
  return own.length === rows.length ? own : null;
}

/** The records in an object: rows of a table, `samples` of a log, `traces` of an episode; null where it holds none. */
function recordsWithin(value: unknown): readonly JsonObject[] | null {
  if (!isObject(value)) return null;
  const { samples, traces } = value;
  const listed = [samples, traces].find((list) => Array.isArray(list) && list.length > 0);
  if (!Array.isArray(listed) || !listed.every(isObject)) {
    const rows = splitRows(value) ?? viewerRows(value);
    return rows !== null && rows.length > 0 ? rows : null;
  }
  return listed === traces ? tracesOf(value, listed) : listed;
}

/** A file that holds no rollouts at all, or cannot be read; the message is one sentence for the user. */
export class ImportError extends Error {
  constructor(message: string) {
    super(oneLine(message, 600));
  }
}

/** One record of a file, or why it could not be read. `bytes` counts the file up to its end. */
export type ImportItem =
  | {
      kind: 'rollout';
      line: number;
      bytes: number;
      /** Id of its layout. */
      layout: string;
      rollout: ImportedRollout;
    }
  | {
      kind: 'fault';
      line: number;
      bytes: number;
      reason: string;
      /** The record is a question with its answer: the file may be one of questions. */
      question?: true;
      /** The record is a rollout except for one part: the reason says which, and no other page reads it. */
      partial?: true;
    };

/** A file of another kind is given up after this many faults without one rollout. */
const HOPELESS = 1000;
/** A file of questions after fewer: every record says what it is. */
const QUESTIONS = 100;

const reasonOf = (error: unknown): string => {
  if (error instanceof RecordError) return error.message;
  if (error instanceof SyntaxError) return `is not JSON: ${error.message}`;
  // Nesting beyond what the parser's stack holds.
  if (error instanceof RangeError) return 'is nested too deeply';
  throw error;
};

function itemOf(read: () => unknown, place: Place, bytes: number): ImportItem {
  const { line } = place;
  try {
    return { kind: 'rollout', line, bytes, ...readRecord(read(), place) };
  } catch (error) {
    const reason = oneLine(reasonOf(error), 600);
    const question = error instanceof QuestionError;
    const partial = error instanceof PartError;
    return {
      kind: 'fault',
      line,
      bytes,
      reason,
      ...(question && { question }),
      ...(partial && { partial }),
    };
  }
}

/** A fault with the line where its text starts, which is what an editor shows. */
const toldAt = (item: ImportItem, line: number): ImportItem =>
  item.kind === 'fault'
    ? { ...item, reason: `${item.reason} (at line ${line} of the text)` }
    : item;

interface RecordText {
  text: string;
  name: string;
  /** Of the first record in it, from 1. */
  number: number;
  /** Line of the text at which it starts, from 1; null where that is `number`. */
  line: number | null;
  bytes: number;
}

/** A record, or those of the log or table that it is. @param line where it starts, as in `RecordText` */
function* recordsOf(
  read: () => unknown,
  { name, number, line, bytes }: Omit<RecordText, 'text'>,
): Generator<ImportItem> {
  const itemAt = (record: () => unknown, at: number): ImportItem =>
    itemOf(record, { name, line: at }, bytes);
  let value: unknown;
  const whole = itemAt(() => (value = read()), number);
  const columns = whole.kind === 'fault' ? columnRows(value) : null;
  const samples = whole.kind === 'fault' ? (recordsWithin(value) ?? columns) : null;
  // A question may have samples of another kind, which are not rollouts.
  const question = whole.kind === 'fault' && (whole.question ?? whole.partial);
  const isRollout = (sample: unknown): boolean => itemAt(() => sample, number).kind === 'rollout';
  if (!samples || ((question || samples === columns) && !samples.some(isRollout)))
    return yield line === null ? whole : toldAt(whole, line);
  for (const [i, sample] of samples.entries()) yield itemAt(() => sample, number + i);
}

const valueOf = (read: LineValue): unknown => {
  if ('error' in read) throw read.error;
  return read.value;
};

/** The values of a text, each to be read; one that throws where there is none. */
function readersOf(text: string): (() => unknown)[] {
  try {
    return lineValues(text).map((read) => () => valueOf(read));
  } catch (error) {
    return [
      () => {
        throw error;
      },
    ];
  }
}

/** The records of a text: one as a rule. */
function* recordsIn({ text, number: first, line, ...place }: RecordText): Generator<ImportItem> {
  let number = first;
  for (const read of readersOf(text))
    for (const item of recordsOf(read, {
      ...place,
      number,
      line: line ?? (number > first ? first : null),
    })) {
      yield item;
      number = item.line + 1;
    }
}

async function* importLines(
  stream: ReadableStream<Uint8Array>,
  name: string,
): AsyncGenerator<ImportItem> {
  // A log on one line is several records, each with a number of its own: those after it count on.
  let more = 0;
  for await (const read of readLines(stream)) {
    const { number, bytes } = read;
    const first = number + more;
    if (read.text === null) {
      yield { kind: 'fault', line: first, bytes, reason: read.fault };
    } else if (read.text.trim() !== '') {
      const record = { text: read.text, name, number: first, bytes };
      for (const item of recordsIn({ ...record, line: more > 0 ? number : null })) {
        yield item;
        more = item.line - number;
      }
    }
  }
}

/** An element of a document, or the records in it. @param before records that came before it */
function* itemsOf(element: DocumentItem, name: string, before: number): Generator<ImportItem> {
  const { line, bytes } = element;
  const number = before + 1;
  // The records of a list are counted; where it is laid out over lines, those are what an editor shows.
  if (element.text !== null)
    return yield* recordsIn({ text: element.text, name, number, line, bytes });
  yield toldAt({ kind: 'fault', line: number, bytes, reason: element.fault }, line);
}

async function* importDocument(
  stream: ReadableStream<Uint8Array>,
  name: string,
): AsyncGenerator<ImportItem> {
  let records = 0;
  for await (const element of readDocument(stream))
    for (const item of itemsOf(element, name, records)) {
      yield item;
      records += 1;
    }
}

async function* importParquet(blob: Blob, name: string): AsyncGenerator<ImportItem> {
  try {
    for await (const { row, number, bytes } of readParquet(blob))
      yield itemOf(() => row, { name, line: number }, bytes);
  } catch (error) {
    const why = messageOf(error);
    throw new ImportError(`${name} is a parquet file that cannot be read: ${why}`);
  }
}

/** Rows of CSV and TSV, as Comet, pandas and spreadsheets write tables of completions. */

/** Columns of texts, whatever they look like. */
const TEXTS: ReadonlySet<string> = new Set([
  ...PROMPT_KEYS,
  ...COMPLETION_KEYS,
  ...TAGGED_KEYS,
  ...PREDICTION_KEYS,
  ...GOLD_KEYS,
]);

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A chat as JSON, or as Python prints it. */
function listIn(text: string): unknown {
  if (!/^\s*\[\s*\{/.test(text)) return text;
  const [only, ...others] = lineValues(text);
  return only && 'value' in only && others.length === 0 ? only.value : text;
}

/** What a cell says: a number, a truth, a chat, nothing, or its text. */
function cellValue(name: string, text: string): unknown {
  if (TEXTS.has(name)) return listIn(text);
  if (text === '' || /^(?:nan|none|null)$/i.test(text)) return null;
  if (NUMBER.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return listIn(text);
}

interface TableRow {
  row: JsonObject | null;
  /** Why there is none. */
  fault: string;
  /** From 1. */
  line: number;
  /** Bytes of the file up to the end of the row. */
  bytes: number;
}

async function* readTable(blob: Blob, container: 'csv' | 'tsv'): AsyncGenerator<TableRow> {
  const named = (header: readonly string[]): string[] => header.map((name) => name.trim());
  const items = csvRecords(blob, formatOf(container, 'qa'), undefined, undefined, named);
  for await (const { value, problem, line, bytes } of items) {
    const cells = Object.entries((value ?? {}) as Record<string, string>);
    const row =
      value === undefined
        ? null
        : Object.fromEntries(cells.map(([name, text]) => [name, cellValue(name, text)]));
    yield { row, fault: problem?.expected ?? '', line: line ?? 0, bytes };
  }
}

async function* importTable(
  blob: Blob,
  name: string,
  container: 'csv' | 'tsv',
): AsyncGenerator<ImportItem> {
  for await (const { row, fault, line, bytes } of readTable(blob, container))
    if (row === null) yield { kind: 'fault', line, bytes, reason: fault };
    else yield itemOf(() => row, { name, line }, bytes);
}

async function* importEvalLog(blob: Blob, name: string): AsyncGenerator<ImportItem> {
  try {
    for await (const sample of readEvalLog(blob)) {
      const { number: line, text, bytes } = sample;
      if (text === null) yield { kind: 'fault', line, bytes, reason: sample.fault };
      else yield itemOf(() => parseJson(text), { name, line }, bytes);
    }
  } catch (error) {
    throw new ImportError(
      `${name} is a zip archive. Unpack it and open the rollout files in it; only logs of Inspect AI are read as archives, and ${messageOf(error)}.`,
    );
  }
}

const questionFile = (name: string): ImportError =>
  new ImportError(
    `${name} holds questions with their answers and no rollouts. Open it under Corpus, or give it to "lab rollout" or "lab evaluate" as --questions.`,
  );

/**
 * Rollouts of a file of any known layout, in order, one at a time, told by content and not by name. A
 * broken line is an item that says where and why; the rest loads. Breaking off closes the file.
 *
 * @param source a file, or its bytes as a stream (a parquet or zip file is then collected first)
 * @param name of the file: the run's name, and the first half of each rollout's id (`name:line`)
 * @throws ImportError where the file as a whole is not a file of rollouts
 */
export async function* importRollouts(source: Source, name: string): AsyncGenerator<ImportItem> {
  let [rollouts, faults, questions, first] = [0, 0, 0, ''];
  for await (const item of unpacked(source, name)) {
    if (item.kind === 'rollout') rollouts += 1;
    else {
      faults += 1;
      if (item.question) questions += 1;
      first ||= `line ${item.line} ${item.reason}`;
    }
    yield item;
    if (rollouts === 0 && questions >= QUESTIONS) throw questionFile(name);
    if (rollouts === 0 && faults >= HOPELESS)
      throw new ImportError(`${name} holds no rollouts in its first ${HOPELESS} lines: ${first}`);
  }
  if (rollouts === 0 && questions > 0 && questions === faults) throw questionFile(name);
}

/** Items by how the records lie in the file. @throws ImportError where nothing can lie in it */
async function contained(
  { container, stream, blob, read }: Unwrapped,
  name: string,
): Promise<AsyncGenerator<ImportItem>> {
  switch (container.kind) {
    case 'parquet':
      return importParquet(await blob(), name);
    case 'csv':
    case 'tsv':
      return importTable(await blob(), name, container.kind);
    case 'zip':
      return importEvalLog(await blob(), name);
    case 'document':
      return importDocument(stream(), name);
    case 'empty':
      throw new ImportError(
        `${name} is empty: it has no bytes${read ? ' in it' : ''}. Was it written to its end?`,
      );
    case 'other':
      throw new ImportError(`${name} is ${container.what}. ${container.todo}.`);
    default:
      return importLines(stream(), name);
  }
}

/** Items of what lies in the file, with what went wrong on the way there as text. */
async function* unpacked(source: Source, name: string): AsyncGenerator<ImportItem> {
  try {
    const unwrapped = await unwrap(source);
    const { read } = unwrapped;
    for await (const item of await contained(unwrapped, name))
      yield read ? { ...item, bytes: read() } : item;
  } catch (error) {
    if (error instanceof UnpackError) throw new ImportError(`${name} ${error.message}.`);
    throw error;
  }
}
