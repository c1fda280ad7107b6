import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { isObject } from '../../base/objects.ts';

export const MEASURED = { reward: 'measured', beta1: 0.2, beta2: 0.8 } as const;

/**
 * What the run changes in its recipe's settings: its overrides, over the measured reward where the router is trained.
 * KunLunBaizeRAG gives no β, and its printed reward trains a constant (`learn/router/collapse.ts`). With these the trained
 * router beats both constants on the measured one (training/RESULTS.md).
 */
export function overridesInForce({
  overrides,
  router,
}: Pick<TrainSettings, 'overrides' | 'router'>): SettingsOverride {
  if (router.train === 'off') return overrides;
  const own = isObject(overrides.nlr) ? overrides.nlr : {};
  return { ...overrides, nlr: { ...MEASURED, ...own } };
}
