import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { isObject } from '../../base/objects.ts';

/** Stage (from 0) of step `step` (from 1): each takes its steps, the last what is left. */
export function stageAt(stages: TrainSettings['stages'], step: number): number {
  let end = 0;
  for (const [i, stage] of stages.entries()) {
    end += stage.steps;
    if (step <= end) return i;
  }
  return stages.length - 1;
}

/**
 * What the run changes in its recipe's settings: its overrides, over the router's reward of
 * `router.nlr` where the router is trained.
 */
export function overridesInForce({
  overrides,
  router,
}: Pick<TrainSettings, 'overrides' | 'router'>): SettingsOverride {
  if (router.train === 'off' || router.nlr === null) return overrides;
  const own = isObject(overrides.nlr) ? overrides.nlr : {};
  return { ...overrides, nlr: { ...router.nlr, ...own } };
}
