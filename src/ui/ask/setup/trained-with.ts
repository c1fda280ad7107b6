import type { SettingsOverride } from '../../../recipes/parts/settings.ts';
import { useView } from '../store/view-store.ts';
import { useAdapters } from '../policies/adapters-store.ts';

/** What the run of the adapter that answers set of its recipe; nothing where Ask uses another recipe. */
export const useTrainedWith = (): SettingsOverride => {
  const { sides, settings } = useView(({ address }) => address);
  const runs = useAdapters((state) => state.runs);
  const asked = sides?.policy;
  const run = asked?.kind === 'run' ? runs?.find(({ id }) => id === asked.run) : undefined;
  return run?.recipe === settings.recipe ? run.overrides : {};
};
