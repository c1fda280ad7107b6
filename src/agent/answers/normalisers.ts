/** Answer text: SQuAD's normalisation, the canonical form that STIE counts, and words. */

// ASCII punctuation, as in the SQuAD script (Python's string.punctuation).
export const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
// Python's \b knows letters of every script, JavaScript's does not: "peña" ends in no article.
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

const squeezed = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ');

/** SQuAD's: lower case, punctuation deleted, a/an/the dropped, spaces squeezed. */
export const normalizeAnswer = (text: string): string =>
  squeezed(text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' '));

/** The canonical form under which `corrected` STIE compares and counts: "Russia (2018)" → "russia". */
export const canonicalAnswer = (text: string): string =>
  normalizeAnswer(text.replace(/\([^()]*\)/g, ' '));

/** Words of a text in order, lower case, cut at everything that is no letter or digit. */
export const words = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

type Form = (text: string) => string;

/**
 * How answers are normalised before they are compared. Normalisers disagree: "Jean-Paul" is one word to SQuAD's and two to
 * those for which punctuation is a space. The normal text comes first; then texts that keep more of the original.
 */
export type Normaliser = readonly [normal: Form, more: Form, most: Form];

const lower: Form = (text) => squeezed(text.toLowerCase());

export const SQUAD: Normaliser = [
  normalizeAnswer,
  (text) => squeezed(text.toLowerCase().replace(PUNCTUATION, '')),
  lower,
];

/** `string.punctuation` and ‘ ’ ´; the underscore and the grave accent are in the former. */
export const PUNCTUATION_AND_QUOTES = new RegExp(`${PUNCTUATION.source}|[‘’´]`, 'g');

/** A bare True or False is yes or no. */
export const boolMapped = (text: string): string =>
  text === 'True' ? 'yes' : text === 'False' ? 'no' : text;

/** Punctuation becomes a space; the result has no articles. @param mapped the text before that */
export function spacing(
  punctuation: RegExp,
  mapped: (text: string) => string = (text) => text,
): Normaliser {
  const spaced = (text: string): string => mapped(text).toLowerCase().replace(punctuation, ' ');
  return [
    (text) => squeezed(spaced(text).replace(ARTICLES, ' ')),
    (text) => squeezed(spaced(text)),
    lower,
  ];
}

/** The normal form of a text: `normalize_answer` of the code that the normaliser comes from. */
export const normalise = (text: string, [normal]: Normaliser): string => normal(text);

/**
 * The forms in which an answer and a gold answer are compared: the normal ones, unless nothing would be left
 * of the gold answer. An option letter "a" is an article, and "+" is punctuation: such a gold answer keeps its
 * articles, or else its punctuation, and so does the answer.
 *
 * The published functions compare the empty texts. There any two answers of which nothing is left are an exact
 * match with F1 0 ("the" for "a" as much as "a"), R1-Searcher's first cover-EM agrees with EM, and its second
 * one, our sub-EM, holds for every answer.
 */
export function comparedForms(
  prediction: string,
  gold: string,
  normaliser: Normaliser,
): { prediction: string; gold: string } {
  for (const form of normaliser) {
    const own = form(gold);
    if (own !== '') return { prediction: form(prediction), gold: own };
  }
  return { prediction: squeezed(prediction), gold: '' };
}
