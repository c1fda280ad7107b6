import { expect, test } from 'vitest';
import { evaluateCommand, evaluationOverrides } from '../../src/cli/commands/evaluate.ts';
import { parseOptions } from '../../src/cli/shared/options.ts';
import { withChanges } from '../../src/learn/settings/edit-settings.ts';
import type { TrainSettings } from '../../src/recipes/parts/training.ts';
import { getRecipe, getTraining } from '../../src/systems/index.ts';
import { withOverrides } from '../../src/recipes/parts/settings.ts';

const runOf = (...changes: string[]): TrainSettings =>
  withChanges(getTraining('kunlun-baize'), changes);

/** Settings of the rollouts that `lab evaluate` makes. */
const settingsOf = (run: TrainSettings | null, ...args: string[]) => {
  const { values, lists } = parseOptions(evaluateCommand, args);
  const recipe = getRecipe(String(values.recipe ?? run?.recipe ?? 'search'));
  return withOverrides(recipe.settings, evaluationOverrides(values, lists, run));
};

test('an option changes its own field of what the run trained with, and no other', () => {
  const run = runOf('overrides.background={"source":"web","k":4}', 'overrides.stie.candidates=7');
  const { background, stie } = settingsOf(run, '--background', 'shown', '--stie', 'paper');
  expect(background).toMatchObject({ mode: 'shown', source: 'web', k: 4 });
  expect(stie).toMatchObject({ mode: 'paper', candidates: 7 });
});

test('a run’s router earns in evaluation what it earned in training', () => {
  const run = runOf('router.train=beside', 'overrides.nlr.beta1=0.3');
  expect(settingsOf(run).nlr).toMatchObject({ reward: 'measured', beta1: 0.3, beta2: 0.8 });
  const untrained = runOf('router.train=off');
  expect(settingsOf(untrained).nlr).toEqual({
    ...getRecipe(run.recipe).settings.nlr,
    routing: 'argmax',
  });
});

test('searches are routed to the likelier source, unless --routing says otherwise', () => {
  const routingOf = (run: TrainSettings | null, ...args: string[]): string =>
    settingsOf(run, ...args).nlr.routing;
  for (const run of [runOf('router.train=beside'), null]) {
    expect(routingOf(run)).toBe('argmax');
    expect(routingOf(run, '--recipe', 'kunlun-baize')).toBe('argmax');
    expect(routingOf(run, '--routing', 'sampled')).toBe('sampled');
  }
});

test('another recipe takes nothing of what the run changed in its own', () => {
  const run = runOf('overrides.retrieval.k=9');
  expect(settingsOf(run).retrieval.k).toBe(9);
  expect(settingsOf(run, '--recipe', 'search').retrieval).toEqual(
    getRecipe('search').settings.retrieval,
  );
});
