import { asNumber, asText, type JsonObject } from './json.ts';
import { isObject } from '../../../base/objects.ts';

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
export function columnRows(table: unknown): JsonObject[] | null {
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
export function recordsWithin(value: unknown): readonly JsonObject[] | null {
  if (!isObject(value)) return null;
  const { samples, traces } = value;
  const listed = [samples, traces].find((list) => Array.isArray(list) && list.length > 0);
  if (!Array.isArray(listed) || !listed.every(isObject)) {
    const rows = splitRows(value) ?? viewerRows(value);
    return rows !== null && rows.length > 0 ? rows : null;
  }
  return listed === traces ? tracesOf(value, listed) : listed;
}
