import { describe, expect, it } from 'vitest';
import type { RolloutUpdate } from '../../src/records/updates.ts';
import { applyUpdates, EMPTY_TABLE } from '../../src/ui/ask/store/apply-updates.ts';
import { emptyRollout, policySegment, search } from '../fixtures/rollouts.ts';

const started = (rolloutId: string): RolloutUpdate => ({
  rolloutId,
  type: 'started',
  rollout: emptyRollout(rolloutId),
});

describe('applying updates', () => {
  it('keeps the order in which rollouts began', () => {
    const table = applyUpdates(EMPTY_TABLE, [started('b'), started('a')]);
    expect(table.order).toEqual(['b', 'a']);
  });

  it('joins streamed tokens to the segment they belong to', () => {
    const table = applyUpdates(EMPTY_TABLE, [
      started('a'),
      { rolloutId: 'a', type: 'segment', index: 0, segment: policySegment([1]) },
      {
        rolloutId: 'a',
        type: 'tokens',
        index: 0,
        ids: [2],
        logprobs: [-2],
        entropies: [1],
        text: 't2',
      },
    ]);
    expect(table.byId['a']?.segments).toEqual([policySegment([1, 2])]);
  });

  it('replaces an event that arrives again, such as a route once its reward is known', () => {
    const table = applyUpdates(EMPTY_TABLE, [
      started('a'),
      { rolloutId: 'a', type: 'event', index: 0, event: search(1, 'first') },
      { rolloutId: 'a', type: 'event', index: 0, event: search(1, 'again') },
    ]);
    expect(table.byId['a']?.events).toEqual([search(1, 'again')]);
  });

  it('leaves rollouts that no update names as they are', () => {
    const before = applyUpdates(EMPTY_TABLE, [started('a'), started('b')]);
    const after = applyUpdates(before, [
      { rolloutId: 'a', type: 'event', index: 0, event: search(1) },
    ]);
    expect(after.byId['b']).toBe(before.byId['b']);
    expect(after.order).toBe(before.order);
    expect(before.byId['a']?.events).toEqual([]);
  });

  it('drops updates of a rollout that never started here', () => {
    const table = applyUpdates(EMPTY_TABLE, [
      { rolloutId: 'x', type: 'event', index: 0, event: search(1) },
    ]);
    expect(table.order).toEqual([]);
  });

  it('takes the finished record as the last word', () => {
    const rollout = { ...emptyRollout('a'), answer: 'Borfield' };
    const table = applyUpdates(EMPTY_TABLE, [
      started('a'),
      { rolloutId: 'a', type: 'finished', rollout },
    ]);
    expect(table.byId['a']).toBe(rollout);
    expect(table.finished['a']).toBe(true);
  });
});
