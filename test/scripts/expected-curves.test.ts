import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  curvesOf,
  expectedCurves,
  shippedRevision,
  type Measured,
} from '../../scripts/expected-curves-file.ts';
import {
  BUILT_IN_WORLD,
  loadExpectedCurves,
  type ExpectedCurves,
} from '../../src/evaluate/study/expected-curves.ts';
import { findTraining, getTraining } from '../../src/systems/index.ts';
import type { TrainSettings } from '../../src/recipes/parts/training.ts';

const run = (settings: Partial<TrainSettings>, scores: Record<number, number>): Measured => ({
  settings: { ...getTraining('kunlun-baize/whole'), ...settings },
  world: 'seed11',
  curve: Object.entries(scores).map(([step, em]) => ({
    step: Number(step),
    reward: null,
    em: null,
    searches: null,
    heldOut: { n: 64, em, f1: em, searches: 2 },
    seconds: 0,
  })),
});

it('curves.json is of the policy that is shipped and of recipes that there are', async () => {
  const { policy, curves } = await loadExpectedCurves();
  expect(policy.revision).toBe(shippedRevision());
  expect(curves.length).toBeGreaterThanOrEqual(41);
  for (const { training } of curves) expect(findTraining(training)).toBeDefined();
  // Trained before their loss was averaged as in their releases.
  for (const former of ['research/grpo', 's3/grpo', 'step-search/grpo', 'arena/grpo'])
    expect(curves.map(({ training }) => training)).not.toContain(former);
});

describe('trainings of a folder of results', () => {
  const shown: ExpectedCurves = {
    format: 'forage.expected-curves/1',
    policy: { id: 'baize-mini', revision: shippedRevision() },
    curves: ['arpo/grpo', 'search/grpo'].map((training) => ({
      training,
      seeds: [1],
      worlds: ['seed11'],
      questions: 32,
      em: [
        [0, 0.1],
        [20, 0.2],
      ],
    })),
  };
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'forage-curves-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const results = (revision: string): void =>
    writeFileSync(
      join(folder, 'results.json'),
      JSON.stringify({ policy: { id: 'baize-mini', revision } }),
    );
  const trained = (): void => {
    const dir = join(folder, 'trained', 'search-grpo-s1');
    mkdirSync(dir, { recursive: true });
    const made = { at: '2026-01-01T00:00:00.000Z' };
    const measured = run({ ...getTraining('search/grpo'), seed: 1 }, { 0: 0.5, 10: 0.75 });
    writeFileSync(join(dir, 'trained.json'), JSON.stringify({ ...measured, made }));
  };

  it('take the place of those that are shown, and leave the others', () => {
    results(shippedRevision());
    trained();
    const { curves } = expectedCurves(shown, folder);
    expect(curves.map(({ training, em }) => [training, em.at(-1)])).toEqual([
      ['arpo/grpo', [20, 0.2]],
      ['search/grpo', [10, 0.75]],
    ]);
  });

  it('change nothing where there are none, or where another policy was trained', () => {
    results(shippedRevision());
    expect(expectedCurves(shown, folder)).toEqual(shown);
    results('000000000000');
    trained();
    expect(expectedCurves(shown, folder)).toEqual(shown);
  });
});

it('a curve is the mean over seeds of what was trained as its recipe says, at any length', () => {
  const { curriculum } = getTraining('kunlun-baize/whole');
  const goldBy = (goldEpochs: number) => ({
    ...curriculum,
    system: { ...curriculum.system!, goldEpochs },
  });
  const short = { steps: 25, curriculum: goldBy(5) };
  const curves = curvesOf([
    run({ ...short, seed: 2 }, { 0: 0.5, 5: 0.7, 10: 0.9 }),
    run({ ...short, seed: 1 }, { 0: 0.25, 5: 0.5 }),
    // Each of these is another recipe: no warm-up, no background, gold for all of a short run, drawn evenly.
    run({ ...short, seed: 3, warmUp: null }, { 0: 0, 5: 0 }),
    run({ ...short, seed: 3, overrides: { background: { mode: 'off' } } }, { 0: 0, 5: 0 }),
    run({ seed: 3, steps: 25, curriculum: goldBy(25) }, { 0: 0, 5: 0 }),
    run({ ...short, seed: 3, curriculum: { ...curriculum, system: null } }, { 0: 0, 5: 0 }),
  ]);
  expect(curves).toEqual([
    {
      training: 'kunlun-baize/whole',
      seeds: [1, 2],
      worlds: ['seed11'],
      questions: 64,
      em: [
        [0, 0.375],
        [5, 0.6],
      ],
    },
  ]);
});

it('a start of its own has a curve of its own, and the built-in world goes before others', () => {
  const grpo = getTraining('search/grpo');
  const from = (change: Partial<TrainSettings>, world: string, em: number): Measured => ({
    ...run({ ...grpo, ...change }, { 0: em, 10: em }),
    world,
  });
  const ur2 = getTraining('ur2/paper');
  const curves = curvesOf([
    from({ seed: 1 }, 'seed11', 0.75),
    from({ seed: 0 }, BUILT_IN_WORLD, 0.8),
    from({ seed: 0, start: 'not-searching' }, BUILT_IN_WORLD, 0.25),
    // No start of the page: no curve.
    from({ seed: 0, start: 'reasoning-queries' }, BUILT_IN_WORLD, 0),
    // Its own start is to not search.
    from({ ...ur2, seed: 0 }, 'seed11', 0.3),
  ]);
  expect(curves.map(({ training, start, worlds, em }) => [training, start, worlds, em[0]])).toEqual(
    [
      ['search/grpo', undefined, [BUILT_IN_WORLD], [0, 0.8]],
      ['search/grpo', 'not-searching', [BUILT_IN_WORLD], [0, 0.25]],
      ['ur2/paper', undefined, ['seed11'], [0, 0.3]],
    ],
  );
});

it('the first steps of the whole recipe are a curve of it', () => {
  const [curve] = curvesOf([run({ seed: 0, steps: 10 }, { 0: 0.5, 10: 0.75 })]);
  expect(curve?.em).toEqual([
    [0, 0.5],
    [10, 0.75],
  ]);
});

it('of a seed the longest training counts, and of them those scored on the most questions', () => {
  const grpo = getTraining('search/grpo');
  const scored = (steps: number, questions: number, seed: number, em: number): Measured =>
    run(
      { ...grpo, seed, steps, checkpointEvery: 5, heldOut: { ...grpo.heldOut, questions } },
      { 0: em, [steps]: em },
    );
  const curves = curvesOf([
    scored(8, 64, 1, 0),
    scored(20, 64, 1, 0.5),
    scored(20, 64, 2, 0.25),
    scored(20, 32, 3, 0),
  ]);
  expect(curves).toMatchObject([
    {
      seeds: [1, 2],
      questions: 64,
      em: [
        [0, 0.375],
        [20, 0.375],
      ],
    },
  ]);
});
