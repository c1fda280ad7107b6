import { useEffect } from 'react';
import { fitSummarizer } from './setup-store.ts';

/**
 * Who summarizes comes and goes with what a page has chosen, however that was chosen: in a form, by an address, by the
 * palette or in an earlier visit. Whom the user chooses meanwhile stays.
 * @param reads whether what is chosen reads summaries; null: it is not known now
 */
export const useFitSummarizer = (reads: boolean | null): void => {
  useEffect(() => {
    if (reads !== null) fitSummarizer(reads);
  }, [reads]);
};
