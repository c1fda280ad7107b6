import { condition } from '../store/browse-address.ts';

/** Signs and words of the filter language: who writes them writes a filter. */
const FILTER = /[=<>!()"\\/]|\b(?:contains|matches|has|is|and|or|not)\b/i;

/**
 * The filter that looks for some words in all texts of the rollouts; null where what is written is, or
 * may become, a filter.
 */
export const plainSearch = (text: string): string | null => {
  const words = text.trim();
  return words.length < 2 || FILTER.test(words) ? null : condition('text', 'contains', words);
};
