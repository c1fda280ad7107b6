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

/**
 * Normalisers of answers, each under the name of the code that it comes from. They disagree: "Jean-Paul" is
 * one word to SQuAD's and two to R1-Searcher's.
 */
export const NORMALISERS = ['squad', 'r1-searcher'] as const;
/** The first two are those of the tables; the others belong to one reward each. */
export type NormaliserId = (typeof NORMALISERS)[number] | 'ur2' | 'arena';

export const NORMALISER_NOTES: Record<(typeof NORMALISERS)[number], string> = {
  squad: 'SQuAD’s normaliser: lower case, punctuation deleted, a, an and the dropped',
  'r1-searcher':
    'R1-Searcher’s normaliser (metric_calc_rule.py): lower case, punctuation replaced by a space, a, an and the dropped; a bare True or False is yes or no',
};

// `string.punctuation` and ‘ ’ ´; the underscore and the grave accent are in the former.
const PUNCTUATION_AND_QUOTES = new RegExp(`${PUNCTUATION.source}|[‘’´]`, 'g');

const boolMapped = (text: string): string =>
  text === 'True' ? 'yes' : text === 'False' ? 'no' : text;

type Form = (text: string) => string;

const lower: Form = (text) => squeezed(text.toLowerCase());

/** Punctuation becomes a space; the result has no articles. */
const spacing = (
  punctuation: RegExp,
  mapped: (text: string) => string,
): readonly [Form, Form, Form] => {
  const spaced = (text: string): string => mapped(text).toLowerCase().replace(punctuation, ' ');
  return [
    (text) => squeezed(spaced(text).replace(ARTICLES, ' ')),
    (text) => squeezed(spaced(text)),
    lower,
  ];
};

/** Forms of a text, the normal one first, then what keeps more of it. */
const FORMS: Record<NormaliserId, readonly [Form, Form, Form]> = {
  squad: [normalizeAnswer, (text) => squeezed(text.toLowerCase().replace(PUNCTUATION, '')), lower],
  'r1-searcher': spacing(PUNCTUATION_AND_QUOTES, boolMapped),
  // Tsinghua-dhy/UR2, UR2_RL/train/reward_server_*.py: ASCII punctuation, a bare True or False is yes or no.
  ur2: spacing(PUNCTUATION, boolMapped),
  // ren258/ARENA, src/evaluate.py.
  arena: spacing(PUNCTUATION_AND_QUOTES, (text) => text),
};

/** The normal form of a text: `normalize_answer` of the code that the normaliser comes from. */
export const normalise = (text: string, normaliser: NormaliserId): string =>
  FORMS[normaliser][0](text);

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
  normaliser: NormaliserId,
): { prediction: string; gold: string } {
  for (const form of FORMS[normaliser]) {
    const own = form(gold);
    if (own !== '') return { prediction: form(prediction), gold: own };
  }
  return { prediction: squeezed(prediction), gold: '' };
}
