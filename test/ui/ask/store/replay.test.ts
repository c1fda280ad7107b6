import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventRounds } from '../../../../src/records/rounds.ts';
import { replayAgain, togglePlaying } from '../../../../src/ui/ask/store/actions.ts';
import { firstReplay, isRevealed, nextReplay } from '../../../../src/ui/ask/store/replay.ts';
import { tableOf } from '../../../../src/ui/ask/store/training-step.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { emptyRollout, retrieve, search } from '../../../fixtures/rollouts.ts';
import { answer, stop } from '../../kit/events/every-event.ts';

/** Two searches and an answer: three rounds. */
const rollout = {
  ...emptyRollout('r'),
  events: [search(1), retrieve([]), search(2), retrieve([]), answer, stop],
};
const short = { ...emptyRollout('s'), events: [answer, stop] };

beforeEach(() => useAsk.setState(useAsk.getInitialState(), true));
afterEach(() => vi.unstubAllGlobals());

describe('the replay', () => {
  it('shows one round after the other, then the result, then everything', () => {
    const table = tableOf([rollout, short]);
    expect(eventRounds(rollout.events)).toHaveLength(3);
    const seen: (number | null)[] = [];
    for (let replay: number | null = 0; replay !== null; seen.push(replay))
      replay = nextReplay(replay, table, false);
    expect(seen).toEqual([1, 2, 3, 4, null]);
    expect([0, 3, 4, null].map((replay) => isRevealed(rollout, true, replay))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    // A shorter rollout of the group shows its result earlier.
    expect(isRevealed(short, true, 2)).toBe(true);
  });

  it('waits for a rollout that is still being made, and gives no result before its end', () => {
    const making = { ...rollout, events: rollout.events.slice(0, 2) };
    const table = { ...tableOf([making]), finished: {} };
    expect(nextReplay(0, table, true)).toBe(1);
    expect(nextReplay(1, table, true)).toBe(1);
    expect(nextReplay(0, tableOf([]), true)).toBe(0);
    expect(isRevealed(making, false, null)).toBe(false);
  });

  it('ends without rollouts, as after a run that failed', () => {
    expect(nextReplay(0, tableOf([]), false)).toBeNull();
  });

  it('is left out for those who want no motion', () => {
    const wants = (matches: boolean) =>
      vi.stubGlobal('matchMedia', (query: string) => ({
        matches: matches && query.includes('prefers-reduced-motion: reduce'),
      }));
    wants(false);
    expect(firstReplay()).toBe(0);
    wants(true);
    expect(firstReplay()).toBeNull();
  });

  it('is skipped by the space bar, and can be seen again', () => {
    useAsk.setState({ replay: 1 });
    togglePlaying();
    expect(useAsk.getState()).toMatchObject({ replay: null, playing: false });
    replayAgain();
    expect(useAsk.getState().replay).toBe(0);
  });
});
