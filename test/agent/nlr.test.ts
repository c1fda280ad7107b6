import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../src/agent/router/coverage.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import { eventsOf, LOCAL, run } from './helpers.ts';
import { ANSWER, LOOP, base, off } from './loop-script.ts';
import { LOCAL_ONLY } from '../../src/recipes/parts/settings.ts';

const routes = async (seed: number): Promise<string[]> => {
  const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides: base, seed });
  return eventsOf(rollout, 'route').map((e) => `${e.by} ${e.choice}`);
};

describe('NLR in the loop', () => {
  it('draws the source from the seed, so that the same seed routes the same way', async () => {
    expect(await routes(5)).toEqual(await routes(5));
    const all = new Set<string>();
    for (let seed = 0; seed < 12; seed++) for (const r of await routes(seed)) all.add(r);
    expect([...all].toSorted((a, b) => a.localeCompare(b))).toEqual(['router local', 'router web']);
  });

  it('takes the likelier source whatever the seed, where routing is argmax', async () => {
    const overrides = { ...base, nlr: { routing: 'argmax' as const } };
    for (let seed = 0; seed < 6; seed++) {
      const options = { recipe: 'kunlun-baize', overrides, seed };
      const { rollout } = await run({ main: LOOP }, options);
      for (const { by, routing, choice, probabilities } of eventsOf(rollout, 'route')) {
        expect([by, routing]).toEqual(['router', 'argmax']);
        expect(choice).toBe(probabilities.web > probabilities.local ? 'web' : 'local');
      }
    }
    // Sampled, the same questions do not always go there.
    expect(new Set((await Promise.all([0, 1, 2, 3, 4, 5].map(routes))).flat()).size).toBe(2);
  });

  it('shows features, probabilities and the reward once the call returned', async () => {
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides: base });
    const [route] = eventsOf(rollout, 'route');
    expect(route?.features.length).toBeGreaterThan(10);
    expect((route?.probabilities.local ?? 0) + (route?.probabilities.web ?? 0)).toBeCloseTo(1);
    const local = route?.choice === 'local';
    expect(route?.reward).toMatchObject({ mode: 'paper', total: local ? 0.21 : 0.175 });
  });

  it('does not see what the local index knows where its coverage is hidden', async () => {
    const router = createRouter({ localCoverage: coverageOf(LOCAL) });
    const coverage = async (nlr: { coverage?: 'seen' | 'hidden' }): Promise<unknown> => {
      const overrides = { ...base, nlr };
      const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides, router });
      const [route] = eventsOf(rollout, 'route');
      return route?.features.find(({ name }) => name === 'local coverage')?.value;
    };
    // Old Wolf is a local title.
    expect(await coverage({})).toBe(1);
    expect(await coverage({ coverage: 'hidden' })).toBe(0.5);
  });

  it.each(['local', 'web'] as const)('always-%s asks that source alone', async (source) => {
    const overrides = { ...base, retrieval: { source } };
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'retrieve').map((e) => e.source)).toEqual([source, source]);
    expect(eventsOf(rollout, 'retrieve')[0]?.hits.every((h) => h.source === source)).toBe(true);
    expect(eventsOf(rollout, 'route')[0]?.by).toBe('fixed');
  });

  it("follows the policy's own choice of tag", async () => {
    const main = [
      '<think> a</think><local_search> author of Old Wolf</local_search>',
      '<think> b</think><web_search> Estdor Group</web_search>',
      ANSWER,
    ];
    const { rollout } = await run({ main });
    expect(eventsOf(rollout, 'route').map((e) => [e.by, e.choice])).toEqual([
      ['policy-tag', 'local'],
      ['policy-tag', 'web'],
    ]);
    expect(eventsOf(rollout, 'search').map((e) => e.tag)).toEqual(['local_search', 'web_search']);
    expect(rollout.metrics?.formatValid).toBe(true);
  });

  it('the local source alone: neither a tag nor the background leads to the web', async () => {
    const main = [
      '<think> a</think><web_search> author of Old Wolf</web_search>',
      '<think> b</think><local_search> Estdor Group</local_search>',
      ANSWER,
    ];
    const overrides = { ...off, ...LOCAL_ONLY };
    const { rollout } = await run({ main }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'route').map((e) => [e.by, e.choice])).toEqual([
      ['fixed', 'local'],
      ['fixed', 'local'],
    ]);
    const found = [...eventsOf(rollout, 'background'), ...eventsOf(rollout, 'retrieve')];
    expect(found).toHaveLength(3);
    expect(new Set(found.flatMap((e) => e.hits.map((h) => h.source)))).toEqual(new Set(['local']));
  });

  it('measured: the evidence that the very call brought', async () => {
    const overrides = {
      ...base,
      retrieval: { source: 'local' as const, k: 1 },
      nlr: { reward: 'measured' as const, beta1: 1, beta2: 1 },
    };
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
    // one of two supporting titles with each call; no web call yet, so no saving is known
    expect(eventsOf(rollout, 'route').map((e) => e.reward?.information)).toEqual([0.5, 0.5]);
    expect(eventsOf(rollout, 'route')[0]?.reward?.efficiency).toBe(0);
  });
});
