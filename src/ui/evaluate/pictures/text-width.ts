/** How wide the names in pictures are, before anything is drawn. */

/** Pixels of a character of the pictures' type; letters differ, names of systems are a little wider. */
const CHARACTER = 6.7;

/** Pixels of a letter: `m` and `w` are the widest, capitals wider than the others. */
const letterWidth = (letter: string): number =>
  /[mw]/i.test(letter) ? 11 : /\p{Lu}/u.test(letter) ? 8.2 : 6.2;

/** Pixels of a name that must not be covered. */
export const nameWidth = (text: string, bold: boolean): number =>
  Array.from(text).reduce((sum, letter) => sum + letterWidth(letter), 0) * (bold ? 1.14 : 1);

/** Room for the longest of the texts with a gap after it, `most` pixels at most. */
export const widthOf = (texts: readonly string[], most: number): number =>
  Math.min(most, Math.ceil(Math.max(0, ...texts.map(({ length }) => length)) * CHARACTER) + 12);

/** A text that fits into this many pixels; the whole one is in the table. */
export const cut = (text: string, width: number): string => {
  const fits = Math.floor((width - 8) / CHARACTER);
  return text.length > fits ? `${text.slice(0, Math.max(1, fits - 1))}…` : text;
};
