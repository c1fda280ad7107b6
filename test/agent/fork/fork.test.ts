import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { AgentDeps, ForkRequest } from '../../../src/agent/request.ts';
import { runFork, runRollout } from '../../../src/agent/run.ts';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import { eventsOf, LOCAL, QUESTION, retrieverOver, run } from '../helpers.ts';

let policy: Policy;
beforeAll(async () => {
  policy = await openPolicy({ device: 'wasm' });
});
afterAll(() => policy.dispose());

const deps = (): AgentDeps => ({
  policy,
  retriever: retrieverOver(),
  router: createRouter(),
  now: Date.now,
});

/** A rollout of the built-in policy as it comes back from a file. */
async function recorded(
  recipe: string,
  overrides: SettingsOverride,
  seed: number,
): Promise<Rollout> {
  const rollout = await runRollout(deps(), {
    question: QUESTION,
    recipe: getRecipe(recipe),
    overrides,
    seed,
    rolloutId: 'r',
    runId: 'run',
    groupId: 'g',
    step: 0,
  });
  return JSON.parse(JSON.stringify(rollout)) as Rollout;
}

const fork = (of: Rollout, event: number, request: Partial<ForkRequest> = {}): Promise<Rollout> =>
  runFork(deps(), { of, event }, { question: QUESTION, rolloutId: 'f', ...request });

const tokens = ({ segments }: Rollout): unknown =>
  segments.map(({ source, role, ids, logprobs }) => ({ source, role, ids, logprobs }));
/** Events without what a clock gave. */
const untimed = ({ events }: Rollout): unknown =>
  JSON.parse(
    JSON.stringify(
      events.map((event) => ({
        ...event,
        t: 0,
        latencyMs: 0,
        ...('reward' in event && { reward: 0 }),
      })),
    ),
  );

describe('a fork without a change', () => {
  it.each<[string, SettingsOverride, number]>([
    ['kunlun-baize', { stie: { mode: 'corrected' }, sampling: { temperature: 1 } }, 3],
    ['kunlun-baize', { background: { mode: 'shown' }, stie: { mode: 'paper' } }, 2],
  ])('of %s %j is the same rollout from any event, bit for bit', async (recipe, over, seed) => {
    const of = await recorded(recipe, over, seed);
    expect(of.events.length).toBeGreaterThan(3);
    for (const event of of.events.keys()) {
      const again = await fork(of, event);
      expect({ event, tokens: tokens(again) }).toEqual({ event, tokens: tokens(of) });
      expect({ event, events: untimed(again) }).toEqual({ event, events: untimed(of) });
      expect(again.answer).toBe(of.answer);
    }
  });

  it('of a fork goes through both records', async () => {
    const of = await recorded('search', { sampling: { temperature: 1.6 } }, 1);
    const last = of.events.length - 1;
    const other = await fork(of, 1, { seed: 99, overrides: { retrieval: { k: 1 } } });
    const again = await fork(other, Math.min(last, other.events.length - 1));
    expect(tokens(again)).toEqual(tokens(other));
    expect(again.forks?.map(({ rolloutId }) => rolloutId)).toEqual(['r', 'f']);
  });
});

describe('what a fork says of itself', () => {
  it('names rollout, event, shared tokens and what was in force, and passes through a file', async () => {
    const of = await recorded('search', { sampling: { temperature: 1.6 } }, 1);
    const event = of.events.findIndex(({ kind }) => kind === 'route');
    const made = await fork(of, event, { seed: 50 });
    const [point] = made.forks ?? [];
    expect(point).toMatchObject({ rolloutId: 'r', event, seed: 1, settings: of.recipe.settings });
    expect(made.seed).toBe(50);
    const flat = (r: Rollout): number[] => r.segments.flatMap(({ ids }) => ids);
    const shared = point?.tokens ?? 0;
    expect(shared).toBeGreaterThan(0);
    expect(flat(made).slice(0, shared)).toEqual(flat(of).slice(0, shared));
    expect(made.events.slice(0, event)).toEqual(of.events.slice(0, event));
    expect(faultOf(JSON.parse(JSON.stringify(made)))).toBeNull();
    expect(faultOf({ ...made, forks: [{ ...point, tokens: -1 }] })).toMatch(/^forks\[0\]\.tokens/);
  });

  it('refuses an event that is not there, and a record whose tokens read otherwise', async () => {
    const of = await recorded('search', {}, 1);
    await expect(fork(of, of.events.length)).rejects.toThrow(/can be forked before any of them/);
    const [first, ...rest] = of.segments;
    if (!first) throw new Error('no segment');
    const strange = { ...of, segments: [{ ...first, text: 'other words' }, ...rest] };
    await expect(fork(strange, 1)).rejects.toThrow(/to other text/);
  });

  it('one that was read as mixtures, which no record holds', async () => {
    const of = await recorded('search', {}, 4);
    const thought = { ...of, latent: { tokens: 12, gate: 0.99 } };
    await expect(fork(thought, 1)).rejects.toThrow(/latent thinking, which is not recorded/);
  });
});

/** Scripted: two searches, of which the second repeats the first. */
const REPEATS = [
  '<think> who wrote it </think><search> author of Old Wolf </search>',
  '<think> again </think><search> author of Old Wolf </search>',
  '<think> enough </think><short_answer> \\boxed{ Borfield } </short_answer>',
];
const STIE: SettingsOverride = {
  stie: { mode: 'paper', overQueries: true, overAnswers: false },
  retrieval: { source: 'local' },
};

async function changed(
  what: Omit<Parameters<typeof runFork>[1], 'of' | 'event'>,
  kind: 'route' | 'verdict',
  nth = 0,
): Promise<{ before: Rollout; after: Rollout }> {
  const script = { main: REPEATS };
  const { rollout: before, policy: scripted } = await run(script, { overrides: STIE });
  const places = before.events.flatMap((event, i) => (event.kind === kind ? [i] : []));
  const event = places[nth] ?? -1;
  const after = await runFork(
    { ...deps(), policy: scripted },
    { of: before, event, ...what },
    { rolloutId: 'f', question: QUESTION },
  );
  return { before, after };
}

describe('a fork with a change', () => {
  it('sends the next search elsewhere, and says so', async () => {
    const { before, after } = await changed({ source: 'web' }, 'route');
    expect(eventsOf(before, 'route')[0]?.choice).toBe('local');
    expect(eventsOf(after, 'route')[0]?.choice).toBe('web');
    expect(after.forks?.[0]?.changes).toEqual({ source: 'web' });
  });

  it('puts passages first in the next result alone', async () => {
    const [, gold] = LOCAL;
    if (!gold) throw new Error('no passage');
    const { after } = await changed({ passages: [gold] }, 'route');
    expect(eventsOf(after, 'retrieve')[0]?.hits[0]?.passage.id).toBe('l1');
    expect(eventsOf(after, 'retrieve')[0]?.newSupporting).toContain('Victor Kerlund');
    expect(after.forks?.[0]?.changes).toEqual({ passages: ['l1'] });
  });

  it('admits a query that STIE refused', async () => {
    const { before, after } = await changed({ admit: true }, 'verdict', 1);
    expect(eventsOf(before, 'verdict').map(({ action }) => action)).toEqual(['kept', 'refused']);
    const [first, second, ...later] = eventsOf(after, 'verdict').map(({ action }) => action);
    expect([first, second]).toEqual(['kept', 'kept']);
    // Once: the script repeats itself after the fork.
    expect(new Set(later)).toEqual(new Set(['refused']));
    expect(eventsOf(before, 'retrieve')).toHaveLength(1);
    expect(eventsOf(after, 'retrieve')).toHaveLength(2);
  });

  it('says a hint where the policy would go on', async () => {
    const script = { main: REPEATS };
    const { rollout: of, policy: scripted } = await run(script, { overrides: STIE });
    const second = of.events.findIndex((event) => event.kind === 'think' && event.text === 'again');
    const after = await runFork(
      { ...deps(), policy: scripted },
      { of, event: second, hint: 'look once more .' },
      { rolloutId: 'f', question: QUESTION },
    );
    const hint = after.segments.find(({ role }) => role === 'hint');
    expect(hint).toMatchObject({ source: 'environment', mask: 0 });
    expect(hint?.text).toContain('look once more');
  });
});
