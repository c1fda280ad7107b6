import { describe, expect, it } from 'vitest';
import { FEATURE_NAMES } from '../../../src/agent/router/features.ts';
import { learnedCalls } from '../../../src/learn/router/calls.ts';
import type { AgentEvent, RouteEvent } from '../../../src/records/events.ts';
import { drawn, rolloutOf } from './helpers.ts';

/** Which routed calls of a record the router learns from, and what is known of each. */

const call = { ...drawn('web', 0.4, { hops: 0.5 }), latencyMs: 30, newSupporting: ['A'] };

describe('a call that the router learns from', () => {
  it('has its features in order, its draw, its reward, and what it brought', () => {
    const [first] = learnedCalls([rolloutOf([call])]);
    expect(first?.x).toEqual(FEATURE_NAMES.map((name) => (name === 'hops' ? 0.5 : 0)));
    expect(first).toMatchObject({
      action: 'web',
      reward: 0.4,
      local: 0.5,
      kind: 'bridge',
      latencyMs: 30,
      // One of two supporting titles.
      recallGained: 0.5,
    });
  });

  it('names a title once, though the question names it twice; without one it gained nothing known', () => {
    const gained = (supporting: string[], newSupporting: string[] | null = ['A']) =>
      learnedCalls([rolloutOf([{ ...call, newSupporting }], { supporting })])[0]?.recallGained;
    expect(gained(['A', 'A'])).toBe(1);
    expect(gained([])).toBeNull();
    expect(gained(['A', 'B'], null)).toBeNull();
    expect(gained(['A', 'B'], [])).toBe(0);
  });

  it('is of another kind where the question has none', () => {
    const rollout = rolloutOf([call]);
    const { type: _, ...question } = rollout.question;
    expect(learnedCalls([{ ...rollout, question }])[0]?.kind).toBe('other');
  });

  it('is each of its own result, in the order of the rollouts', () => {
    const other = { ...drawn('local', 0.9), latencyMs: 5 };
    const calls = learnedCalls([rolloutOf([call, other]), rolloutOf([other])]);
    expect(calls.map(({ action, latencyMs }) => [action, latencyMs])).toEqual([
      ['web', 30],
      ['local', 5],
      ['local', 5],
    ]);
  });
});

describe('a call teaches nothing', () => {
  const altered = (change: Partial<RouteEvent>): number => {
    const rollout = rolloutOf([call]);
    const events = rollout.events.map((event): AgentEvent =>
      event.kind === 'route' ? { ...event, ...change } : event,
    );
    return learnedCalls([{ ...rollout, events }]).length;
  };
  it.each([
    ['as it stands it does', {}, 1],
    ['where the settings chose', { by: 'fixed' }, 0],
    ['where the policy chose by its tag', { by: 'policy-tag' }, 0],
    ['where both sources were asked', { choice: 'both' }, 0],
    ['where the likelier source was taken', { routing: 'greedy' as never }, 0],
    ['where it failed', { reward: null }, 0],
  ] as const)('%s', (_, change, count) => expect(altered(change)).toBe(count));

  it('where nothing came back', () => {
    const rollout = rolloutOf([call]);
    const events = rollout.events.filter(({ kind }) => kind !== 'retrieve');
    expect(learnedCalls([{ ...rollout, events }])).toEqual([]);
  });

  it('without one of the features the record is refused', () => {
    const rollout = rolloutOf([call]);
    const events = rollout.events.map((event): AgentEvent =>
      event.kind === 'route'
        ? { ...event, features: event.features.filter(({ name }) => name !== 'hops') }
        : event,
    );
    expect(() => learnedCalls([{ ...rollout, events }])).toThrow(
      "router: a route event of r has no feature 'hops'",
    );
  });
});
