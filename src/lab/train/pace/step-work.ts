import { itemAt } from '../../../base/items.ts';
import { stageAt } from '../../../learn/schedule.ts';
import { isStored, type StoredStage } from '../../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';

/** What a step does, in rollouts: as many as are made and learned from, or what stored trajectories come to. */

/** Learning from a rollout takes this beside making it, which is 1. */
export const UPDATE_SECONDS = 0.3;

/** Of making a rollout and learning from it, the learning. */
const LEARNED = UPDATE_SECONDS / (1 + UPDATE_SECONDS);

/** Stored trajectories that a step reads: of a pair both. */
const trajectoriesOf = ({ kind, batch }: StoredStage): number =>
  kind === 'stored-dpo' ? 2 * batch : batch;

type Staged = Pick<TrainSettings, 'stages'>;

/** Stored trajectories of a step, from 1; null where it makes rollouts. */
export function storedTrajectories({ stages }: Staged, step: number): number | null {
  const { loss } = itemAt(stages, stageAt(stages, step), 'stages');
  return isStored(loss) ? trajectoriesOf(loss) : null;
}

/** Rollouts that one step makes, or what its stored trajectories come to. @param rollouts of a step that makes some */
export const workOfStep = (settings: Staged, step: number, rollouts: number): number => {
  const stored = storedTrajectories(settings, step);
  return stored === null ? rollouts : LEARNED * stored;
};

/** The same, a mean over the steps of a run. */
export function workOfSteps(
  settings: Staged & Pick<TrainSettings, 'steps'>,
  rollouts: number,
): number {
  if (settings.steps === 0) return 0;
  let sum = 0;
  for (let step = 1; step <= settings.steps; step++) sum += workOfStep(settings, step, rollouts);
  return sum / settings.steps;
}

/** Whether some step of a run makes rollouts. */
export const makesRollouts = ({ stages }: Staged): boolean =>
  stages.some(({ loss }) => !isStored(loss));
