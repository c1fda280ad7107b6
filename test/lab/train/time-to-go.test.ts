import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { groupBy } from '../../../src/base/items.ts';
import { median } from '../../../src/base/statistics.ts';
import { paceOf, secondsLeft } from '../../../src/lab/train/pace/step-pace.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

/**
 * The time to go, told after the third step, beside what the steps of 84 trainings of studies really took, those without
 * a held-out score. They were made on two cores that had other work too, so that part of what followed could not be known.
 */

interface Recorded {
  training: string;
  /** Trainings of one order draw the same questions one after the other. */
  order: string;
  /** Of each step. */
  seconds: number[];
  searches: number[];
}

const FILE = resolve(import.meta.dirname, '../../fixtures/step-seconds.json');
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Recorded[];

const made = (step: number, own: number): MadeStep => ({
  ...trainStep(step),
  heldOut: null,
  seconds: { rollout: own, update: 0, heldOut: 0, checkpoint: 0, total: own },
});

const UNSCORED = { questions: 0, every: 5, temperature: 1 };

/** What was told over what followed, of steps that took so long. */
function ratio(times: readonly number[]): number {
  const pace = paceOf(times.slice(0, 3).map((own, i) => made(i + 1, own)))!;
  const left = times.slice(3).reduce((sum, own) => sum + own, 0);
  const settings = { steps: times.length, heldOut: UNSCORED, checkpointEvery: 5 };
  return secondsLeft(pace, settings, 3) / left;
}

const within = (ratios: readonly number[]): number =>
  ratios.filter((one) => one >= 0.75 && one <= 1.25).length / ratios.length;

it('is mostly within 25 % of what followed, about as often too long as too short', () => {
  const told = recorded.map(({ order, seconds }) => ({ order, of: ratio(seconds) }));
  expect(within(told.map((one) => one.of))).toBeGreaterThan(0.7);
  // Those of one order are too short or too long together: an order counts once.
  const orders = [...groupBy(told, ({ order }) => order).values()];
  const middle = median(orders.map((own) => median(own.map((one) => one.of))!));
  expect(middle).toBeGreaterThan(0.9);
  expect(middle).toBeLessThan(1.1);
});

it('is nearly always, where a step takes as long as its searches', () => {
  const ratios = recorded.map(({ searches }) => ratio(searches.map((own) => 1 + own)));
  expect(within(ratios)).toBeGreaterThan(0.88);
});
