/** Terms of a text, the same for every lexical index here, at indexing and at query time. */

const COMBINING = /\p{M}+/gu;
const POSSESSIVE = /['’]s(?![\p{L}\p{N}])/gu;
const TERM = /[\p{L}\p{N}]+/gu;

/** Compatibility-decomposes, drops diacritics, lower-cases: "Étoile" and "ETOILE" become "etoile". */
export const foldText = (text: string): string =>
  text.normalize('NFKD').replace(COMBINING, '').toLowerCase();

/** Runs of letters and digits of the folded text, in order, repeats kept; possessive 's is dropped. */
export const terms = (text: string): string[] => termsOfFolded(foldText(text));

/** `terms` of a text that `foldText` was applied to. */
export const termsOfFolded = (folded: string): string[] =>
  folded.replace(POSSESSIVE, '').match(TERM) ?? [];

/** Orders strings by UTF-16 code units: the same on every machine and in every locale. */
export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
