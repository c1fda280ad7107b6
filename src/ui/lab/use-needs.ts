import { useEffect } from 'react';
import type { Need } from '../../lab/contract/progress.ts';
import { need } from './connection.ts';

/** Loads the parts that a page needs once it has rendered; loaded parts stay loaded. */
export const useNeeds = (...needs: readonly Need[]): void => {
  const all = needs.join();
  useEffect(() => {
    need(...needs);
    // The list is a new one on every render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [all]);
};
