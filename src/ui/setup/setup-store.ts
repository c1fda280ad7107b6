import { create } from 'zustand';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import { setupSchema } from '../../retrieval/setup.ts';

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

const stored = (): string | null => {
  try {
    return globalThis.localStorage?.getItem(KEY) ?? null;
  } catch {
    return null;
  }
};

interface SetupStore {
  setup: Setup;
  change: (part: Partial<Setup>) => void;
}

export const useSetup = create<SetupStore>()((set) => ({
  setup: parseSetup(stored()),
  change: (part) => set(({ setup }) => ({ setup: { ...setup, ...part } })),
}));

useSetup.subscribe(({ setup }) => {
  try {
    globalThis.localStorage?.setItem(KEY, JSON.stringify(setup));
  } catch {
    // Not remembered where the browser allows no storage.
  }
});

/** Makes it the policy of the next run. */
export const choosePolicy = (policy: PolicyRef): void => useSetup.getState().change({ policy });
