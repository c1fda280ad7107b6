/** Answer text: SQuAD's normalisation, the canonical form that STIE counts, and words. */

// ASCII punctuation, as in the SQuAD script (Python's string.punctuation).
export const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
// Python's \b knows letters of every script, JavaScript's does not: "peña" ends in no article.
export const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

export const squeezed = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ');

/** SQuAD's: lower case, punctuation deleted, a/an/the dropped, spaces squeezed. */
export const normalizeAnswer = (text: string): string =>
  squeezed(text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' '));

/** The canonical form under which `corrected` STIE compares and counts: "Russia (2018)" → "russia". */
export const canonicalAnswer = (text: string): string =>
  normalizeAnswer(text.replace(/\([^()]*\)/g, ' '));

/** Words of a text in order, lower case, cut at everything that is no letter or digit. */
export const words = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
