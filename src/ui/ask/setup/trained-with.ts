import type { SettingsOverride } from '../../../recipes/parts/settings.ts';
import { useAsk } from '../store/ask-store.ts';

/** What the run of the adapter that answers set of its recipe; nothing where Ask uses another recipe. */
export const useTrainedWith = (): SettingsOverride => {
  const { sides, settings } = useAsk(({ address }) => address);
  const runs = useAsk((state) => state.adapters);
  const asked = sides?.policy;
  const run = asked?.kind === 'run' ? runs?.find(({ id }) => id === asked.run) : undefined;
  return run?.recipe === settings.recipe ? run.overrides : {};
};
