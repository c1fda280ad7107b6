import { create } from 'zustand';
import { BUILT_IN_SETUP, type PolicyRef, type Setup } from '../../records/setup.ts';
import { formOf, setupInForm } from '../../records/built-in-forms.ts';
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
  // What is built in stays of one form, whatever part of it is chosen.
  change: (part) =>
    set(({ setup }) => ({ setup: setupInForm({ ...setup, ...part }, formOf(setup)) })),
}));

useSetup.subscribe(({ setup }) => {
  try {
    // The first form is that of an address or a run, and not of the next visit.
    globalThis.localStorage?.setItem(KEY, JSON.stringify(setupInForm(setup, 2)));
  } catch {
    // Not remembered where the browser allows no storage.
  }
});

/** Goes on with what is built in now, after an address or a run of the first form. */
export const takeSecondForm = (): void =>
  useSetup.setState(({ setup }) => ({ setup: setupInForm(setup, 2) }));

/** What is chosen reads summaries: those by extraction, where nobody who writes them was chosen. */
export const needSummaries = (): void => {
  const { setup, change } = useSetup.getState();
  if (setup.summarizer.kind === 'off') change({ summarizer: { kind: 'extractive' } });
};

/** Makes it the policy of the next run. */
export const choosePolicy = (policy: PolicyRef): void => useSetup.getState().change({ policy });
