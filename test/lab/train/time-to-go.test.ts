import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { median } from '../../../src/base/statistics.ts';
import type { CurvePoint } from '../../../src/evaluate/study/curves.ts';
import { paceOf, secondsLeft } from '../../../src/lab/train/pace/step-pace.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

/**
 * The time to go, told after the third step, beside what the steps of the studies' trainings really took. They were
 * made on two cores that had other work too, so that part of what followed could not be known.
 */

interface Trained {
  settings: TrainSettings;
  curve: CurvePoint[];
}

const FOLDER = resolve(import.meta.dirname, '../../../training/studies/results/trained');
const trained = (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
  .map((key) => JSON.parse(readFileSync(resolve(FOLDER, key, 'trained.json'), 'utf8')) as Trained)
  .filter(({ settings }) => settings.steps >= 8);

const made = (step: number, own: number): MadeStep => ({
  ...trainStep(step),
  heldOut: null,
  seconds: { rollout: own, update: 0, heldOut: 0, checkpoint: 0, total: own },
});

/** What was told over what followed, of steps that took so long, without held-out questions. */
const ratio = ({ settings }: Trained, times: readonly number[]): number => {
  const heldOut = { ...settings.heldOut, questions: 0 };
  const pace = paceOf(times.slice(0, 3).map((own, i) => made(i + 1, own)))!;
  const left = times.slice(3).reduce((sum, own) => sum + own, 0);
  return secondsLeft(pace, { ...settings, heldOut, steps: times.length }, 3) / left;
};

const within = (ratios: readonly number[]): number =>
  ratios.filter((one) => one >= 0.75 && one <= 1.25).length / ratios.length;

/** Steps without a held-out score: what scores took is not told apart in these files. */
const unscored = ({ curve }: Trained): CurvePoint[] =>
  curve.filter(({ step, heldOut }) => step > 0 && heldOut === null);

it.skipIf(trained.length < 20)(
  'is mostly within 25 % of what followed, as often too long as too short',
  () => {
    const ratios = trained.map((one) =>
      ratio(
        one,
        unscored(one).map(({ seconds }) => seconds),
      ),
    );
    expect(within(ratios)).toBeGreaterThan(0.6);
    expect(median(ratios)).toBeGreaterThan(0.92);
    expect(median(ratios)).toBeLessThan(1.08);
  },
);

it.skipIf(trained.length < 20)(
  'is nearly always, where a step takes as long as its searches',
  () => {
    const ratios = trained.map((one) =>
      ratio(
        one,
        unscored(one).map(({ searches }) => 1 + (searches ?? 0)),
      ),
    );
    expect(within(ratios)).toBeGreaterThan(0.88);
  },
);
