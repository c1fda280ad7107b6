import { describe, expect, it } from 'vitest';
import type { StopEvent } from '../../src/records/events.ts';
import { groupFigures } from '../../src/ui/ask/columns/group.ts';
import { emptyRollout, metrics, policySegment } from '../fixtures/rollouts.ts';

describe('the summary of a group', () => {
  it('means over the rollouts that ended, answers by how often they were given', () => {
    const one = {
      ...emptyRollout('a'),
      answer: 'Borfield',
      metrics: metrics({ em: 1, f1: 1, searches: 2 }),
    };
    const two = { ...emptyRollout('b'), answer: null, metrics: metrics({ f1: 0.5, searches: 4 }) };
    const three = { ...one, id: 'c' };
    expect(groupFigures([one, two, three])).toMatchObject({
      ended: 3,
      em: 2 / 3,
      f1: 2.5 / 3,
      searches: 8 / 3,
      answers: [
        { text: 'Borfield', count: 2 },
        { text: 'no answer', count: 1 },
      ],
    });
  });

  it('counts from the record where a question without gold has no metrics', () => {
    const rollout = { ...emptyRollout('a'), segments: [policySegment([1, 2, 3])] };
    expect(groupFigures([rollout])).toMatchObject({ em: null, recall: null, tokens: 3 });
  });

  it('averages recall only over rollouts with supporting titles', () => {
    const known = { ...emptyRollout('a'), metrics: metrics({ recall: 0.5 }) };
    const unknown = { ...known, id: 'b', question: { ...known.question, supporting: [] } };
    expect(groupFigures([known, unknown])?.recall).toBe(0.5);
    expect(groupFigures([unknown])?.recall).toBeNull();
  });

  it('says nothing before the first has ended', () => {
    expect(groupFigures([])).toBeNull();
  });

  it('excludes cancelled rollouts, which say nothing about the policy', () => {
    const stop = (reason: StopEvent['reason']): StopEvent => ({
      t: 1,
      kind: 'stop',
      reason,
      detail: '',
    });
    const kept = {
      ...emptyRollout('a'),
      answer: 'Borfield',
      metrics: metrics({ em: 1 }),
      events: [stop('answer')],
    };
    const cancelled = {
      ...emptyRollout('b'),
      metrics: metrics({ em: 0 }),
      events: [stop('cancelled')],
    };
    expect(groupFigures([kept, cancelled])).toMatchObject({ ended: 2, interrupted: 1, em: 1 });
    expect(groupFigures([cancelled])).toBeNull();
  });
});
