import type { KvMove } from '../ops/values.ts';
import { ALIGNED, type CacheRange } from './context-store.ts';
import type { EngineSession } from './session.ts';

/** Shorter prefixes are prefilled rather than copied or waited for. */
const LEAST = 16;

/** Key of a prefilled token. Decoded ones get another key: their keys and values may differ in the last bits. */
export const asPrefilled = (id: number): number => id;
/** Key of a decoded token. */
export const asDecoded = (id: number): number => ~id;
/** Key of a mixture of tokens: equal to nothing, not even to itself. */
export const MIXTURE = NaN;

const aligned = (count: number): number => count - (count % ALIGNED);

/**
 * How many pending tokens another session has cached after the same prefix, prefilled the same way, so that their keys
 * and values are equal bit for bit. Rollouts of one question share their prompt and often more.
 * @param token the other's cached or pending token at a position (`EngineSession.cachedTokens`), `length` of them
 */
function sharedTokens(
  { cachedTokens: past, pending, mixture: mixed }: EngineSession,
  token: (position: number) => number | undefined,
  length: number,
): number {
  if (mixed || length < past.length + LEAST || pending.length <= LEAST) return 0;
  for (const [i, own] of past.entries()) if (token(i) !== own) return 0;
  // The last pending token is decoded.
  const end = Math.min(past.length + pending.length - 1, length);
  let same = past.length;
  while (same < end && token(same) === asPrefilled(pending[same - past.length] ?? -1)) same++;
  const count = aligned(same) - past.length;
  return count < LEAST ? 0 : count;
}

/**
 * What to copy from the session with the longest shared prefix, and how many tokens need no prefill then; null without
 * one. Tokens whose logits are not known to be finite are not shared, so NaNs stay in the session that produced them.
 * @param to this session's cache range
 */
export function findCachedPrefix(
  session: EngineSession,
  to: CacheRange,
  open: Iterable<EngineSession>,
): { move: KvMove; count: number } | null {
  let best: { from: CacheRange; count: number } | null = null;
  for (const other of open) {
    const { cacheRange: place, cachedTokens: text, finiteCount: certain } = other;
    if (other === session || !place) continue;
    const count = sharedTokens(session, (i) => text[i], certain);
    if (count > (best?.count ?? 0)) best = { from: place, count };
  }
  if (!best) return null;
  const { from, count } = best;
  // Both agree before the copy, so it may start at the aligned block that holds this session's last cached token.
  const first = aligned(session.cached);
  const move = { from: from.start + first, to: to.start + first };
  return { move: { ...move, count: session.cached + count - first }, count };
}

/** Whether a session earlier in the queue is about to prefill what this session needs next. */
export const isPrefixPending = (
  session: EngineSession,
  before: readonly EngineSession[],
): boolean =>
  before.some(({ cachedTokens: text, pending, mixture: mixed }) => {
    const token = (i: number): number | undefined =>
      i < text.length ? text[i] : asPrefilled(pending[i - text.length] ?? -1);
    return !mixed && sharedTokens(session, token, text.length + pending.length - 1) > 0;
  });
