import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  CURVES_FILE,
  curvesOf,
  expectedCurves,
  type Measured,
} from '../../scripts/expected-curves-file.ts';
import { getTraining } from '../../src/recipes/index.ts';
import type { TrainSettings } from '../../src/recipes/parts/training.ts';

const run = (settings: Partial<TrainSettings>, scores: Record<number, number>): Measured => ({
  settings: { ...getTraining('kunlun-baize/whole'), ...settings },
  world: 'form2-seed11',
  curve: Object.entries(scores).map(([step, em]) => ({
    step: Number(step),
    reward: null,
    em: null,
    searches: null,
    heldOut: { n: 64, em, f1: em, searches: 2 },
    seconds: 0,
  })),
});

it('training/studies/results/curves.json is what the trainings give', () => {
  expect(readFileSync(CURVES_FILE, 'utf8')).toBe(expectedCurves());
});

it('a curve is the mean over seeds of what was trained as its recipe says, at any length', () => {
  const { curriculum } = getTraining('kunlun-baize/whole');
  const short = { steps: 25, curriculum: { ...curriculum, goldEpochs: 5 } };
  const curves = curvesOf([
    run({ ...short, seed: 2 }, { 0: 0.5, 5: 0.7, 10: 0.9 }),
    run({ ...short, seed: 1 }, { 0: 0.25, 5: 0.5 }),
    // Each of these is another recipe: no warm-up, no background, gold for all of a short run, drawn evenly.
    run({ ...short, seed: 3, warmUp: null }, { 0: 0, 5: 0 }),
    run({ ...short, seed: 3, overrides: { background: { mode: 'off' } } }, { 0: 0, 5: 0 }),
    run({ seed: 3, steps: 25 }, { 0: 0, 5: 0 }),
    run({ ...short, seed: 3, curriculum: { ...curriculum, kind: 'uniform' } }, { 0: 0, 5: 0 }),
  ]);
  expect(curves).toEqual([
    {
      training: 'kunlun-baize/whole',
      seeds: [1, 2],
      worlds: ['form2-seed11'],
      questions: 64,
      em: [
        [0, 0.375],
        [5, 0.6],
      ],
    },
  ]);
});
