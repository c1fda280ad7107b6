import { create } from 'zustand';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import { setupSchema } from '../../retrieval/setup.ts';
import { remember, remembered } from '../kit/page/remembered.ts';

/** Setup of the next run: policy, sources, helpers. Stored in this browser. */

const KEY = 'forage.setup';

/** The stored setup; the built-in one if it is missing or invalid. */
export const parseSetup = (text: string | null): Setup => {
  try {
    return setupSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return BUILT_IN_SETUP;
  }
};

/** The summarizer that was chosen automatically for a recipe. A user's choice is another object. */
const BY_RECIPE: Setup['summarizer'] = { kind: 'extractive' };

/** What is stored: without the automatic summarizer. */
const lasting = (setup: Setup): Setup =>
  setup.summarizer === BY_RECIPE ? { ...setup, summarizer: { kind: 'off' } } : setup;

interface SetupStore {
  setup: Setup;
  change: (part: Partial<Setup>) => void;
}

/** The setup of the next run, stored in this browser. An address may replace it for a visit. */
export const useSetup = create<SetupStore>()((set) => ({
  setup: parseSetup(remembered(KEY)),
  change: (part) => set(({ setup }) => ({ setup: { ...setup, ...part } })),
}));

useSetup.subscribe(({ setup }) => {
  remember(KEY, JSON.stringify(lasting(setup)));
});

/**
 * Chooses the extractive summarizer automatically if the recipe reads summaries and none was chosen;
 * removes it again otherwise, because with a summarizer every recipe would use summaries.
 */
export const fitSummarizer = (reads: boolean): void => {
  const { setup, change } = useSetup.getState();
  if (reads && setup.summarizer.kind === 'off') change({ summarizer: BY_RECIPE });
  if (!reads && setup.summarizer === BY_RECIPE) change({ summarizer: { kind: 'off' } });
};

/** Makes it the policy of the next run. */
export const choosePolicy = (policy: PolicyRef): void => useSetup.getState().change({ policy });
