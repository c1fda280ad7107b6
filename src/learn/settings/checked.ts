import { z } from 'zod';
import { stageSchema, trainSettingsSchema } from '../../recipes/parts/training.ts';
import type { Reward } from '../rewards/parts/definition.ts';
import { idsOf, REWARDS, type RewardId } from '../rewards/list.ts';

/** A stage whose reward is one of `rewards`. */
export const stageSchemaOf = <Id extends string>(rewards: readonly Reward<Id>[]) =>
  stageSchema.extend({ reward: z.enum(idsOf(rewards)) });

/** Training settings from outside: every stage has a reward that can be computed here. */
export const checkedSettingsSchema = trainSettingsSchema.extend({
  stages: z.array(stageSchemaOf<RewardId>(REWARDS)).min(1),
});
