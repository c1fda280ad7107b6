import { useEffect } from 'react';
import { fitSummarizer } from './setup-store.ts';

/**
 * Updates the automatic summarizer with the page's recipe, however that was chosen: by form, address,
 * palette or earlier visit. A user's choice is kept.
 * @param reads whether the recipe reads summaries; null: not known yet
 */
export const useFitSummarizer = (reads: boolean | null): void => {
  useEffect(() => {
    if (reads !== null) fitSummarizer(reads);
  }, [reads]);
};
