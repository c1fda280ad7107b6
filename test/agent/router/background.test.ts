import { describe, expect, it } from 'vitest';
import { learnedCalls } from '../../../src/learn/router/calls.ts';
import { eventsOf, run } from '../helpers.ts';
import { LOOP, off } from '../loop-script.ts';

/** The background as a routed call: where it goes, what it earns, and what it does not count as. */

const measured = { reward: 'measured' as const, beta1: 0, beta2: 1 };

describe('a background through the router', () => {
  it('has a route of its own before it, which is no search, with the reward of what it brought', async () => {
    const overrides = { ...off, nlr: measured };
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
    const kinds = rollout.events.map(({ kind }) => kind);
    expect(kinds.indexOf('route')).toBe(kinds.indexOf('background') - 1);
    const [first, ...searches] = eventsOf(rollout, 'route');
    expect(first).toMatchObject({ of: 'background', by: 'router' });
    expect(searches.map((route) => route.of)).toEqual([undefined, undefined]);
    expect(rollout.metrics?.searches).toBe(2);
    // β2 = 1 alone: the reward is the share of the two supporting titles that the background brought.
    const [background] = eventsOf(rollout, 'background');
    expect(first?.reward?.total).toBe(background?.relevance.supportingRecall);
    for (const hit of background?.hits ?? []) expect(hit.source).toBe(first?.choice);
  });

  it('teaches the router as any call does', async () => {
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides: off });
    const calls = learnedCalls([rollout]);
    expect(calls).toHaveLength(3);
    const [background] = eventsOf(rollout, 'background');
    expect(calls[0]).toMatchObject({
      latencyMs: background?.latencyMs,
      recallGained: background?.relevance.supportingRecall,
    });
  });

  it('takes the likelier source where routing is argmax, whatever the seed', async () => {
    const overrides = { ...off, nlr: { routing: 'argmax' as const } };
    for (let seed = 0; seed < 5; seed++) {
      const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides, seed });
      const [route] = eventsOf(rollout, 'route');
      const { local, web } = route?.probabilities ?? { local: 0, web: 0 };
      expect([route?.routing, route?.choice]).toEqual(['argmax', web > local ? 'web' : 'local']);
    }
  });

  it('has no route where the settings say that it does not', async () => {
    const overrides = { ...off, background: { source: 'both' as const } };
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'route').map((route) => route.of)).toEqual([undefined, undefined]);
  });
});
