import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { OmittedPart } from './mapping/mapping.ts';

/** The settings without some of their parts; those that have none of them stay as they are. */
export function settingsWithout(
  settings: TrainSettings,
  without: readonly OmittedPart[],
): TrainSettings {
  const leaves = (part: OmittedPart): boolean => without.includes(part);
  const { credit, ...objective } = settings.objective;
  return {
    ...settings,
    ...(leaves('dynamic-sampling') && { dynamicSampling: null }),
    objective: {
      ...objective,
      ...(credit !== undefined && !leaves('credit') && { credit }),
      ...(leaves('kl') && { kl: { ...objective.kl, place: 'off' as const } }),
    },
    ...(leaves('router') &&
      settings.router.train === 'beside' && {
        router: { ...settings.router, train: 'off' as const },
      }),
    ...(leaves('warm-up') && { warmUp: null }),
    ...(leaves('warm-up') && settings.start !== undefined && { start: 'searching' as const }),
  };
}
