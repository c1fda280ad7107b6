import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { groupBy } from '../../../src/base/items.ts';
import { median } from '../../../src/base/statistics.ts';
import { searchesToCome } from '../../../src/lab/train/pace/learning-to-search.ts';
import { paceOf, secondsLeft } from '../../../src/lab/train/pace/step-pace.ts';
import { getTraining } from '../../../src/systems/index.ts';
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

/** Steps of plain search that began with a policy made not to search, seeds 0 to 2: seconds and searches per rollout. */
const LEARNING = [
  {
    seconds: [1.0, 2.56, 3.89, 3.19, 5.88, 5.08, 4.09, 2.7, 6.28, 5.35, 2.93, 4.47],
    searches: [0.3, 1.27, 2.06, 2.17, 3.75, 3.52, 2.64, 1.61, 3.66, 3.7, 1.67, 2.75],
  },
  {
    seconds: [1.81, 3.44, 2.35, 3.05, 3.98, 4.73, 3.23, 3.47, 3.61, 5.25, 4.25, 3.65],
    searches: [0.8, 1.75, 1.36, 1.89, 2.75, 3.11, 2.23, 2.3, 2.3, 3.77, 3.06, 2.5],
  },
  {
    seconds: [1.4, 3.35, 4.71, 4.03, 4.57, 4.61, 6.83, 3.33, 5.42, 4.59, 3.57, 5.3],
    searches: [0.36, 1.88, 2.95, 2.41, 2.75, 3.03, 4.23, 2.05, 3.34, 2.97, 2.52, 3.64],
  },
];

it.each(LEARNING)(
  'is within a third where a policy learns to search, from the first step on: %j',
  ({ seconds, searches }) => {
    const learning = searchesToCome({ ...getTraining('search/grpo'), start: 'not-searching' });
    const settings = { steps: seconds.length, heldOut: UNSCORED, checkpointEvery: 5 };
    for (const done of [1, 2, 3, 5, 8]) {
      const steps = seconds.slice(0, done).map((own, i) => ({
        ...made(i + 1, own),
        searches: searches[i]!,
      }));
      const left = seconds.slice(done).reduce((sum, own) => sum + own, 0);
      const told = secondsLeft(paceOf(steps, learning)!, settings, done) / left;
      expect(told).toBeGreaterThan(done < 3 ? 0.67 : 0.75);
      expect(told).toBeLessThan(done < 3 ? 1.34 : 1.25);
      // Without, the steps to come would be taken for those that it made before it searched.
      if (done <= 3) expect(secondsLeft(paceOf(steps)!, settings, done) / left).toBeLessThan(0.75);
    }
  },
);
