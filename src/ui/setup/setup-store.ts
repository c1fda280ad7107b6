import { create } from 'zustand';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import { setupSchema } from '../../retrieval/setup.ts';
import { remember, remembered } from '../kit/page/remembered.ts';

/** What the next run works with: policy, sources, helpers. Remembered in this browser. */

const KEY = 'forage.setup';

/** The setup of the last visit; what is built in where there is none that can be read. */
export const parseSetup = (text: string | null): Setup => {
  try {
    return setupSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return BUILT_IN_SETUP;
  }
};

/** A summarizer that came with a recipe and goes with it. One that the user chose is another object. */
const BY_RECIPE: Setup['summarizer'] = { kind: 'extractive' };

/** What is remembered for the next visit: not what came with a recipe. */
const lasting = (setup: Setup): Setup =>
  setup.summarizer === BY_RECIPE ? { ...setup, summarizer: { kind: 'off' } } : setup;

interface SetupStore {
  setup: Setup;
  change: (part: Partial<Setup>) => void;
}

/** The setup that the next run uses, remembered in this browser. An address may replace it for a visit. */
export const useSetup = create<SetupStore>()((set) => ({
  setup: parseSetup(remembered(KEY)),
  change: (part) => set(({ setup }) => ({ setup: { ...setup, ...part } })),
}));

useSetup.subscribe(({ setup }) => {
  remember(KEY, JSON.stringify(lasting(setup)));
});

/**
 * Takes extraction where what is chosen reads summaries and nobody who writes them was chosen, and goes without again
 * where it reads none: a question is asked with summaries by any recipe as long as someone writes them.
 */
export const fitSummarizer = (reads: boolean): void => {
  const { setup, change } = useSetup.getState();
  if (reads && setup.summarizer.kind === 'off') change({ summarizer: BY_RECIPE });
  if (!reads && setup.summarizer === BY_RECIPE) change({ summarizer: { kind: 'off' } });
};

/** Makes it the policy of the next run. */
export const choosePolicy = (policy: PolicyRef): void => useSetup.getState().change({ policy });
