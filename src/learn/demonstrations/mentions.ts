/** Whether texts name things, whatever their case, accents and punctuation. */

/** Words with one blank around each. */
const words = (text: string): string =>
  ` ${text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** A text in which names are looked for; it grows with what is shown. */
export class SeenText {
  #words: string;

  constructor(text: string) {
    this.#words = words(text);
  }

  add(text: string): void {
    this.#words += words(text);
  }

  /** Place of a name; -1 where it is not named, or has no word. */
  placeOf(name: string): number {
    const wanted = words(name);
    return wanted.trim() === '' ? -1 : this.#words.indexOf(wanted);
  }

  names(name: string): boolean {
    return this.placeOf(name) >= 0;
  }
}

/** A title without what tells it from others of its name: `Springfield, Illinois` stays, `Mamta (1942 film)` is `Mamta`. */
export const plainTitle = (title: string): string => title.replace(/\s*\([^()]*\)$/u, '') || title;

/** Whether an answer needs no passage that says it. */
export const isClosed = (answer: string): boolean => /^(?:yes|no)$/iu.test(answer.trim());

/** Whether a text says one of the wordings of an answer. */
export const isSaid = (wordings: readonly string[], seen: SeenText): boolean =>
  wordings.some((answer) => isClosed(answer) || seen.names(answer));
