import type { TrainTime } from '../../lab/contract/training.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { useSetup } from '../setup/setup-store.ts';
import { startTraining } from '../train/store/train-actions.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { checkDraft } from '../train/store/train-draft.ts';
import { trainApi, trainingRun, useTrain } from '../train/store/train-store.ts';
import { toTry, TRY_STEPS } from '../train/store/try-run.ts';

/** Null without measurements on this device. */
const estimated = async (settings: TrainSettings): Promise<TrainTime | null> => {
  try {
    return (await trainApi().estimate(settings, 'auto', useSetup.getState().setup)).time;
  } catch {
    return null;
  }
};

/** Trains a few steps from a handicapped policy; opens a run that is already active. */
export const trainToSearch = async (go: (path: string) => void, name: string): Promise<void> => {
  const busy = trainingRun(useTrain.getState());
  if (busy) return go(formatTrainAddress({ run: busy.id, step: null }));
  // Plain search has the fastest steps, and a handicapped policy has the most to learn.
  const { settings } = checkDraft({
    training: 'search/grpo',
    changes: { start: 'not-searching' },
  });
  if (!settings) return go('/train?new=1');
  const tried = toTry(settings, await estimated(settings));
  const id = await startTraining({
    settings: tried,
    name: `${name}, ${TRY_STEPS} steps`,
    device: 'auto',
    demonstrations: null,
  });
  go(id === null ? '/train' : formatTrainAddress({ run: id, step: null }));
};
