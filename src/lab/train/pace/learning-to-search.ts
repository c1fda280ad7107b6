import { recipeOf } from '../../../systems/index.ts';
import { withOverrides } from '../../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';

/**
 * Steps of a policy that was made not to search grow as it learns to: a rollout takes the longer the more it
 * searches, and what the first steps take says little of those to come.
 */

/** Searches per rollout of the built-in policy, in the middle of the 66 recorded steps of plain search agents. */
const LEARNED = 2.7;

/** What a rollout takes beside its searches, in searches: of three recorded trainings that began without. */
const BESIDE = 0.4;

/** Searches per rollout once the policy has learned to search; null where it does from the first step. */
export function searchesToCome(
  settings: Pick<TrainSettings, 'start' | 'recipe' | 'overrides'>,
): number | null {
  if (settings.start !== 'not-searching') return null;
  const { retrieval } = withOverrides(recipeOf(settings).settings, settings.overrides);
  return Math.min(LEARNED, retrieval.maxSearches);
}

/** Something that was measured with this many searches per rollout. */
interface Timed {
  seconds: number;
  searches: number;
}

/** Seconds that the same takes with `searches` a rollout; by least squares over what was measured. */
export function secondsWith(searches: number, measured: readonly Timed[]): number {
  let [product, square] = [0, 0];
  for (const { seconds, searches: own } of measured) {
    product += seconds * (BESIDE + own);
    square += (BESIDE + own) ** 2;
  }
  return square === 0 ? 0 : (product / square) * (BESIDE + searches);
}
