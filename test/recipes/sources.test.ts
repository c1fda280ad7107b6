import { expect, it } from 'vitest';
import { RECIPES } from '../../src/systems/index.ts';
import { constantsOf } from '../../src/recipes/parts/sources.ts';
import { SWITCHES } from '../../src/recipes/switches/list.ts';
import { labHere } from '../cli/lab.ts';

const ALL = [...RECIPES, ...SWITCHES];

it('every source is of a constant that there is, and says paper, code or ours first', () => {
  for (const one of ALL)
    for (const { from } of constantsOf(one))
      expect(from).toMatch(/^(?:paper|code|ours|FlashRAG|not confirmed)/u);
});

it('nearly every system of a paper tells where some constants are from', () => {
  const silent = ALL.filter((one) => one.about && constantsOf(one).length === 0);
  // These have no constants of their own: one is a composition, one selects data, two are baselines.
  expect(silent.map(({ id }) => id)).toEqual([
    'select2reason',
    'after-ctm',
    'naive-rag',
    'chain-of-thought',
  ]);
});

it('is found with its value in loop, variant, switch or reward, and else refused by name', () => {
  const one = {
    id: 'one',
    settings: { retrieval: { k: 3, cut: null } },
    training: [
      { name: 'as-released', settings: { stages: [{ reward: 'em', loss: { beta: 0.1 } }] } },
    ],
  };
  const told = (constant: string) =>
    constantsOf({ ...one, about: { sources: { [constant]: 'paper' } } });
  expect(told('settings.retrieval.k')).toEqual([
    { constant: 'settings.retrieval.k', value: 3, from: 'paper' },
  ]);
  expect(told('settings.retrieval.cut')[0]?.value).toBeNull();
  expect(told('as-released.stages.0.loss.beta')[0]?.value).toBe(0.1);
  expect(told('reward.em')[0]?.value).toBeNull();
  for (const wrong of ['settings.retrieval.n', 'grpo.stages', 'reward.f1', 'changes.updates', ''])
    expect(() => told(wrong)).toThrow(`one has no constant "${wrong}"`);
});

it('lab recipes --json shows constants with value and source', async () => {
  const entries = JSON.parse((await labHere('recipes', '--json')).out) as {
    id: string;
    sources: unknown[];
  }[];
  const of = (id: string) => entries.find((entry) => entry.id === id)?.sources;
  expect(of('verl-tool')).toContainEqual({
    constant: 'settings.retrieval.maxSearches',
    value: 2,
    from: 'code: examples/train/search_r1/train_3b.sh',
  });
  expect(of('speed-rl')).toContainEqual({
    constant: 'changes.dynamicSampling.system.screen',
    value: 4,
    from: 'code: 4 of 24 in its plots, 8 of 24 in its script',
  });
});
