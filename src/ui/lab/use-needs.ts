import { useEffect } from 'react';
import type { Need } from '../../lab/contract/progress.ts';
import { need } from './connection.ts';

/** Has a page load what it cannot do without, once it was drawn; what is loaded stays loaded. */
export const useNeeds = (...needs: readonly Need[]): void => {
  const all = needs.join();
  useEffect(() => {
    need(...needs);
    // The list is another one every time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [all]);
};
