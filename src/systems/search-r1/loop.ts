import type { LoopHooks } from '../../agent/hooks.ts';
import type { Params } from './system.ts';

/**
 * A result's tokens, too many of them, cut to `tokens` at least its tags: at the end, or, with `keep: last`, in front.
 * @param around lengths of its opening and its closing tag
 */
export function cutResult(
  ids: readonly number[],
  { tokens, keep, tags }: NonNullable<Params['cut']>,
  [opening, closing]: readonly [number, number],
): number[] {
  if (tags === 'lost') return keep === 'first' ? ids.slice(0, tokens) : ids.slice(-tokens);
  const inner = ids.slice(opening, ids.length - closing);
  const room = Math.max(0, tokens - opening - closing);
  const kept = keep === 'first' ? inner.slice(0, room) : inner.slice(inner.length - room);
  return [...ids.slice(0, opening), ...kept, ...ids.slice(ids.length - closing)];
}

export const hooks = ({ cut }: Params): LoopHooks => ({
  ...(cut && {
    cutResult: (ids, around) => (ids.length > cut.tokens ? cutResult(ids, cut, around) : ids),
  }),
});
