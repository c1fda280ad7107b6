import { condition } from '../store/browse-address.ts';

/** Tokens of the filter language: text with these is a filter. */
const FILTER = /[=<>!()"\\/]|\b(?:contains|matches|has|is|and|or|not)\b/i;

/** A filter that searches all texts for the words; null if the text is, or may become, a filter. */
export const plainSearch = (text: string): string | null => {
  const words = text.trim();
  return words.length < 2 || FILTER.test(words) ? null : condition('text', 'contains', words);
};
