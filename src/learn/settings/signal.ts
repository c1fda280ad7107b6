import { itemAt } from '../../base/items.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** Estimators that whiten over the batch: that moves the 0 of a group of equal rewards away from 0. */
const WHITENS: readonly TrainSettings['objective']['estimator'][] = ['reinforce++-baseline', 'ur2'];

/**
 * Whether a group whose rewards are all equal teaches nothing in a stage: only where its own mean is what its rewards are
 * compared with, and nothing else gives its tokens a weight. A critic compares with its values; supervision, and terms
 * on right rollouts, learn of each by itself.
 */
export function equalTeachNothing(
  { critic, objective, stages }: Pick<TrainSettings, 'critic' | 'objective' | 'stages'>,
  stage: number,
): boolean {
  const { estimator, credit, positiveNll = 0, diversity = 0, kl } = objective;
  return (
    !critic &&
    itemAt(stages, stage, 'stages').loss === undefined &&
    !WHITENS.includes(estimator) &&
    credit !== 'span' &&
    kl.place !== 'reward' &&
    positiveNll === 0 &&
    diversity === 0
  );
}
