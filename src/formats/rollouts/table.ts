import { csvRecords } from '../import/readers/csv.ts';
import { formatOf } from '../import/schemas/list.ts';
import { lineValues } from '../values/json.ts';
import {
  COMPLETION_KEYS,
  GOLD_KEYS,
  PREDICTION_KEYS,
  PROMPT_KEYS,
  TAGGED_KEYS,
} from './parts/keys.ts';
import type { JsonObject } from './shape/json.ts';

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

export interface TableRow {
  row: JsonObject | null;
  /** Why there is none. */
  fault: string;
  /** From 1. */
  line: number;
  /** Bytes of the file up to the end of the row. */
  bytes: number;
}

export async function* readTable(blob: Blob, container: 'csv' | 'tsv'): AsyncGenerator<TableRow> {
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
