import { recipeOf } from '../../recipes/registry.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { collapseWarning } from '../router/collapse.ts';

const inSteps = (steps: number): string =>
  `${steps.toLocaleString('en')} ${steps === 1 ? 'step' : 'steps'}`;

/**
 * What is allowed of settings but hardly meant, a sentence each: stages that no step is left for, and settings that
 * have no effect together.
 * @throws Error where the overrides are no valid settings
 */
export function warningsOf(settings: TrainSettings): string[] {
  const warnings: string[] = [];
  let before = 0;
  for (const [index, stage] of settings.stages.entries()) {
    if (index > 0 && before >= settings.steps)
      warnings.push(
        `Stage ${index + 1} never starts: the run ends after ${inSteps(settings.steps)}.`,
      );
    before += stage.steps;
  }
  // A critic's advantages compare a rollout with none of its group.
  if (settings.groupSize === 1 && typeof settings.objective.estimator === 'string')
    warnings.push('With one rollout per question there is no comparison and no learning signal.');
  const { dynamicSampling } = settings;
  if (
    typeof dynamicSampling?.by === 'object' &&
    !dynamicSampling.system &&
    dynamicSampling.maxBatches === 1
  )
    warnings.push(
      'With one batch per step nothing is left out: groups of any share of right answers fill the step. Allow more batches.',
    );
  if (
    settings.steps > 0 &&
    settings.heldOut.questions > 0 &&
    settings.heldOut.every > settings.steps
  )
    warnings.push(
      'This run is shorter than the scoring interval: the held-out questions are scored only at the start and the end.',
    );
  const collapse = collapseWarning(settings);
  if (collapse !== null) warnings.push(collapse);
  if (settings.router.train !== 'off') {
    const { source } = withOverrides(recipeOf(settings).settings, settings.overrides).retrieval;
    if (source !== 'router')
      warnings.push('The settings train the router, but this recipe does not use it.');
  }
  return warnings;
}
