import { eventRounds } from '../../../records/rounds.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { RolloutTable } from './apply-updates.ts';

/**
 * The replay of a run: a rollout is shown round by round at reading speed, its result and gold last. A rollout that is
 * made more slowly than that is followed as it comes.
 */

/** Time per round, in milliseconds. */
export const ROUND_MS = 1500;

/** Where the replay of a new run begins; null for users who want no motion: they see the end at once. */
export const firstReplay = (): number | null =>
  globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ? null : 0;

/**
 * Whether the result of a rollout, and gold, may be shown: it has ended, and the replay has shown its last round.
 * @param replay rounds that are shown; null: all
 */
export const isRevealed = (
  rollout: Pick<Rollout, 'events'>,
  finished: boolean,
  replay: number | null,
): boolean => finished && (replay === null || replay > eventRounds(rollout.events).length);

/** The replay one round later; the same while that round is not there yet, null once all results are shown. */
export const nextReplay = (
  replay: number,
  { order, byId, finished }: RolloutTable,
  running: boolean,
): number | null => {
  const most = Math.max(0, ...order.map((id) => eventRounds(byId[id]?.events ?? []).length));
  if (replay < most) return replay + 1;
  const open = running || order.some((id) => finished[id] !== true);
  if (open) return replay;
  return replay === most && most > 0 ? replay + 1 : null;
};
