import type { TrainSettings } from '../../../recipes/parts/training.ts';

type Before = Pick<TrainSettings, 'start' | 'warmUp'>;

/** What changed the policy before its first step; null where nothing did. */
export const beforeSteps = ({ start, warmUp }: Before): string | null => {
  const done = [
    ...(start === undefined ? [] : ['its start']),
    ...(warmUp ? ['the cold start'] : []),
  ];
  return done.length === 0 ? null : done.join(' and ');
};

/** The name of a side, behind "before:" or "after:". @param step of the score; 0: before the first step */
export const sideName = (step: number, settings: Before): string => {
  if (step > 0) return `step ${step}`;
  const done = beforeSteps(settings);
  return done === null ? 'untrained, no step yet' : `after ${done}, before the first step`;
};
