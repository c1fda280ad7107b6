import { itemAt } from '../../base/items.ts';
import type { BootstrapOptions } from '../bootstrap.ts';
import { pairedDifference, twice, type PairedDifference } from '../paired-difference.ts';
import type { CurvePoint } from './course-point.ts';
import type { Curve } from './curves.ts';
import type { CourseClaim } from './file/course.ts';
import { shown } from './measures/units.ts';
import type { Verdict } from './signatures/verdict.ts';
import { EXPECTED, outcomeOf, shortened } from './verdicts.ts';
import { courseNumber } from './course-numbers.ts';

/**
 * Whether claims about the course of trainings hold. An interval resamples seeds, and the steps of each training as if they
 * were drawn each by itself; they follow from each other, so that it says more of these trainings than of others.
 */

export interface CourseOptions {
  study: string;
  /** That are trained on. */
  worlds: readonly string[];
  interval: BootstrapOptions;
}

type Steps = NonNullable<CourseClaim['steps']>;

const within = (steps: Steps | undefined, { step }: CurvePoint): boolean =>
  steps === undefined || (step >= steps.from && step <= steps.to);

/** Differences over some steps: [seeds][worlds][steps]; null where a training is not there, or no step has a number. */
function differencesOf(
  claim: CourseClaim,
  steps: Steps | undefined,
  curves: readonly Curve[],
  seeds: readonly number[],
  worlds: readonly string[],
): number[][][] | null {
  const { of } = courseNumber(claim.number);
  const curveOf = (arm: string, seed: number, world: string): readonly CurvePoint[] | undefined =>
    curves.find((one) => one.arm === arm && one.seed === seed && one.trainWorld === world)?.points;
  const all = seeds.map((seed) =>
    worlds.map((world) => {
      const own = curveOf(claim.arm, seed, world);
      const other = claim.against === undefined ? [] : curveOf(claim.against, seed, world);
      if (!own || !other) return new Map<number, number>();
      const values = own.flatMap((point): [number, number][] => {
        const match = other.find(({ step }) => step === point.step);
        const value = of(point, own);
        const base =
          claim.against === undefined ? (claim.than ?? 0) : match ? of(match, other) : null;
        return value === null || base === null || !within(steps, point)
          ? []
          : [[point.step, value - base]];
      });
      return new Map(values);
    }),
  );
  // Every seed needs the same steps.
  const kept = worlds.map((_, w) =>
    [...(all[0]?.[w]?.keys() ?? [])].filter((step) =>
      all.every((byWorld) => byWorld[w]?.has(step)),
    ),
  );
  if (kept.length === 0 || kept.some((own) => own.length === 0)) return null;
  return all.map((byWorld) =>
    byWorld.map((values, w) => itemAt(kept, w).map((step) => Number(values.get(step)))),
  );
}

interface MeasuredDifference {
  difference: PairedDifference;
  /** Steps that it is a mean over. */
  n: number;
}

const counted = (values: readonly number[][][]): number =>
  (values[0] ?? []).reduce((sum, steps) => sum + steps.length, 0);

function contrastOf(
  claim: CourseClaim,
  curves: readonly Curve[],
  seeds: readonly number[],
  { worlds, interval }: CourseOptions,
): MeasuredDifference | null {
  const own = differencesOf(claim, claim.steps, curves, seeds, worlds);
  if (!own) return null;
  // A number of a step is a mean over its rollouts: nothing that is right or wrong.
  if (!claim.unlike) {
    const difference = pairedDifference(own, interval);
    return difference && { difference, n: counted(own) };
  }
  const other = differencesOf(claim, claim.unlike, curves, seeds, worlds);
  if (!other) return null;
  // Twice as many worlds, half of them taken off: twice their mean is the difference.
  const both = own.map((byWorld, s) => [
    ...byWorld,
    ...itemAt(other, s).map((steps) => steps.map((value) => -value)),
  ]);
  const half = pairedDifference(both, interval);
  return half && { difference: twice(half), n: counted(own) + counted(other) };
}

const stepWords = ({ from, to }: Steps): string => `steps ${from} to ${to}`;

/** `A less B; over steps 6 to 10; less the same over steps 1 to 5; expected higher` */
export function courseWords(claim: CourseClaim): string {
  const { arm, against, than, steps, unlike, expect, margin, number } = claim;
  const { unit } = courseNumber(number);
  const side = against ?? (than === undefined ? null : shown(than, unit));
  return [
    side === null ? arm : `${arm} less ${side}`,
    ...(steps ? [`over ${stepWords(steps)}`] : []),
    ...(unlike ? [`less the same over ${stepWords(unlike)}`] : []),
    `expected ${EXPECTED[expect]}${margin > 0 ? ` (margin ${shown(margin, unit)})` : ''}`,
  ].join('; ');
}

function verdictOf(claim: CourseClaim, curves: readonly Curve[], options: CourseOptions): Verdict {
  const { title, unit } = courseNumber(claim.number);
  const seeds = [
    ...new Set(curves.filter(({ arm }) => arm === claim.arm).map(({ seed }) => seed)),
  ].filter(
    (seed) =>
      claim.against === undefined ||
      curves.some((one) => one.arm === claim.against && one.seed === seed),
  );
  const found = seeds.length === 0 ? null : contrastOf(claim, curves, seeds, options);
  return {
    recipe: claim.recipe,
    claim: claim.claim,
    study: options.study,
    outcome: found ? outcomeOf(claim, found.difference) : 'not measured',
    title,
    unit,
    compared: courseWords(claim),
    difference: found && shortened(found.difference),
    level: options.interval.level ?? 0.95,
    over: 'steps',
    n: found?.n ?? 0,
    seeds: found ? seeds : [],
    worlds: found ? [...options.worlds] : [],
  };
}

/** A verdict a claim, in the order of the file. */
export const courseVerdicts = (
  claims: readonly CourseClaim[],
  curves: readonly Curve[],
  options: CourseOptions,
): Verdict[] => claims.map((claim) => verdictOf(claim, curves, options));
