import type { DemonstrationsFrom } from '../../../lab/contract/demonstrations.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { lab } from '../../lab/connection.ts';
import { storeRollouts } from '../../rollouts/store/browse-actions.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { chooseDemonstrations, demonstrationsStored } from './demonstrations.ts';
import { changeDraft, NOT_MAKING, useTrainForm, type Making } from './train-draft.ts';

const change = (part: Partial<Making>): void =>
  useTrainForm.setState(({ making }) => ({ making: { ...making, ...part } }));

const attempt = createAttempt(({ text }) => change({ problem: text }));

/** Tokens of one, and how many are kept, at most. A model of 135 million parameters learned the format from 240. */
export const DEMONSTRATION_LIMITS = { maxTokens: 1200, most: 500 };

/** Makes them, chooses them as the run's file, and keeps them on the Rollouts page. */
export const makeDemonstrations = async (
  from: DemonstrationsFrom,
  settings: TrainSettings,
  limits: typeof DEMONSTRATION_LIMITS,
): Promise<void> => {
  change({ ...NOT_MAKING, progress: { done: 0, total: null, kept: 0 } });
  const { setup } = useSetup.getState();
  const outcome = await attempt('The demonstrations could not be made', () =>
    lab().demonstrations.make(from, { settings, setup, ...limits }, (progress) => {
      // The last message may come after the answer.
      if (useTrainForm.getState().making.progress) change({ progress });
    }),
  );
  change({ progress: null });
  if (outcome?.status !== 'made') return;
  const { file, summary } = outcome;
  change({ made: { of: from.kind, summary } });
  if (!file) return;
  // A recipe that begins with rollouts of its own would not read the file.
  if (settings.warmUp?.own) changeDraft('warmUp.own', null);
  const chosen = new File([file], `demonstrations-${from.kind}-${settings.recipe}.jsonl`);
  storeRollouts(chosen.name, file, (id) => demonstrationsStored(chosen, id));
  await chooseDemonstrations(chosen);
};

/** Ends them; nothing of them is kept. */
export const cancelDemonstrations = (): Promise<void> => lab().demonstrations.cancel();
