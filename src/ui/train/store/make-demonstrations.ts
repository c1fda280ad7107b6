import { create } from 'zustand';
import type {
  DemonstrationsFrom,
  DemonstrationsProgress,
} from '../../../lab/contract/demonstrations.ts';
import type { TallySummary } from '../../../learn/demonstrations/tally.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { lab } from '../../lab/connection.ts';
import { storeRollouts } from '../../rollouts/store/browse-actions.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { chooseDemonstrations, demonstrationsStored } from './demonstrations.ts';

/** Making demonstrations for a new run. */
interface Making {
  /** While they are made. */
  progress: DemonstrationsProgress | null;
  /** What the last ones were made of. */
  made: { of: DemonstrationsFrom['kind']; summary: TallySummary } | null;
  /** Why the last ones could not be made. */
  problem: string | null;
}

const NOTHING: Making = { progress: null, made: null, problem: null };

export const useMaking = create<Making>()(() => NOTHING);

const attempt = createAttempt(({ text }) => useMaking.setState({ problem: text }));

/** Makes them, chooses them as the run's file, and keeps them on the Rollouts page. */
export const makeDemonstrations = async (
  from: DemonstrationsFrom,
  settings: TrainSettings,
  limits: { maxTokens: number; most: number },
): Promise<void> => {
  useMaking.setState({ ...NOTHING, progress: { done: 0, total: null, kept: 0 } });
  const { setup } = useSetup.getState();
  const outcome = await attempt('The demonstrations could not be made', () =>
    lab().demonstrations.make(from, { settings, setup, ...limits }, (progress) => {
      // The last message may come after the answer.
      if (useMaking.getState().progress) useMaking.setState({ progress });
    }),
  );
  useMaking.setState({ progress: null });
  if (outcome?.status !== 'made') return;
  const { file, summary } = outcome;
  useMaking.setState({ made: { of: from.kind, summary } });
  if (!file) return;
  const chosen = new File([file], `demonstrations-${from.kind}-${settings.recipe}.jsonl`);
  storeRollouts(chosen.name, file, (id) => demonstrationsStored(chosen, id));
  await chooseDemonstrations(chosen);
};

/** Ends them; nothing of them is kept. */
export const cancelDemonstrations = (): Promise<void> => lab().demonstrations.cancel();
