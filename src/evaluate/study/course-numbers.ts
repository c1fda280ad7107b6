import type { CurvePoint } from './course-point.ts';
import type { NumberUnit } from './measures/units.ts';

/** Numbers of the steps of a training, which claims about its course compare. */

interface CourseNumber {
  id: string;
  title: string;
  unit: NumberUnit;
  /**
   * Null where the step has none: before the first one, or made before it was kept.
   * @param points all of the training, in order
   */
  of: (point: CurvePoint, points: readonly CurvePoint[]) => number | null;
}

/** What earned a reward without being right, less what was right without one. */
const rewardGap = ({ reward, em }: CurvePoint): number | null =>
  reward === null || em === null ? null : reward - em;

/** Groups that have something to teach by a hundred rollouts that were made. */
function variedGroups({ rollouts, groups, zeroVarianceGroups }: CurvePoint): number | null {
  if (rollouts === undefined || groups === undefined || zeroVarianceGroups === undefined)
    return null;
  return (100 * (groups - zeroVarianceGroups)) / rollouts;
}

/** Rollouts that were made so far, those of dropped groups too, for each point of held-out EM. */
function rolloutsForEm(
  { step, heldOut }: CurvePoint,
  points: readonly CurvePoint[],
): number | null {
  if (step === 0 || !heldOut || heldOut.em === 0) return null;
  const made = points.filter((one) => one.step > 0 && one.step <= step).map((one) => one.rollouts);
  if (made.includes(undefined)) return null;
  return made.reduce<number>((sum, one) => sum + Number(one), 0) / (100 * heldOut.em);
}

export const COURSE_NUMBERS = [
  { id: 'reward', title: 'reward of a step', unit: 'share', of: ({ reward }) => reward },
  { id: 'em', title: 'EM of a step', unit: 'percent', of: ({ em }) => em },
  { id: 'searches', title: 'searches of a step', unit: 'count', of: ({ searches }) => searches },
  { id: 'rewardGap', title: 'reward above exact match', unit: 'share', of: rewardGap },
  {
    id: 'heldOutEm',
    title: 'held-out EM',
    unit: 'percent',
    of: ({ step, heldOut }) => (step === 0 ? null : (heldOut?.em ?? null)),
  },
  {
    id: 'variedGroups',
    title: 'groups whose rewards vary, of a hundred rollouts',
    unit: 'count',
    of: variedGroups,
  },
  {
    id: 'clipShare',
    title: 'tokens whose gradient is clipped away',
    unit: 'percent',
    of: ({ clipShare }) => clipShare ?? null,
  },
  {
    id: 'gradientNorm',
    title: 'norm of the gradient',
    unit: 'share',
    of: ({ gradientNorm }) => gradientNorm ?? null,
  },
  {
    id: 'rolloutsForEm',
    title: 'rollouts so far for a point of held-out EM',
    unit: 'count',
    of: rolloutsForEm,
  },
  { id: 'kl', title: 'KL to the start, nats a token', unit: 'share', of: ({ kl }) => kl ?? null },
  {
    id: 'probeRatio',
    title: 'ratio of the tokens of added sentences',
    unit: 'count',
    of: ({ probeRatio }) => probeRatio ?? null,
  },
] as const satisfies readonly CourseNumber[];

export type CourseNumberId = (typeof COURSE_NUMBERS)[number]['id'];

export const COURSE_NUMBER_IDS: readonly CourseNumberId[] = COURSE_NUMBERS.map(({ id }) => id);

/** @throws Error for an id that is none */
export function courseNumber(id: CourseNumberId): CourseNumber {
  const found = COURSE_NUMBERS.find((one) => one.id === id);
  if (!found) throw new Error(`there is no number of a step "${id}"`);
  return found;
}
