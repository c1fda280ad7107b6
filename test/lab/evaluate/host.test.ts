import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EvaluationSpec } from '../../../src/evaluate/systems/spec.ts';
import type { EvaluationMessage } from '../../../src/lab/contract/evaluations.ts';
import { duplicateOf } from '../../../src/evaluate/systems/custom.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { EvaluationDatabase } from '../../../src/lab/evaluate/database.ts';
import { EvaluationHost, type EvaluationHostParts } from '../../../src/lab/evaluate/host.ts';
import { EvaluationStore } from '../../../src/lab/evaluate/store.ts';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { EvaluationResult } from '../../../src/evaluate/systems/result.ts';
import { probeOf } from '../../fixtures/probes.ts';
import { LOCAL, retrieverOver } from '../../agent/helpers.ts';
import { QUESTIONS, seededPolicy, SPEC } from '../../evaluate/systems/small-evaluation.ts';

/** Evaluations as the lab worker runs them, over a storage that outlives the tabs. */

let database: EvaluationDatabase;
let locks: LockManager;
const channels: BroadcastChannel[] = [];

/** Locks of one browser: held by name. */
function lockManager(): LockManager {
  const held = new Map<string, Promise<unknown>>();
  const request = async (
    name: string,
    options: unknown,
    given?: (lock: object | null) => unknown,
  ): Promise<unknown> => {
    const act = (given ?? options) as (lock: object | null) => unknown;
    if (given && held.has(name)) return act(null);
    while (held.has(name)) await held.get(name);
    const holding = Promise.resolve(act({ name })).finally(() => held.delete(name));
    held.set(name, holding);
    return holding;
  };
  const query = () => Promise.resolve({ held: [...held.keys()].map((name) => ({ name })) });
  return { request, query } as unknown as LockManager;
}

interface Tab {
  host: EvaluationHost;
  messages: EvaluationMessage[];
  /** Resolves when a message passes. */
  until: (passes: (message: EvaluationMessage) => boolean) => Promise<void>;
}

/**
 * @param onSearch is called in the place of a search; it may fail
 * @param changed parts that a test brings itself
 */
function openTab(
  onSearch: (count: number) => void = () => undefined,
  changed: Partial<EvaluationHostParts> = {},
): Tab {
  const channel = new BroadcastChannel('evaluations-test');
  const orders = new BroadcastChannel('evaluations-test-orders');
  channels.push(channel, orders);
  const real = retrieverOver();
  let searches = 0;
  const retriever: typeof real = {
    search: async (...args) => {
      onSearch(++searches);
      // A turn of the event loop, as a worker takes.
      await new Promise((resolve) => setTimeout(resolve, 1));
      return real.search(...args);
    },
  };
  const unreached = (): Promise<never> => Promise.reject(new Error('not asked for'));
  const parts: EvaluationHostParts = {
    store: new EvaluationStore(database),
    runs: {
      run: unreached,
      runs: () => Promise.resolve([]),
      adapterAt: unreached,
      adapterSteps: unreached,
      probesOf: () => Promise.resolve([]),
    },
    facts: () => Promise.resolve({ id: 'mini', revision: 'a' }) as never,
    endpointOf: () => null,
    openApart: () =>
      Promise.resolve({ policy: seededPolicy(), terminate: () => undefined }) as never,
    sourcesFor: () =>
      Promise.resolve({
        seed: 1,
        questions: QUESTIONS.map((one) => ({ ...one, split: 'test' as const })),
        retriever,
        router: createRouter(),
        local: LOCAL,
      }) as never,
    startWorld: unreached,
    collections: unreached,
    names: { questionsOf: unreached, unknownOfAll: unreached },
    startNames: () => {
      throw new Error('not asked for');
    },
    helper: unreached,
    version: '1',
    locks,
    channel,
    orders,
    ...changed,
  };
  const messages: EvaluationMessage[] = [];
  const waiting: { passes: (message: EvaluationMessage) => boolean; resolve: () => void }[] = [];
  const host = new EvaluationHost(parts);
  void host.listen((some) => {
    messages.push(...some);
    for (const one of waiting) if (some.some(one.passes)) one.resolve();
  });
  return {
    host,
    messages,
    until: (passes) => new Promise((resolve) => waiting.push({ passes, resolve })),
  };
}

const spec: EvaluationSpec = {
  ...SPEC,
  systems: ['search', duplicateOf(getRecipe('search'), 'twin', 'Twin'), 'naive-rag'],
  questions: [{ kind: 'built-in', split: 'test', limit: 6 }],
};

const ended = (message: EvaluationMessage): boolean =>
  message.type === 'evaluation' && message.evaluation.status !== 'running';

const comparable = (result: EvaluationResult) => ({
  ...result,
  rollouts: result.rollouts.map((rollout) => ({ ...rollout, seconds: 0 })),
});

beforeEach(() => {
  database = new EvaluationDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  locks = lockManager();
});
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close();
});

describe('how long it takes', () => {
  it('is not promised before this device has run the model; the first rollouts say it, and are kept', async () => {
    const { host } = openTab();
    const before = await host.estimate(spec, 'wasm');
    expect(before).toMatchObject({ seconds: null, basis: 'not measured on this device yet' });
    const doing: string[] = [];
    await host.measure(spec, 'wasm', (line) => doing.push(line));
    const after = await host.estimate(spec, 'wasm');
    expect(after.seconds).toBeGreaterThan(0);
    expect(after.basis).toMatch(/^from \d+ earlier rollouts on this device$/u);
    expect(after.reused).toBeGreaterThan(0);
    expect(after.toMake).toBeLessThan(before.toMake);
    expect(doing.some((line) => /^\d+ of \d+ rollouts$/u.test(line))).toBe(true);
    // No evaluation came of it.
    expect(await host.list()).toEqual([]);
  });

  it('is that of a probe of training, where one was made with the model', async () => {
    const probe = probeOf({ rollout: 2, update: 1 });
    const row = { key: 'k', model: 'mini a wasm', recipe: 'search', probe };
    const { host } = openTab(undefined, {
      runs: {
        run: () => Promise.reject(new Error('not asked for')),
        runs: () => Promise.resolve([]),
        adapterAt: () => Promise.reject(new Error('not asked for')),
        adapterSteps: () => Promise.reject(new Error('not asked for')),
        probesOf: (model) => Promise.resolve(model === row.model ? [row] : []),
      },
    });
    const { seconds, toMake } = await host.estimate(spec, 'wasm');
    expect(seconds).toBeCloseTo(2 * toMake, 6);
  });
});

describe('evaluations in the lab', () => {
  it('stream their rollouts, and leave the result and every rollout in the storage', async () => {
    const { host, messages, until } = openTab();
    const end = until(ended);
    const { id } = await host.start(spec, '', 'wasm');
    await end;
    const [record] = await host.list();
    expect(record).toMatchObject({
      status: 'finished',
      planned: 36,
      done: 36,
      failed: 0,
      failure: null,
    });
    const result = await host.result(id);
    expect(result.hash).toBe(record?.hash);
    const scores = new Map(result.rollouts.map(({ answer, em }) => [answer, em]));
    expect([scores.get('Borfield'), scores.get('Mondria')]).toEqual([1, 0]);
    const streamed = messages.flatMap((one) => (one.type === 'rollouts' ? one.rollouts : []));
    expect(new Set(streamed.map(({ rollout, seed }) => `${rollout} ${seed}`)).size).toBe(
      new Set(result.rollouts.map(({ rollout, seed }) => `${rollout} ${seed}`)).size,
    );
    const one = result.rollouts.find(({ system }) => system === 'naive-rag');
    const stored = await host.rollout(one?.rollout ?? '');
    expect(stored).toMatchObject({
      id: one?.rollout,
      recipe: { id: 'naive-rag' },
      answer: one?.answer,
    });
    const [table] = await host.table(id, {});
    expect(table?.rows.map(({ rollouts }) => rollouts)).toEqual([12, 12, 12]);
  });

  it('go on in another tab after a pause to the same result, and reuse what is there', async () => {
    const first = openTab();
    const whole = first.until(ended);
    const { id: reference } = await first.host.start(spec, 'whole', 'wasm');
    await whole;
    const expected = comparable(await first.host.result(reference));
    database = new EvaluationDatabase('other', { indexedDB: new IDBFactory(), IDBKeyRange });
    let pause = (): void => undefined;
    const tab = openTab((count) => count === 4 && pause());
    const paused = tab.until(
      (one) =>
        one.type === 'evaluation' &&
        one.evaluation.status === 'paused' &&
        one.evaluation.planned > 0,
    );
    const { id } = await tab.host.start(spec, 'whole', 'wasm');
    pause = () => void tab.host.pause(id);
    await paused;
    const later = openTab();
    const end = later.until(ended);
    await later.host.resume(id, 'wasm');
    await end;
    expect(comparable(await later.host.result(id))).toEqual(expected);
    const estimate = await later.host.estimate({ ...spec, seeds: [1, 3] }, 'wasm');
    // Seed 1 is there for all 18; of seed 3 two loops are to be made on six questions.
    expect(estimate).toMatchObject({
      planned: 36,
      reused: 18,
      toMake: 12,
      systems: 3,
      questions: 6,
    });
    expect(estimate.basis).toContain('this device');
  });

  it('are paused where their tab was killed, and say so', async () => {
    const { host } = openTab();
    const end = openTab();
    const store = new EvaluationStore(database);
    const begun = end.until(ended);
    const { id } = await end.host.start(spec, 'x', 'wasm');
    await begun;
    // As a tab leaves it that died: the record counts what was there when it was planned.
    await store.change(id, { status: 'running', done: 0 });
    const { rollouts } = await store.result(id);
    expect(rollouts.length).toBeGreaterThan(0);
    expect((await host.list())[0]).toMatchObject({
      status: 'paused',
      done: rollouts.length,
      notice: expect.stringMatching(/closed.*“Continue” runs/u) as string,
    });
  });

  it('mark a rollout that failed, and try it again', async () => {
    const unlucky = openTab((count) => {
      if (count === 1) throw new Error('the index is gone');
    });
    const end = unlucky.until(ended);
    const { id } = await unlucky.host.start(spec, 'x', 'wasm');
    await end;
    const { failed, rollouts, planned } = await unlucky.host.result(id);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length + rollouts.length).toBe(planned);
    expect(failed[0]?.message).toContain('the index is gone');
    const again = unlucky.until(ended);
    await unlucky.host.resume(id, 'wasm');
    await again;
    expect((await unlucky.host.result(id)).failed).toEqual([]);
  });

  it('take the time to go from rollouts alone, not from the opening of the policy', async () => {
    const now = performance.now.bind(performance);
    let opening = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + opening);
    onTestFinished(() => clock.mockRestore());
    // Progress is told every so often, however fast rollouts are made.
    const today = Date.now.bind(Date);
    let later = 0;
    const date = vi.spyOn(Date, 'now').mockImplementation(() => today() + later);
    onTestFinished(() => date.mockRestore());
    const { host, messages, until } = openTab(() => (later += 60_000), {
      openApart: () => {
        opening += 600_000;
        return Promise.resolve({ policy: seededPolicy(), terminate: () => undefined }) as never;
      },
    });
    const end = until(ended);
    await host.start(spec, 'x', 'wasm');
    await end;
    const told = messages.flatMap((one) =>
      one.type === 'progress' ? (one.progress.etaSeconds ?? []) : [],
    );
    expect(told.length).toBeGreaterThan(0);
    expect(Math.max(...told)).toBeLessThan(60);
  });

  it('whose judge fails end so that they go on, and ask for no verdict twice', async () => {
    const judging: EvaluationSpec = {
      ...spec,
      judge: { kind: 'model', policy: { kind: 'built-in' } },
    };
    let asked = 0;
    let working = 1;
    // The questions are one text with two answers: two verdicts are all that is asked for.
    const tab = openTab(undefined, {
      helper: () =>
        Promise.resolve({
          id: 'judge',
          complete: () => {
            asked++;
            if (working-- <= 0) return Promise.reject(new Error('503 from the judge'));
            return Promise.resolve('True');
          },
        }),
    });
    const end = tab.until(ended);
    const { id } = await tab.host.start(judging, 'x', 'wasm');
    await end;
    const [record] = await tab.host.list();
    expect(record).toMatchObject({ status: 'failed', done: 36, failed: 0 });
    const { message } = record?.failure ?? { message: '' };
    expect(message).toContain('503 from the judge');
    const [, missing, all] = /(\d+) of (\d+) answers have no verdict/u.exec(message) ?? [];
    expect(Number(missing)).toBeGreaterThan(0);
    expect(Number(missing)).toBeLessThan(Number(all));

    working = Infinity;
    asked = 0;
    const again = tab.until(ended);
    await tab.host.resume(id, 'wasm');
    await again;
    expect((await tab.host.list())[0]).toMatchObject({ status: 'finished', failure: null });
    expect(asked).toBe(1);
    const judged = (await tab.host.result(id)).rollouts.filter(({ judge }) => judge !== null);
    expect(judged).toHaveLength(36);
  });

  it('can be renamed, removed and brought back, and refuse what is no system', async () => {
    const { host, until } = openTab();
    const end = until(ended);
    const { id } = await host.start(spec, 'x', 'wasm');
    await end;
    await host.rename(id, 'Baselines');
    await host.remove(id);
    expect((await host.list())[0]).toMatchObject({ name: 'Baselines' });
    expect((await host.list())[0]?.deletedAt).not.toBeNull();
    await host.restore(id);
    expect((await host.list())[0]?.deletedAt).toBeNull();
    await expect(host.start({ ...spec, systems: ['telepathy'] }, '', 'wasm')).rejects.toThrow(
      'telepathy',
    );
    const file = await host.exportEvaluation(id);
    expect(await host.readEvaluation(file)).toEqual({ name: 'Baselines', spec });
  });
});
