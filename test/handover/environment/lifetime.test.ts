import { afterEach, describe, expect, it } from 'vitest';
import { idsOf } from '../../agent/scripted-policy.ts';
import { drive, partsOf, serve, settingsOf, type Served } from './served.ts';

/** What a server keeps, and for how long: a run of a million rollouts takes what a short one takes. */

const ANSWER = { ids: idsOf('<think> b </think><short_answer> \\boxed{ x } </short_answer>') };
let served: Served;
afterEach(() => served.stop());

const episode = (id: string, index = 0) => ({ id, draw: 0, index, step: 1 });

describe('a trainer that was killed', () => {
  it('drops expired rollouts; those of others stay', async () => {
    let now = 1_000_000;
    served = await serve(await partsOf(settingsOf('search-r1'), { now: () => now }), {
      expireSeconds: 60,
    });
    await served.open([episode('dead'), episode('alive', 1)]);
    now += 59_000;
    served.environment.sweep();
    expect(served.environment.health().rollouts).toEqual({ open: 2, finished: 0, expired: 0 });
    await served.step([{ id: 'alive#0', ids: idsOf('<think> a </think><search> b </search>') }]);
    now += 2_000;
    served.environment.sweep();
    expect(served.environment.health().rollouts).toEqual({ open: 1, finished: 0, expired: 1 });
    const late = await served.post('/v1/step', { answers: [{ id: 'dead#0', ...ANSWER }] });
    expect(late.status).toBe(400);
    expect(late.text).toMatch(/expired after 60 s without a step/);
    expect((await served.step([{ id: 'alive#1', ...ANSWER }])).done).toHaveLength(1);
    expect(served.records.map(({ id }) => id)).toEqual(['alive']);
    // Its name is free again.
    expect((await served.open([episode('dead')])).requests).toHaveLength(1);
  });

  it('does not expire while it is the server that works', async () => {
    let now = 0;
    const parts = await partsOf(settingsOf('search-r1'), { now: () => now });
    let answer = (): void => undefined;
    const asked = new Promise<void>((told) => {
      parts.retriever = {
        search: async (source, query) => {
          told();
          await new Promise<void>((resolve) => (answer = resolve));
          return { source, query, hits: [], latencyMs: 0, addedDelayMs: 0 };
        },
      };
    });
    served = await serve(parts, { expireSeconds: 60 });
    await served.open([episode('a')]);
    const step = served.step([{ id: 'a#0', ids: idsOf('<think> a </think><search> b </search>') }]);
    await asked;
    now += 120_000;
    served.environment.sweep();
    answer();
    expect((await step).requests).toHaveLength(1);
    // From then on the trainer has its time.
    now += 59_000;
    served.environment.sweep();
    expect(served.environment.health().rollouts.open).toBe(1);
  });
});

describe('a server', () => {
  it('ends what is closed', async () => {
    served = await serve(await partsOf(settingsOf('search-r1')));
    await served.open([episode('a'), episode('b', 1)]);
    const closed = await served.post('/v1/close', { rollouts: ['a', 'nobody'] });
    expect(JSON.parse(closed.text)).toEqual({ closed: ['a'] });
    expect(served.environment.health().rollouts.open).toBe(1);
    const late = await served.post('/v1/step', { answers: [{ id: 'a#0', ...ANSWER }] });
    expect(late.status).toBe(400);
  });

  it('refuses more rollouts than it was made for, all of a call', async () => {
    served = await serve(await partsOf(settingsOf('search-r1')), { rollouts: 2 });
    await served.open([episode('a')]);
    const more = { rollouts: [episode('b', 1), episode('c', 2)] };
    const refused = await served.post('/v1/open', more);
    expect(refused.status).toBe(429);
    expect(refused.text).toMatch(/1 rollouts are open and 2 more would be over 2/);
    await drive(served, [episode('a')], () => ANSWER);
    expect((await served.post('/v1/open', more)).status).toBe(200);
  });

  it('keeps a bounded number of results for lost replies, the last ones', async () => {
    served = await serve(await partsOf(settingsOf('search-r1')), { keptChars: 5000 });
    const ids = Array.from({ length: 40 }, (_, i) => `r${i}`);
    for (const [i, id] of ids.entries()) await drive(served, [episode(id, i)], () => ANSWER);
    const again = (id: string) =>
      served.post('/v1/step', { answers: [{ id: `${id}#0`, ...ANSWER }] });
    expect((await again('r39')).status).toBe(200);
    expect((await again('r0')).status).toBe(400);
    expect(served.environment.health().rollouts).toEqual({ open: 0, finished: 40, expired: 0 });
  });

  it('runs 480 rollouts at once', async () => {
    served = await serve(await partsOf(settingsOf('search-r1')));
    const episodes = Array.from({ length: 480 }, (_, i) => ({
      id: `r${i}`,
      draw: Math.floor(i / 8),
      index: i % 8,
      step: 1 + Math.floor(i / 64),
    }));
    const turn = await served.open(episodes);
    expect(turn.requests.map(({ rollout }) => rollout)).toEqual(episodes.map(({ id }) => id));
    const ended = await served.step(turn.requests.map(({ id }) => ({ id, ...ANSWER })));
    expect(ended.done.map(({ rollout }) => rollout)).toEqual(episodes.map(({ id }) => id));
    expect(served.records).toHaveLength(480);
  });
});
