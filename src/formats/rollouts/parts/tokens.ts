import { itemAt } from '../../../base/items.ts';
import type { ImportedSegment, TokenColumns, TokenValues } from '../shape/imported.ts';
import type { Piece } from '../protocols/protocol.ts';
import type { JsonObject } from '../shape/json.ts';
import { tokenOffsets } from '../shape/token-text.ts';

/** Per-token columns of a response, and their way into segments and back. */

type Column = keyof TokenColumns;

/** Keys under which frameworks write each column, the usual one first. */
const KEYS: Record<Column, readonly string[]> = {
  ids: ['response_ids', 'response_token_ids', 'token_ids'],
  tokens: ['response_tokens', 'tokens'],
  trainedIds: ['trained_ids'],
  logprobs: ['logprobs', 'old_log_probs', 'rollout_log_probs'],
  refLogprobs: ['ref_logprobs', 'ref_log_probs'],
  entropies: ['entropies', 'entropy'],
  values: ['values'],
  tokenRewards: ['token_rewards', 'token_level_rewards'],
  advantages: ['advantages', 'token_advantages'],
  lossMask: ['loss_mask', 'response_mask', 'action_mask'],
};

export const COLUMNS = Object.keys(KEYS) as Column[];

const isToken = (value: unknown): boolean => value === null || typeof value === 'number';

const fits = (column: Column, value: unknown): value is never[] => {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (column === 'tokens') return value.every((token) => typeof token === 'string');
  if (column === 'ids' || column === 'trainedIds')
    return value.every((id) => Number.isInteger(id) && (id as number) >= 0);
  return value.every(isToken);
};

export interface ReadColumns {
  columns: TokenColumns;
  /** Original key of each column that was read. */
  keys: Partial<Record<Column, string>>;
  /** Tokens of the response; 0 where the file has none. */
  count: number;
}

export const NO_COLUMNS: ReadColumns = { columns: {}, keys: {}, count: 0 };

/**
 * The columns of a record that are as long as its response has tokens. That number is the length of the
 * tokens or ids, else of the first column; columns of another length stay among the record's fields.
 */
export function readColumns(record: JsonObject): ReadColumns {
  const found = COLUMNS.flatMap((column) => {
    const key = KEYS[column].find(
      (name) => Object.hasOwn(record, name) && fits(column, record[name]),
    );
    return key === undefined ? [] : [{ column, key, values: record[key] as never[] }];
  });
  const named = found.find(({ column }) => column === 'tokens' || column === 'ids');
  const count = (named ?? found[0])?.values.length ?? 0;
  const used = found.filter(({ values }) => values.length === count);
  return {
    columns: Object.fromEntries(used.map(({ column, values }) => [column, values])),
    keys: Object.fromEntries(used.map(({ column, key }) => [column, key])),
    count,
  };
}

const slice = (columns: TokenColumns, from: number, to: number): TokenColumns =>
  Object.fromEntries(
    Object.entries(columns as Record<string, TokenValues>).map(([column, values]) => [
      column,
      values.slice(from, to),
    ]),
  );

/**
 * Segments of a response with their share of its columns. Segment borders move to where a token starts,
 * because a token has one writer: it belongs to the block in which its first character stands. Null where
 * the tokens do not spell the text.
 */
export function tokenSegments(
  text: string,
  pieces: readonly Piece[],
  { columns, count }: ReadColumns,
): ImportedSegment[] | null {
  const offsets = columns.tokens ? tokenOffsets(text, columns.tokens) : null;
  if (!offsets) return null;
  const segments: ImportedSegment[] = [];
  let from = 0;
  pieces.forEach(({ source, role, start, text: own }, i) => {
    let to = from;
    while (to < count && itemAt(offsets, to, 'tokens') < start + own.length) to++;
    if (i === pieces.length - 1) to = count;
    if (to > from)
      segments.push({
        source,
        role,
        text: text.slice(offsets[from], offsets[to]),
        ...slice(columns, from, to),
      });
    from = to;
  });
  return segments;
}

/** The columns of the segments joined again; only those that every segment has. */
export function joinColumns(segments: readonly ImportedSegment[]): TokenColumns {
  const shared = COLUMNS.filter((column) => segments.every((segment) => segment[column]));
  return Object.fromEntries(
    shared.map((column) => [column, segments.flatMap((segment) => segment[column] as TokenValues)]),
  );
}
