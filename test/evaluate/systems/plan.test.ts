import { describe, expect, it } from 'vitest';
import {
  executeEvaluation,
  missing,
  resultOf,
} from '../../../src/evaluate/systems/plan/execute.ts';
import { expectedSeconds, toBeTimed } from '../../../src/evaluate/systems/plan/estimate.ts';
import { planEvaluation } from '../../../src/evaluate/systems/plan/plan.ts';
import type { RolloutFacts } from '../../../src/evaluate/systems/plan/row.ts';
import { sourceNeeded } from '../../../src/evaluate/source-needed.ts';
import { hopsFound } from '../../../src/evaluate/systems/plan/row.ts';
import { readAs } from '../../../src/evaluate/systems/plan/rollout-id.ts';
import { duplicateOf, type CustomSystem } from '../../../src/evaluate/systems/custom.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { TableFormat } from '../../../src/evaluate/systems/table/shape.ts';
import { systemsTables } from '../../../src/evaluate/systems/table/table.ts';
import { tableText } from '../../../src/evaluate/systems/table/text.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { open, planOf, QUESTIONS, SPEC } from './small-evaluation.ts';

const keysOf = async (...args: Parameters<typeof planOf>): Promise<string[]> =>
  (await planOf(...args)).rollouts.map(({ key }) => key);

describe('the plan', () => {
  it('asks every question of every system with every seed, question by question', async () => {
    const { rollouts, systems } = await planOf();
    expect(systems.map(({ id }) => id)).toEqual(['search', 'search-r1', 'naive-rag']);
    expect(rollouts).toHaveLength(3 * 6 * 2);
    expect(
      rollouts.slice(0, 6).map(({ system, question, seed }) => [question, seed, system]),
    ).toEqual([
      ['world/q0', 1, 'search'],
      ['world/q0', 1, 'search-r1'],
      ['world/q0', 1, 'naive-rag'],
      ['world/q0', 2, 'search'],
      ['world/q0', 2, 'search-r1'],
      ['world/q0', 2, 'naive-rag'],
    ]);
  });

  it('hashes what decides a rollout, and nothing else', async () => {
    const keys = await keysOf();
    const fewer = await keysOf({ ...SPEC, systems: ['naive-rag', 'search'], seeds: [2] });
    expect(fewer.every((key) => keys.includes(key))).toBe(true);
    expect(await keysOf({ ...SPEC, judge: { kind: 'off' } })).toEqual(keys);
    for (const other of [
      await keysOf(SPEC, { version: '2' }),
      await keysOf(SPEC, { revision: 'b' }),
      await keysOf({ ...SPEC, seeds: [3, 4] }),
      await keysOf({ ...SPEC, temperature: 1 }),
      await keysOf({ ...SPEC, retrieval: [{ k: 5 }] }),
      await keysOf(SPEC, { questions: QUESTIONS.map((one) => ({ ...one, answers: ['no'] })) }),
    ])
      expect(other.some((key) => keys.includes(key))).toBe(false);
  });

  it('runs one loop of two systems once, and reads it as the rollout of each', async () => {
    const twin = duplicateOf(getRecipe('search'), 'twin', 'Twin');
    const plan = await planOf({ ...SPEC, systems: ['search', twin, 'naive-rag'] });
    expect(plan.rollouts).toHaveLength(3 * 6 * 2);
    expect(missing(plan, () => null).flat()).toHaveLength(2 * 6 * 2);
    const stored = { recipe: { id: 'search', version: '1', settings: {} } } as unknown as Rollout;
    expect(readAs(stored, 'abc.search-r1')).toMatchObject({
      id: 'abc.search-r1',
      recipe: { id: 'search-r1' },
    });
  });

  it('lets a system of its own keep what it sets, under the retrieval that is compared', async () => {
    const custom: CustomSystem = {
      format: 'forage.system/1',
      id: 'greedy',
      title: 'Greedy',
      base: 'search',
      changes: { sampling: { temperature: 0 }, retrieval: { k: 7 } },
      notes: '',
    };
    const { rollouts, systems } = await planOf({
      ...SPEC,
      systems: ['search', custom],
      retrieval: [{}, { k: 4 }],
    });
    const settings = (id: string) => rollouts.find(({ system }) => system === id)?.overrides;
    const ids = systems.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(settings(ids[0] ?? '')).toMatchObject({ sampling: { temperature: SPEC.temperature } });
    expect(settings(ids[2] ?? '')).toMatchObject({
      sampling: { temperature: 0 },
      retrieval: { k: 7 },
    });
    expect(settings(ids[3] ?? '')).toMatchObject({
      sampling: { temperature: 0 },
      retrieval: { k: 4 },
    });
    expect(systems[2]?.changes).toEqual([
      { setting: 'sampling.temperature', from: 1, to: 0 },
      { setting: 'retrieval.k', from: getRecipe('search').settings.retrieval.k, to: 7 },
    ]);
  });

  it('leaves out questions that nothing can be scored by, and says so where none is left', async () => {
    const [first, ...rest] = QUESTIONS;
    const bare = { ...first, id: 'bare', text: 'What?', answers: [], supporting: [] };
    const plan = await planOf(SPEC, { questions: [bare, ...rest] });
    expect([plan.leftOut, plan.questions.length]).toEqual([1, 5]);
    await expect(planOf(SPEC, { questions: [bare] })).rejects.toThrow('gold answer');
    await expect(
      planEvaluation(
        { ...SPEC, systems: ['search'], retrieval: [{ k: 4.5 }] },
        {
          policies: [{ key: 'p', name: 'p', identity: 1, spelling: () => Promise.resolve('ids') }],
          sets: [{ key: 's', name: 's', questions: QUESTIONS }],
          sources: () => Promise.resolve(1),
          version: '1',
        },
      ),
    ).rejects.toThrow('retrieval.k');
  });
});

describe('a system that needs a chat model', () => {
  const systems = ['search', 'active-rag'];

  it('is not run with a policy that only knows tags, and is in the plan with the reason', async () => {
    const plan = await planOf({ ...SPEC, systems });
    expect(plan.systems.map(({ id }) => id)).toEqual(['search']);
    expect(new Set(plan.rollouts.map(({ system }) => system))).toEqual(new Set(['search']));
    const [one] = plan.skipped;
    expect(one?.title).toBe('ActiveRAG');
    expect(one?.reason).toMatch(/needs a chat model/);
    // It changes nothing of what is run.
    expect(plan.hash).toBe((await planOf({ ...SPEC, systems: ['search'] })).hash);
  });

  it('is named in every form of the table', async () => {
    const plan = await planOf({ ...SPEC, systems });
    const result = resultOf(plan, 'x', () => null, new Map());
    const tables = await systemsTables(result, 'all', { interval: { resamples: 10 } });
    const text = (format: TableFormat): string =>
      tableText({ result, tables, times: false }, format);
    expect(text('markdown')).toMatch(/Not run:\n\n- ActiveRAG, mini: ActiveRAG needs a chat model/);
    expect(text('csv')).toMatch(/^all,active-rag,ActiveRAG,mini,(?:,)+not run$/m);
    expect(text('latex')).toMatch(/^% Not run: ActiveRAG, mini: /m);
  });

  it('is run where tags are text, and alone is refused where they are not', async () => {
    const plan = await planOf({ ...SPEC, systems }, { spelling: 'text' });
    expect([plan.systems.length, plan.skipped]).toEqual([2, []]);
    await expect(planOf({ ...SPEC, systems: ['active-rag'] })).rejects.toThrow(
      /None of the systems.*needs a chat model/,
    );
  });
});

describe('making the rollouts', () => {
  it('marks the rollout that failed and continues', async () => {
    const plan = await planOf();
    const known = new Map<string, RolloutFacts>();
    const failures = new Map<string, string>();
    await executeEvaluation(plan, {
      known: (key) => known.get(key) ?? null,
      open: async () => {
        const place = await open();
        let searches = 0;
        const { retriever } = place.deps;
        const failing: typeof retriever = {
          search: (...args) =>
            searches++ === 0
              ? Promise.reject(new Error('the index is gone'))
              : retriever.search(...args),
        };
        return { ...place, deps: { ...place.deps, retriever: failing }, adapter: 'run-a-step-2' };
      },
      keep: ({ key }, { policy }, facts) => {
        // By it the rollout is continued elsewhere.
        expect(policy.adapter).toBe('run-a-step-2');
        known.set(key, facts);
      },
      failed: ({ key }, message) => void failures.set(key, message),
      atOnce: 1,
    });
    expect([...failures.values()]).toEqual(['search of both failed: the index is gone']);
    const result = resultOf(plan, 'x', (key) => known.get(key) ?? null, failures);
    expect(result.rollouts.length + result.failed.length).toBe(result.planned);
    expect(result.failed.length).toBeGreaterThan(0);
  });

  it('expects of a rollout what its recipe took here with the same policy', async () => {
    const plan = await planOf({ ...SPEC, systems: ['search', 'naive-rag'] });
    const todo = missing(plan, () => null).flat();
    const measured = [
      { recipe: 'search', policy: 'mini', seconds: 2 },
      { recipe: 'search', policy: 'mini', seconds: 4 },
      { recipe: 'search', policy: 'another', seconds: 100 },
    ];
    // 12 rollouts of search at 3 s; naive-rag was never run: the mean of the policy's, 3 s too.
    expect(expectedSeconds(todo, ['mini'], measured).seconds).toBe(72);
    expect(expectedSeconds([], ['mini'], measured).seconds).toBe(0);
    // Nothing is promised from another machine.
    expect(expectedSeconds(todo, ['new'], measured)).toEqual({
      seconds: null,
      basis: 'not measured on this device yet',
    });
  });

  it('times the first quarter, 32 at most, of a policy that was never run here', async () => {
    const plan = await planOf({ ...SPEC, systems: ['search', 'naive-rag'] });
    const todo = missing(plan, () => null).flat();
    const timed = toBeTimed(todo, ['new'], [{ recipe: 'search', policy: 'other', seconds: 1 }]);
    expect(timed).toEqual(todo.slice(0, 6));
    expect(new Set(timed.map(({ system }) => system))).toEqual(new Set(['search', 'naive-rag']));
    const many = Array.from({ length: 20 }, () => todo).flat();
    expect(toBeTimed(many, ['new'], [])).toHaveLength(32);
    expect(toBeTimed(todo, ['mini'], [{ recipe: 'x', policy: 'mini', seconds: 1 }])).toEqual([]);
    expect(toBeTimed([], ['mini'], [])).toEqual([]);
  });
});

describe('what is kept of a question', () => {
  const step = (source: 'local' | 'web' | 'both', passageId: string) => ({
    subject: 's',
    relation: 'r',
    object: 'o',
    title: passageId,
    query: 'q',
    source,
    passageId,
    passageIds: [passageId],
  });

  it('needs both sources where neither holds the whole chain', () => {
    expect(sourceNeeded({ chain: [step('local', 'a'), step('web', 'b')] })).toBe('both');
    expect(sourceNeeded({ chain: [step('both', 'a'), step('web', 'b')] })).toBe('web');
    expect(sourceNeeded({ chain: [step('both', 'a'), step('both', 'b')] })).toBe('local');
    expect(sourceNeeded({})).toBe(null);
  });

  it('finds a hop by a passage that states it, retrieved at any time', () => {
    const chain = [step('local', 'a'), step('web', 'b')];
    const hit = (id: string) => ({ passage: { id, title: id, text: '', sentences: [] } });
    const events = [{ kind: 'retrieve', hits: [hit('b')] }] as unknown as Rollout['events'];
    expect(hopsFound({ chain }, { events })).toEqual([false, true]);
  });
});
