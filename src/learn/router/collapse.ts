import { collapseText } from '../../agent/router/reward.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import { overridesInForce } from '../settings/overrides.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/*
 * The printed reward, equations (20) to (22) of arXiv 2506.19466, looks at nothing but the action. Its
 * best policy is a constant: always local where β1/β2 > 5/6, always web below.
 */

/**
 * A warning of one line where a run chooses the printed reward, or trains its router on it; null
 * where it does neither.
 * @throws Error where the overrides are no valid settings
 */
export function collapseWarning(settings: TrainSettings): string | null {
  const over = overridesInForce(settings);
  const { nlr } = withOverrides(recipeOf(settings).settings, over);
  const chosen = settings.router.train !== 'off' || over.nlr?.reward === 'paper';
  if (nlr.reward !== 'paper' || !chosen) return null;
  return (
    `The printed router reward (paper) does not look at the question: ${collapseText(nlr)}, and a ` +
    'router trained on it learns only that. The measured reward, with β 0.2/0.8, depends ' +
    'on the results of each call.'
  );
}
