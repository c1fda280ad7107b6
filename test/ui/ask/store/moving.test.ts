import { beforeEach, describe, expect, it } from 'vitest';
import {
  ask,
  focusNext,
  focusRollout,
  move,
  togglePlaying,
} from '../../../../src/ui/ask/store/actions.ts';
import { useAsk, openSetup, togglePanel } from '../../../../src/ui/ask/store/ask-store.ts';
import { tableOf } from '../../../../src/ui/ask/store/training-step.ts';
import { emptyRollout, search } from '../../../fixtures/rollouts.ts';

/** Three rollouts: of three events, of one, and of none. */
const rollouts = [3, 1, 0].map((count, index) => ({
  ...emptyRollout(`r${index}`),
  events: Array.from({ length: count }, (_, i) => search(i + 1)),
}));

const view = () => useAsk.getState();
const at = () => [view().address.rollout, view().address.step];

beforeEach(() => {
  useAsk.setState({ ...useAsk.getInitialState(), table: tableOf(rollouts) }, true);
});

describe('playback', () => {
  it('goes from event to event and selects each', () => {
    move('forward');
    move('forward');
    expect(at()).toEqual([0, 1]);
    expect(view().selection).toEqual({ kind: 'event', rolloutId: 'r0', event: 1 });
    move('last');
    move('forward');
    expect(at()).toEqual([0, 2]);
    move('first');
    move('back');
    expect(at()).toEqual([0, 0]);
  });

  it('ends with everything shown', () => {
    togglePlaying();
    move('leave');
    expect(at()).toEqual([0, null]);
    expect(view().playing).toBe(false);
  });

  it('starts at the first event, continues from its position, and restarts at the end', () => {
    togglePlaying();
    expect([...at(), view().playing]).toEqual([0, 0, true]);
    move('forward');
    togglePlaying();
    expect([...at(), view().playing]).toEqual([0, 1, false]);
    togglePlaying();
    expect([...at(), view().playing]).toEqual([0, 1, true]);
    togglePlaying();
    move('last');
    togglePlaying();
    expect([...at(), view().playing]).toEqual([0, 0, true]);
  });

  it('has nothing to play without events', () => {
    focusRollout(2);
    togglePlaying();
    move('forward');
    expect([...at(), view().playing]).toEqual([2, null, false]);
    useAsk.getState().clear();
    togglePlaying();
    move('forward');
    expect(view().playing).toBe(false);
  });
});

describe('the rollout in focus', () => {
  it('changes by one, stays within the rollouts, and shows all of the next one', () => {
    move('last');
    togglePlaying();
    focusNext(1);
    expect([...at(), view().playing]).toEqual([1, null, false]);
    focusNext(1);
    focusNext(1);
    expect(at()).toEqual([2, null]);
    focusNext(-1);
    focusRollout(9);
    focusRollout(-1);
    expect(at()).toEqual([1, null]);
  });

  it('of an address that names one too many is the last, for keys too', () => {
    view().setAddress({ rollout: 40 });
    move('forward');
    expect(view().selection).toBeNull();
    focusNext(-1);
    expect(at()).toEqual([1, null]);
  });

  it('does not move without a target', () => {
    useAsk.getState().clear();
    focusNext(1);
    focusNext(-1);
    expect(at()).toEqual([0, null]);
  });
});

describe('another question', () => {
  it('leaves the step of training, the rollout and the step that were shown', () => {
    view().setAddress({ of: { runId: 'r', step: 1, group: 'g' }, rollout: 3, step: 4, run: true });
    ask({ kind: 'world', id: 'q9' });
    expect(view().address).toMatchObject({
      of: null,
      asked: { kind: 'world', id: 'q9' },
      run: false,
      rollout: 0,
      step: null,
    });
  });
});

describe('the panels', () => {
  it('open and close; the details open with what is chosen', () => {
    useAsk.setState({ detailsOpen: false, setupOpen: false });
    openSetup();
    expect(view().setupOpen).toBe(true);
    togglePanel('setupOpen');
    expect(view().setupOpen).toBe(false);
    view().select({ kind: 'event', rolloutId: 'r0', event: 0 });
    expect(view().detailsOpen).toBe(true);
  });

  it('pinned keep what they show until it is taken away', () => {
    view().select({ kind: 'event', rolloutId: 'r0', event: 0 });
    useAsk.setState({ pinned: true });
    view().select({ kind: 'token', rolloutId: 'r0', segment: 0, token: 0 });
    expect(view().selection).toEqual({ kind: 'event', rolloutId: 'r0', event: 0 });
    view().select(null);
    expect(view().selection).toBeNull();
  });
});
