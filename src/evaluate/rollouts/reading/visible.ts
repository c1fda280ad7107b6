import { present } from '../../../base/items.ts';

/**
 * Characters that are not seen but change how others are: bidirectional controls turn a text around,
 * zero-width ones split or join a word, and some are not text at all. In imported text they are shown by
 * their number, so that what is read is what is there.
 */
const HIDDEN = /(?!\t|\n|\r|\uFE0F)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const nameOf = (sign: string): string =>
  `⟨U+${present(sign.codePointAt(0), 'the character').toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The text with hidden characters as `⟨U+202E⟩`; most texts come back as they are. */
export const revealHidden = (text: string): string => text.replaceAll(HIDDEN, nameOf);
