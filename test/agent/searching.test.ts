import { describe, expect, it } from 'vitest';
import { RunningMean } from '../../src/agent/router/reward.ts';
import type { Router } from '../../src/agent/router/router.ts';
import { priorWeights } from '../../src/agent/router/router.ts';
import type { RouterState } from '../../src/agent/router/features.ts';
import { runRollout } from '../../src/agent/run.ts';
import { getRecipe } from '../../src/systems/index.ts';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { HINTS } from '../../src/records/protocol.ts';
import type { SearchTarget } from '../../src/records/hits.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import type { Retrieval, Retriever } from '../../src/retrieval/retriever.ts';
import { hit } from '../fixtures/rollouts.ts';
import { eventsOf, LOCAL, QUESTION, stopReason, WEB } from './helpers.ts';
import { ANSWER, base, LOOP } from './loop-script.ts';
import { ScriptedPolicy } from './scripted-policy.ts';

/** One search: which source is asked, what is measured of it, and what the next one knows. */

type Found = Partial<Retrieval> | Error;

interface Ran {
  rollout: Rollout;
  /** What the retriever was asked: source, query and number of passages. */
  asked: [SearchTarget, string, number][];
  /** What the router was shown, and the draw. */
  states: RouterState[];
  draws: number[];
  webLatency: RunningMean;
}

async function ran(
  main: readonly string[],
  {
    overrides = base,
    recipe = 'kunlun-baize',
    found = [],
    choices = [],
    coverage,
    signal,
    onSearch,
  }: {
    overrides?: SettingsOverride;
    recipe?: string;
    found?: readonly Found[];
    choices?: readonly ('local' | 'web')[];
    coverage?: (query: string) => number;
    signal?: AbortSignal;
    onSearch?: () => void;
  } = {},
): Promise<Ran> {
  const asked: Ran['asked'] = [];
  const [states, draws]: [RouterState[], number[]] = [[], []];
  const answers = [...found];
  const retriever: Retriever = {
    search: (source, query, k) => {
      asked.push([source, query, k]);
      onSearch?.();
      const next = answers.shift() ?? {};
      if (next instanceof Error) return Promise.reject(next);
      const hits = [LOCAL[0], WEB[0]].flatMap((passage) => (passage ? [hit(passage)] : []));
      return Promise.resolve({ source, query, hits, latencyMs: 20, addedDelayMs: 0, ...next });
    },
  };
  const left = [...choices];
  const router: Router = {
    weights: priorWeights(),
    decide: (state, draw) => {
      states.push({ ...state, past: [...state.past] });
      draws.push(draw);
      const choice = left.shift() ?? 'local';
      return { choice, probabilities: { local: 0.25, web: 0.75 }, features: [] };
    },
    ...(coverage && { localCoverage: coverage }),
  };
  const webLatency = new RunningMean();
  const rollout = await runRollout(
    { policy: new ScriptedPolicy({ main }), retriever, router, now: () => 0, webLatency },
    {
      question: QUESTION,
      recipe: getRecipe(recipe),
      overrides,
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
      ...(signal && { signal }),
    },
  );
  return { rollout, asked, states, draws, webLatency };
}

const routesOf = ({ rollout }: Ran) =>
  eventsOf(rollout, 'route').map(({ by, choice, probabilities }) => [by, choice, probabilities]);
const via = (source: 'local' | 'web' | 'both' | 'router'): SettingsOverride => ({
  ...base,
  retrieval: { source },
});

describe('the source of a search', () => {
  it.each([
    ['local', ['fixed', 'local', { local: 1, web: 0 }]],
    ['web', ['fixed', 'web', { local: 0, web: 1 }]],
    ['both', ['fixed', 'both', { local: 1, web: 1 }]],
    ['router', ['router', 'local', { local: 0.25, web: 0.75 }]],
  ] as const)('of settings that say %s', async (source, wanted) => {
    const made = await ran([LOOP[0] ?? '', ANSWER], { overrides: via(source) });
    expect(routesOf(made)).toEqual([wanted]);
    expect(made.asked.map(([of]) => of)).toEqual([wanted[1]]);
    expect(made.states).toHaveLength(source === 'router' ? 1 : 0);
  });

  it.each([
    ['local_search', 'local', { local: 1, web: 0 }],
    ['web_search', 'web', { local: 0, web: 1 }],
  ] as const)('is what the policy’s own tag says where that counts: %s', async (tag, choice, p) => {
    const main = [`<think> a</think><${tag}> who wrote it</${tag}>`, ANSWER];
    const honoured = await ran(main, { overrides: { ...base, retrieval: { honourTags: true } } });
    expect(routesOf(honoured)).toEqual([['policy-tag', choice, p]]);
    const not = await ran(main, {
      overrides: { ...base, retrieval: { honourTags: false, source: 'both' } },
    });
    expect(routesOf(not)).toEqual([['fixed', 'both', { local: 1, web: 1 }]]);
  });
});

describe('what the router is shown', () => {
  it('is the round, the room, the coverage and how the searches before it went', async () => {
    const made = await ran(LOOP, {
      overrides: via('router'),
      choices: ['web', 'local'],
      found: [{ hits: [] }],
      coverage: (query) => query.length / 100,
    });
    const [first, second] = made.states;
    expect(first).toMatchObject({
      question: QUESTION.text,
      query: 'author of Old Wolf',
      round: 1,
      past: [],
      localCoverage: 0.18,
    });
    expect(second).toMatchObject({
      round: 2,
      // It brought nothing.
      past: [{ query: 'author of Old Wolf', source: 'web', missed: true, failed: false }],
    });
    expect(first?.roomLeft).toBeGreaterThan(second?.roomLeft ?? 1);
    expect(second?.roomLeft).toBeGreaterThan(0);
    expect(new Set(made.draws).size).toBe(2);
    for (const draw of made.draws) expect(draw >= 0 && draw < 1).toBe(true);
  });

  it('is a coverage of one half where nothing can tell, and a draw of one half for the likelier', async () => {
    const made = await ran(LOOP, {
      overrides: { ...via('router'), nlr: { routing: 'argmax' } },
    });
    expect(made.states.map(({ localCoverage }) => localCoverage)).toEqual([0.5, 0.5]);
    expect(made.draws).toEqual([0.5, 0.5]);
    expect(eventsOf(made.rollout, 'route').map(({ routing }) => routing)).toEqual([
      'argmax',
      'argmax',
    ]);
    const sampled = await ran(LOOP, { overrides: via('router') });
    for (const route of eventsOf(sampled.rollout, 'route'))
      expect(route).not.toHaveProperty('routing');
  });
});

describe('what a search costs', () => {
  const measured: SettingsOverride = {
    ...via('router'),
    nlr: { reward: 'measured', beta1: 1, beta2: 1 },
  };

  it('is told with its result, requests and bytes where the source counts them', async () => {
    const made = await ran(LOOP, {
      found: [{ latencyMs: 30, addedDelayMs: 4, requests: 3, bytes: 500 }, {}],
    });
    const [first, second] = eventsOf(made.rollout, 'retrieve');
    expect(first).toMatchObject({ latencyMs: 30, addedDelayMs: 4, requests: 3, bytes: 500 });
    for (const key of ['requests', 'bytes'] as const) expect(second?.[key]).toBeUndefined();
    // The result is the segment after the query's.
    for (const { segment } of [first, second].flatMap((event) => event ?? []))
      expect(made.rollout.segments[segment ?? 0]?.role).toBe('result');
  });

  it('counts for the mean of web calls where the web was asked, and is compared with those before', async () => {
    const made = await ran(LOOP, {
      overrides: measured,
      choices: ['web', 'local'],
      found: [{ latencyMs: 100 }, { latencyMs: 25 }],
    });
    expect(made.webLatency.state).toEqual({ sum: 100, count: 1 });
    // 1 − 25/100 of the time was saved; of two titles the first call brought one.
    expect(eventsOf(made.rollout, 'route').map(({ reward }) => reward)).toMatchObject([
      { efficiency: 0, information: 0.5 },
      { efficiency: 0.75, information: 0 },
    ]);
  });

  it('is nothing where both are asked: that is no choice', async () => {
    const made = await ran(LOOP, { overrides: via('both') });
    expect(made.webLatency.value).toBeNull();
    expect(eventsOf(made.rollout, 'route').map(({ reward }) => reward)).toEqual([null, null]);
  });
});

describe('a search that fails', () => {
  it('is an error and a hint, has no reward, and can be asked again', async () => {
    const made = await ran([LOOP[0] ?? '', LOOP[0] ?? '', ANSWER], {
      overrides: { ...base, stie: { mode: 'corrected' } },
      found: [new Error('no network'), {}],
    });
    expect(eventsOf(made.rollout, 'error').map(({ what, message }) => [what, message])).toEqual([
      ['retrieval', expect.stringContaining('failed: no network')],
    ]);
    const roles = made.rollout.segments.map(({ role, text }) => [role, text]);
    expect(roles.find(([role]) => role === 'hint')?.[1]).toContain(HINTS.searchFailed.slice(0, 20));
    expect(eventsOf(made.rollout, 'route').map(({ reward }) => reward === null)).toEqual([
      true,
      false,
    ]);
    expect(made.asked).toHaveLength(2);
    expect(made.states[1]?.past).toMatchObject([{ missed: true, failed: true }]);
  });

  it('of one source of two names it, and goes on with the other', async () => {
    const made = await ran([LOOP[0] ?? '', ANSWER], {
      overrides: via('both'),
      found: [{ failures: [{ source: 'web', message: 'timed out' }] }],
    });
    expect(eventsOf(made.rollout, 'error').map(({ message }) => message)).toEqual([
      'search of web failed: timed out; the other source answered',
    ]);
    expect(eventsOf(made.rollout, 'retrieve')).toHaveLength(1);
  });

  it('or succeeds after the user cancelled writes nothing more', async () => {
    for (const found of [[new Error('aborted')], [{}]] as Found[][]) {
      const abort = new AbortController();
      const made = await ran(LOOP, {
        signal: abort.signal,
        found,
        onSearch: () => abort.abort(),
      });
      expect(stopReason(made.rollout)).toBe('cancelled');
      expect(eventsOf(made.rollout, 'error')).toEqual([]);
      expect(eventsOf(made.rollout, 'retrieve')).toEqual([]);
      expect(made.asked).toHaveLength(1);
    }
  });
});

describe('STIE over queries', () => {
  const again = [LOOP[0] ?? '', LOOP[0] ?? '', ANSWER];
  const stie: SettingsOverride = {
    background: { mode: 'off' },
    stie: { mode: 'corrected', overAnswers: false },
  };

  it('leaves a repeated query the source that has not answered it: fixed, not drawn', async () => {
    const made = await ran(again, {
      overrides: { ...stie, retrieval: { source: 'router' } },
      choices: ['web'],
      found: [{ hits: [] }],
    });
    expect(routesOf(made)).toEqual([
      ['router', 'web', { local: 0.25, web: 0.75 }],
      ['fixed', 'local', { local: 1, web: 0 }],
    ]);
    expect(made.states).toHaveLength(1);
  });

  it('refuses it where only one source may be asked', async () => {
    const made = await ran(again, {
      overrides: { ...stie, retrieval: { source: 'local' } },
      found: [{ hits: [] }],
    });
    expect(made.asked).toHaveLength(1);
    const verdicts = eventsOf(made.rollout, 'verdict');
    expect(verdicts.map(({ over, round, action }) => [over, round, action])).toEqual([
      ['query', 1, expect.not.stringContaining('refused')],
      ['query', 2, 'refused'],
    ]);
    for (const { segment } of verdicts)
      expect(made.rollout.segments[segment ?? 0]?.role).toBe('search');
  });

  it('says nothing where it is off for queries', async () => {
    const made = await ran(again, {
      overrides: { ...stie, stie: { mode: 'corrected', overQueries: false, overAnswers: false } },
      found: [{ hits: [] }],
    });
    expect(made.asked).toHaveLength(2);
    expect(eventsOf(made.rollout, 'verdict')).toEqual([]);
  });
});
