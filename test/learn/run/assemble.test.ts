import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/records/records.ts';
import { assembleRun, checkRouter, type RunParts } from '../../../src/learn/run/assemble.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { tinySettings } from '../rl/helpers.ts';

/** What whoever drives a run opened; a test that reaches an engine or a search fails by its own words. */
const unreached = (what: string): never => {
  throw new Error(`${what} was asked for`);
};

const question = (id: string, split: string): Question & { split: string } => ({
  id,
  split,
  text: `Who wrote ${id}?`,
  answers: ['Ida Holm'],
  supporting: [],
});

const questions = [
  ...Array.from({ length: 8 }, (_, i) => question(`train-${i}`, 'train')),
  ...Array.from({ length: 8 }, (_, i) => question(`dev-${i}`, 'dev')),
  ...Array.from({ length: 8 }, (_, i) => question(`test-${i}`, 'test')),
];

const partsOf = (change: Partial<RunParts> = {}): RunParts =>
  ({
    questions,
    runId: 'run-a',
    now: () => 17,
    config: { vocabSize: 64 },
    retriever: { search: () => unreached('a search') },
    router: { route: () => unreached('the router') },
    demonstrations: () => unreached('a demonstration'),
    onNotice: () => undefined,
    ...change,
  }) as RunParts;

const settingsOf = (change: Partial<TrainSettings>): TrainSettings => ({
  ...tinySettings(),
  ...change,
});

describe('the parts of a run', () => {
  it('draw from train questions, and hold out a sample of the dev questions', async () => {
    const heldOut = { questions: 3, every: 1, temperature: 0 };
    const deps = await assembleRun(settingsOf({ heldOut }), partsOf());
    const drawn = await deps.curriculum.draw({ step: 1, batch: 0, count: 8 });
    const ids = drawn.map((one) => one.question.id);
    expect(ids.toSorted()).toEqual(Array.from({ length: 8 }, (_, i) => `train-${i}`));
    expect(deps.heldOut).toHaveLength(3);
    for (const { id } of deps.heldOut) expect(id).toMatch(/^dev-/);
    expect(deps.agent.now()).toBe(17);
  });

  it('are the same for the same settings, wherever they are assembled', async () => {
    const drawOf = async () => {
      const { curriculum, heldOut } = await assembleRun(settingsOf({ seed: 5 }), partsOf());
      return [await curriculum.draw({ step: 1, batch: 0, count: 4 }), heldOut];
    };
    expect(await drawOf()).toEqual(await drawOf());
  });

  it('have a router learner only where the router is trained', async () => {
    expect(await assembleRun(tinySettings(), partsOf())).not.toHaveProperty('router');
    const { router } = tinySettings();
    const trained = settingsOf({
      recipe: 'kunlun-baize',
      overrides: {},
      router: { ...router, train: 'alone' },
    });
    expect(await assembleRun(trained, partsOf())).toHaveProperty('router');
  });

  it('ask for demonstrations only for a warm-up, and name a damaged line', async () => {
    const warmUp = { length: { updates: 1 }, learningRate: 1e-3, batch: 4, onlyCorrect: true };
    const warm = settingsOf({ warmUp });
    await assembleRun(tinySettings(), partsOf());
    await expect(assembleRun(warm, partsOf())).rejects.toThrow('a demonstration was asked for');
    const damaged = partsOf({ demonstrations: () => '{"id":' });
    await expect(assembleRun(warm, damaged)).rejects.toThrow(/line 1/);
  });
});

it('a router that the recipe never asks is refused before the run begins', () => {
  const { router } = tinySettings();
  const asked = { router: { ...router, train: 'alone' as const } };
  expect(() => checkRouter(settingsOf({ ...asked, recipe: 'search' }))).toThrow(/router/);
  expect(() => checkRouter(settingsOf({ recipe: 'search' }))).not.toThrow();
});
