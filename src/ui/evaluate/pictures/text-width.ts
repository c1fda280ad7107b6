/** Estimates text widths before anything is drawn. */

/** Average pixels per character; names of systems are slightly wider. */
const CHARACTER = 6.7;

/** Pixels per letter: `m`, `w` and capitals are the widest. */
const letterWidth = (letter: string): number =>
  /[mw]/i.test(letter) ? 11 : /\p{Lu}/u.test(letter) ? 8.2 : 6.2;

/** Pixels of a name that must not be covered. */
export const nameWidth = (text: string, bold: boolean): number =>
  Array.from(text).reduce((sum, letter) => sum + letterWidth(letter), 0) * (bold ? 1.14 : 1);

/** Room for the longest text plus a gap, at most `most` pixels. */
export const widthOf = (texts: readonly string[], most: number): number =>
  Math.min(most, Math.ceil(Math.max(0, ...texts.map(({ length }) => length)) * CHARACTER) + 12);

/** Cuts a text to a width; the table has the whole one. */
export const cut = (text: string, width: number): string => {
  const fits = Math.floor((width - 8) / CHARACTER);
  return text.length > fits ? `${text.slice(0, Math.max(1, fits - 1))}…` : text;
};
