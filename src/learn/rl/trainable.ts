import { getRecipe, withOverrides } from '../../recipes/index.ts';
import type { TrainSettings } from './settings.ts';
import type { TrainState } from './state.ts';

/**
 * What no run may be started or gone on with, though its settings are well formed. Stored runs with
 * such settings still open; they are only not trained further.
 */

export interface Untrainable {
  /** Path of the setting at fault. */
  path: string;
  /** What is wrong, and what to do. */
  message: string;
}

/** What the trainer at hand has beside policy and passages. */
export interface TrainerParts {
  summarizer?: boolean;
}

/**
 * The first setting that cannot be trained with; null where there is none.
 *
 * Truncated sampling: the sampler draws from what top-k or top-p leave at each token, and a trainer
 * that does not know what was left computes the ratio and the gradient of another distribution.
 * Summaries: without a summarizer the policy would read, and learn from, the passages themselves.
 * @throws Error where the recipe or its overrides are not valid
 */
export function untrainable(
  settings: TrainSettings,
  { summarizer = false }: TrainerParts = {},
): Untrainable | null {
  // Temperature and top-p of a step's rollouts are the run's own, whatever the overrides say.
  const { topP } = settings;
  const { sampling, retrieval } = withOverrides(
    getRecipe(settings.recipe).settings,
    settings.overrides,
  );
  if (topP < 1)
    return {
      path: 'topP',
      message:
        `Training with top-p ${topP} is refused: a trainer computes log-probabilities ` +
        'over the whole vocabulary, not over what top-p leaves. Set top-p to 1.',
    };
  if (sampling.topK > 0)
    return {
      path: 'overrides.sampling.topK',
      message:
        `Training with top-k ${sampling.topK} is refused: a trainer computes log-probabilities ` +
        'over the whole vocabulary, not over what top-k leaves. Set it to 0.',
    };
  if (retrieval.summarize === 'on' && !summarizer)
    return {
      path: 'overrides.retrieval.summarize',
      message:
        'Training with summaries is refused: no trainer has a summarizer yet, so the policy would ' +
        'read the passages themselves. Leave overrides.retrieval.summarize out, or set it to off.',
    };
  return null;
}

/** @throws Error where a run with these settings cannot be trained */
export function checkTrainable(settings: TrainSettings, parts: TrainerParts = {}): void {
  const found = untrainable(settings, parts);
  if (found) throw new Error(found.message);
}

/**
 * A run whose steps so far took log-probabilities of temperature 1, though it sampled at another,
 * followed no gradient of its objective; more steps by the right one would make a run that no settings
 * describe.
 * @throws Error for such a run
 */
export function checkResumable({ temperature }: TrainSettings, state: TrainState): void {
  if (temperature === 1 || state.step === 0 || state.logprobsOf === 'sampling') return;
  throw new Error(
    `This run sampled at temperature ${temperature}, but its steps so far (${state.step}) were trained ` +
      'with log-probabilities of temperature 1: it cannot go on as it began. Its steps and its adapter ' +
      'stay; start a new run with its settings.',
  );
}
