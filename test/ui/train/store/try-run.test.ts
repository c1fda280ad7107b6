import { describe, expect, it } from 'vitest';
import { checkedSettingsSchema } from '../../../../src/learn/settings/edit-settings.ts';
import { timeByProbe } from '../../../../src/lab/train/pace/estimate.ts';
import { getTraining, TRAININGS } from '../../../../src/systems/index.ts';
import { probeOf } from '../../../fixtures/probes.ts';
import type { TrainSettings } from '../../../../src/recipes/parts/training.ts';
import { toTry, TRY_STEPS } from '../../../../src/ui/train/store/try-run.ts';

/** What a device measured that takes so long per rollout, and a third of it to learn from it. */
const on = (rollout: number) => probeOf({ rollout, update: rollout / 3 });

/** Minutes that a run takes on it. */
const minutes = (settings: TrainSettings, rollout: number): number => {
  const { secondsPerStep, secondsBefore } = timeByProbe(settings, on(rollout));
  return (settings.steps * secondsPerStep + secondsBefore) / 60;
};

describe('a run that tries', () => {
  it.each(['kunlun-baize/whole', 'search/grpo', 'ur2/paper'])(
    'of %s takes about two minutes by the estimate of this device',
    (id) => {
      const settings = getTraining(id);
      const tried = toTry(settings, timeByProbe(settings, on(0.07)));
      expect(minutes(tried, 0.07)).toBeGreaterThan(1);
      expect(minutes(tried, 0.07)).toBeLessThan(2.1);
    },
  );

  it('of every recipe is allowed, has ten steps, trains groups of two questions or more, and keeps how it learns', () => {
    for (const { id } of TRAININGS) {
      const settings = getTraining(id);
      const tried = toTry(settings, timeByProbe(settings, on(0.15)));
      expect(checkedSettingsSchema.safeParse(tried).error, id).toBeUndefined();
      expect(tried.steps).toBe(TRY_STEPS);
      expect(tried.questions).toBeGreaterThanOrEqual(2);
      const { groupSize, optimizer, objective, stages, updates } = settings;
      expect(tried).toMatchObject({ groupSize, optimizer, objective, stages, updates });
    }
  });

  it('is no smaller than it need be', () => {
    const settings = getTraining('search/grpo');
    const tried = toTry(settings, timeByProbe(settings, on(0.01)));
    expect([tried.questions, tried.heldOut.questions]).toEqual([8, 64]);
  });

  it('is as small as a try can be where this device has measured nothing', () => {
    const tried = toTry(getTraining('search/grpo'), null);
    expect([tried.questions, tried.heldOut.questions, tried.steps]).toEqual([4, 16, TRY_STEPS]);
  });
});
