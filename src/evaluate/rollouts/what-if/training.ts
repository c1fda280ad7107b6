import { z } from 'zod';
import type { Rollout } from '../../../records/rollout.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import {
  groupEstimatorOf,
  objectiveSchema,
  type EstimatorId,
  type TrainSettings,
} from '../../../recipes/parts/training.ts';

/** What a run's settings say of the loss that its rollouts went through. */
export interface LossSettings {
  /** Name of the training recipe that the settings began as. */
  preset: string;
  objective: TrainSettings['objective'] & { estimator: EstimatorId };
}

const schema = z.object({ preset: z.string(), objective: objectiveSchema });

/** Of a run; null where it trains the router alone, so that no loss was computed. */
export const lossOfRun = ({
  preset,
  objective,
  router,
}: Pick<TrainSettings, 'preset' | 'objective' | 'router'>): LossSettings | null =>
  router.train === 'alone'
    ? null
    : { preset, objective: { ...objective, estimator: groupEstimatorOf(objective) } };

/** A rollout with what its run's settings say of the loss, so that a file of it can be read on its own. */
export function withLoss(
  rollout: Rollout,
  settings: Pick<TrainSettings, 'preset' | 'objective' | 'router'>,
): Rollout {
  const training = lossOfRun(settings);
  return training ? { ...rollout, training } : rollout;
}

/** Of a rollout that carries them; null for others, and for what another version wrote and cannot be read. */
export function lossOfRollout({
  training,
}: Pick<ImportedRollout, 'training'>): LossSettings | null {
  const parsed = schema.safeParse(training);
  if (!parsed.success) return null;
  const { preset, objective } = parsed.data;
  return { preset, objective: { ...objective, estimator: groupEstimatorOf(objective) } };
}
