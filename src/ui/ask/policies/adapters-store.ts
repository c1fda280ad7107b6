import { create } from 'zustand';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { lab } from '../../lab/connection.ts';

/** Runs in this browser with a stored adapter; null until loaded. */
export const useAdapters = create<{ runs: readonly EvaluableRun[] | null }>()(() => ({
  runs: null,
}));

/** Loads them again. Never rejects: without storage there are none. */
export const readAdapters = async (): Promise<void> => {
  try {
    useAdapters.setState({ runs: await lab().evaluations.runs() });
  } catch {
    useAdapters.setState({ runs: [] });
  }
};
