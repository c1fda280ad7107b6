import type { ImportedSegment, TokenColumns, TokenValues } from '../shape/imported.ts';
import { asNumber, asText } from '../shape/json.ts';
import { tokenOffsets } from '../shape/token-text.ts';
import type { Piece } from '../protocols/protocol.ts';
import { tokenSegments } from './tokens.ts';
import { isObject } from '../../../base/objects.ts';

/** Tokens of one chat message: their texts, or their ids, with what is known of each. */

const values = (list: unknown): TokenValues | null =>
  Array.isArray(list) && list.every((value) => value === null || asNumber(value) !== null)
    ? (list as TokenValues)
    : null;

/**
 * Log-probabilities as OpenAI's API and Inspect AI write them: `{content: [{token, logprob}]}`, or the
 * bare list. Null for anything else, and for none.
 */
export function namedTokens(value: unknown): TokenColumns | null {
  const list = isObject(value) ? value['content'] : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return null;
  const tokens = list.map((one) => asText(one['token']));
  if (!tokens.every((token) => token !== null)) return null;
  return { tokens, logprobs: list.map((one) => asNumber(one['logprob'])) };
}

/**
 * Ids of sampled tokens, and lists of numbers that are as long.
 * @param more by column; those of another length are left out
 */
export function idTokens(
  ids: unknown,
  more: Partial<Record<'logprobs' | 'refLogprobs' | 'advantages', unknown>>,
): TokenColumns | null {
  const isIds =
    Array.isArray(ids) && ids.every((id) => Number.isInteger(id) && (id as number) >= 0);
  if (!isIds || ids.length === 0) return null;
  const columns = Object.entries(more).flatMap(([name, list]) => {
    const found = values(list);
    return found?.length === ids.length ? [[name, found] as const] : [];
  });
  return { ids: ids as number[], ...Object.fromEntries(columns) };
}

/** Blocks of a message with their share of its tokens; null where the tokens do not spell its text. */
export function spelledBlocks(
  text: string,
  pieces: readonly Piece[],
  columns: TokenColumns,
): ImportedSegment[] | null {
  const count = columns.tokens?.length ?? 0;
  if (count === 0 || !columns.tokens || !tokenOffsets(text, columns.tokens)) return null;
  return tokenSegments(text, pieces, { columns, keys: {}, count });
}

/** Ids say nothing of the text: they are those of a block where the message is that block alone. */
export const wholeBlock = (
  blocks: readonly ImportedSegment[],
  { tokens, ...columns }: TokenColumns,
): ImportedSegment[] =>
  tokens === undefined && columns.ids !== undefined
    ? blocks.map((block) => (blocks.length === 1 ? { ...block, ...columns } : block))
    : [...blocks];
