import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import { ownTrajectoriesOf } from '../../recipes/registry.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { stageAt } from '../schedule.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** How many rollouts a run makes for stages with a stored loss, where no file is given. */

/** Rollouts of a question. */
export const GROUP = 4;

/** At least and at most this many rollouts; between them half as many as the steps take trajectories, which see each about twice. */
const LEAST = 64;
const MOST = 1200;
const PASSES = 2;

/** @param questions that there are; @returns 0 of both where no stage has a stored loss */
export function countOwn(
  settings: Pick<TrainSettings, 'stages' | 'steps' | 'preset'>,
  questions: number,
): { questions: number; rollouts: number } {
  const { stages, steps } = settings;
  const taken = sum(
    Array.from({ length: steps }, (_, i) => {
      const { loss } = itemAt(stages, stageAt(stages, i + 1), 'stages');
      return isStored(loss) ? loss.batch : 0;
    }),
  );
  if (taken === 0) return { questions: 0, rollouts: 0 };
  const { choice, failedWithout } = ownTrajectoriesOf(settings);
  const wanted = taken / PASSES / (choice.top?.share ?? 1);
  const rollouts = Math.min(MOST, Math.max(LEAST, wanted));
  const asked = Math.min(questions, Math.ceil(rollouts / GROUP));
  // With the overrides, and without them before.
  return { questions: asked, rollouts: asked * GROUP * (failedWithout ? 2 : 1) };
}
