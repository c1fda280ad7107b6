import type { KeyMove } from '../ops/values.ts';
import { ALIGNED, type Place } from './context-store.ts';
import type { EngineSession } from './session.ts';

/** Fewer tokens than these are read rather than copied or waited for. */
const LEAST = 16;

/** Of a token that was read. Those that were drawn are distinguished: their keys may differ in the last bits. */
export const asRead = (id: number): number => id;
/** Of a token that was decoded. */
export const asDecoded = (id: number): number => ~id;
/** Of a token that was read as a mixture: equal to nothing, not even to itself. */
export const MIXED = NaN;

const aligned = (count: number): number => count - (count % ALIGNED);

/**
 * How many tokens of its pending text another session has after the same past, read as this one would read them: the keys
 * and values of those are the same, bit for bit. Rollouts of one question begin alike and often stay so for long.
 * @param token what the other has or is to have at a position (`EngineSession.text`), `length` of them
 */
function shared(
  { text: past, pending, mixed }: EngineSession,
  token: (position: number) => number | undefined,
  length: number,
): number {
  if (mixed || length < past.length + LEAST || pending.length <= LEAST) return 0;
  for (const [i, own] of past.entries()) if (token(i) !== own) return 0;
  // The last pending token is decoded.
  const end = Math.min(past.length + pending.length - 1, length);
  let same = past.length;
  while (same < end && token(same) === asRead(pending[same - past.length] ?? -1)) same++;
  const count = aligned(same) - past.length;
  return count < LEAST ? 0 : count;
}

/**
 * What to copy from that session which has most of what this one is to read next, and how many tokens it then need not
 * read; null where none has. What no finite logits came of yet is nobody's: NaNs stay with whose they are.
 * @param to where this one's context lies
 */
export function hasRead(
  session: EngineSession,
  to: Place,
  open: Iterable<EngineSession>,
): { move: KeyMove; count: number } | null {
  let best: { from: Place; count: number } | null = null;
  for (const other of open) {
    const { place, text, certain } = other;
    if (other === session || !place) continue;
    const count = shared(session, (i) => text[i], certain);
    if (count > (best?.count ?? 0)) best = { from: place, count };
  }
  if (!best) return null;
  const { from, count } = best;
  // Both agree before what is copied, so it may begin with the panel that this one's text ends in.
  const first = aligned(session.cached);
  const move = { from: from.start + first, to: to.start + first };
  return { move: { ...move, count: session.cached + count - first }, count };
}

/** Whether one of those that come before it is about to have what this session is to read next. */
export const isComing = (session: EngineSession, before: readonly EngineSession[]): boolean =>
  before.some(({ text, pending, mixed }) => {
    const token = (i: number): number | undefined =>
      i < text.length ? text[i] : asRead(pending[i - text.length] ?? -1);
    return !mixed && shared(session, token, text.length + pending.length - 1) > 0;
  });
