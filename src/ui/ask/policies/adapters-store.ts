import { create } from 'zustand';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { lab } from '../../lab/connection.ts';

/** Runs of this browser with a kept adapter; null until they were looked for. */
export const useAdapters = create<{ runs: readonly EvaluableRun[] | null }>()(() => ({
  runs: null,
}));

/** Looks for them again. Never rejects: where the storage does not answer there are none. */
export const readAdapters = async (): Promise<void> => {
  try {
    useAdapters.setState({ runs: await lab().evaluations.runs() });
  } catch {
    useAdapters.setState({ runs: [] });
  }
};
