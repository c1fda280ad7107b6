import { itemAt } from '../base/items.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';
import { klTerm } from './objective.ts';

/**
 * PPO's adaptive controller of the KL's coefficient (Ziegler et al., arXiv 1909.08593, section 2.2), one move a step:
 *
 *     e = clip(KL / target − 1, −0.2, 0.2)        β ← β (1 + gain · e)
 *
 * KL is the mean over the step's trained tokens of the estimate that the objective has, at the sampler's
 * log-probabilities. Ziegler et al. and RL4LMs, on which SmartRAG is built, have a gain of 0.1; verl has the rollouts of a
 * step over a horizon in its place.
 */

type Kl = TrainSettings['objective']['kl'];

/** Most that one step may be distinguished from its target. */
const LIMIT = 0.2;

/** β of the next step. @param measured KL of this one, nats a token */
export function nextCoefficient(
  beta: number,
  measured: number,
  { target, gain }: NonNullable<Kl['adaptive']>,
): number {
  const error = Math.min(LIMIT, Math.max(-LIMIT, measured / target - 1));
  return beta * (1 + gain * error);
}

/** Mean over the trained tokens of all rollouts; null of none. */
export function meanKl(
  form: Kl['form'],
  sequences: readonly { oldLogprobs: Float32Array }[],
  references: readonly Float32Array[],
): number | null {
  let [sum, n] = [0, 0];
  sequences.forEach(({ oldLogprobs }, s) => {
    const reference = itemAt(references, s, 'references');
    oldLogprobs.forEach((p, i) => {
      sum += klTerm(form, p, itemAt(reference, i, 'log-probabilities')).value;
      n++;
    });
  });
  return n === 0 ? null : sum / n;
}

/** Settings with the coefficient that a step has. @param moved as the steps before left it; absent: as the settings begin */
export const withCoefficient = (
  settings: TrainSettings,
  moved: number | undefined,
): TrainSettings =>
  moved === undefined
    ? settings
    : {
        ...settings,
        objective: {
          ...settings.objective,
          kl: { ...settings.objective.kl, coefficient: moved },
        },
      };
