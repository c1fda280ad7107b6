import type { Rollout } from '../../records/rollout.ts';

const UNFINISHED = new Set(['malformed', 'end-of-text', 'cancelled', 'error']);

/**
 * Whether the whole output follows the protocol, from the record alone. Exactly:
 *
 * 1. no `malformed` event: every block that the policy opened it closed with the block's own tag; no
 *    tag stands inside a block; it wrote no tag of the environment's; only white space stands between
 *    its blocks; a thought stands before every search and every answer; no query is empty; the answer
 *    block holds exactly one `\boxed{…}`, closed, with text in it; no limit cut a block off;
 * 2. there is an answer;
 * 3. the rollout stopped by itself, by STIE or at a limit: not by `malformed`, `end-of-text`,
 *    `cancelled` or `error`.
 *
 * What the environment asked for (a forced answer after the last search) is no fault of the policy's.
 */
export function formatValid(rollout: Pick<Rollout, 'events' | 'answer'>): boolean {
  if (rollout.answer === null) return false;
  return rollout.events.every((event) => {
    if (event.kind === 'error') return event.what !== 'malformed';
    return event.kind !== 'stop' || !UNFINISHED.has(event.reason);
  });
}
