import { create } from 'zustand';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import type { SettingsOverride } from '../../../recipes/parts/settings.ts';
import { useView } from '../store/view-store.ts';
import { lab } from '../../lab/connection.ts';

/** Runs in this browser with a stored adapter; null until loaded. */
export const useAdapters = create<{ runs: readonly EvaluableRun[] | null }>()(() => ({
  runs: null,
}));

/** What the run of the adapter that answers set of its recipe; nothing where Ask uses another recipe. */
export const useTrainedWith = (): SettingsOverride => {
  const { sides, settings } = useView(({ address }) => address);
  const runs = useAdapters((state) => state.runs);
  const asked = sides?.policy;
  const run = asked?.kind === 'run' ? runs?.find(({ id }) => id === asked.run) : undefined;
  return run?.recipe === settings.recipe ? run.overrides : {};
};

/** Loads them again. Never rejects: without storage there are none. */
export const readAdapters = async (): Promise<void> => {
  try {
    useAdapters.setState({ runs: await lab().evaluations.runs() });
  } catch {
    useAdapters.setState({ runs: [] });
  }
};
