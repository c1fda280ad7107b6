import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkedSettingsSchema } from '../../../../src/learn/settings/checked.ts';
import { estimate } from '../../../../src/lab/train/pace/estimate.ts';
import { parsePolicyConfig } from '../../../../src/policy/checkpoint/config.ts';
import { getTraining, TRAININGS } from '../../../../src/recipes/index.ts';
import type { TrainSettings } from '../../../../src/recipes/parts/training.ts';
import { toTry, TRY_STEPS } from '../../../../src/ui/train/store/try-run.ts';

const config = parsePolicyConfig(
  JSON.parse(
    readFileSync(new URL('../../../../public/policy/config.json', import.meta.url), 'utf8'),
  ),
);

/** Minutes that a run takes by the estimate of a machine with so many cores. */
const minutes = (settings: TrainSettings, cores: number): number => {
  const { secondsPerStep, secondsBefore } = estimate(settings, config, cores, null);
  return (settings.steps * secondsPerStep + secondsBefore) / 60;
};

describe('a run that tries', () => {
  it.each(['kunlun-baize/whole', 'search/grpo', 'ur2/paper'])(
    'of %s takes about two minutes by the estimate of this device',
    (id) => {
      const settings = getTraining(id);
      const tried = toTry(settings, estimate(settings, config, 2, null));
      expect(minutes(tried, 2)).toBeGreaterThan(1);
      expect(minutes(tried, 2)).toBeLessThan(2.1);
    },
  );

  it('of every recipe is allowed, has ten steps, trains groups of two questions or more, and keeps how it learns', () => {
    for (const { id } of TRAININGS) {
      const settings = getTraining(id);
      const tried = toTry(settings, estimate(settings, config, 1, null));
      expect(checkedSettingsSchema.safeParse(tried).error, id).toBeUndefined();
      expect(tried.steps).toBe(TRY_STEPS);
      expect(tried.questions).toBeGreaterThanOrEqual(2);
      const { groupSize, optimizer, objective, stages, updates } = settings;
      expect(tried).toMatchObject({ groupSize, optimizer, objective, stages, updates });
    }
  });

  it('is no smaller than it need be', () => {
    const settings = getTraining('search/grpo');
    const tried = toTry(settings, estimate(settings, config, 16, null));
    expect([tried.questions, tried.heldOut.questions]).toEqual([8, 64]);
    expect(toTry(settings, null)).toEqual(tried);
  });
});
