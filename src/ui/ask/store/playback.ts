import { unreachable } from '../../kit/unreachable.ts';

/**
 * Playback is at one event of one rollout, or off (null): everything is shown, and a running rollout
 * is followed.
 */
export type Move = 'back' | 'forward' | 'first' | 'last' | 'leave';

/** The step after a move among `count` events. Moving back from null starts at the last. */
export const moveStep = (step: number | null, move: Move, count: number): number | null => {
  if (count === 0 || move === 'leave') return null;
  const last = count - 1;
  switch (move) {
    case 'first':
      return 0;
    case 'last':
      return last;
    case 'back':
      return step === null ? last : Math.max(0, Math.min(step, last) - 1);
    case 'forward':
      return step === null ? 0 : Math.min(last, step + 1);
  }
  return unreachable(move);
};

/** How long playback shows an event, in milliseconds: longer for long text. */
export const dwellMs = (textLength: number): number => Math.min(2600, 900 + 12 * textLength);
