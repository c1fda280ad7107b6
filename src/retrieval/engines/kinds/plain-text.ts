/** Markup as text. No part of it is ever given to a parser that could run it. */

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

/** More of a snippet is not looked at. Every pattern here has bounds, so that time stays in proportion. */
const MAX_MARKUP = 20_000;

/** Elements whose text is not a prose. */
const SILENT = /<(script|style|template|noscript)\b[^>]{0,300}>[\s\S]{0,4000}?<\/\1\s{0,9}>/giu;
const TAG = /<(?:\/?[a-z][a-z0-9-]{0,30}(?:\s[^<>]{0,1000})?\/?|!--[^>]{0,1000}--)>/giu;
/** Tags that part words; the others (`<b>`, `<span>`) stand inside them. */
const PARTING = /^<\/?(?:br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|blockquote|hr)\b/i;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/giu;

const codePoint = (value: number): string =>
  value > 0 && value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)
    ? String.fromCodePoint(value)
    : '\uFFFD';

/** Entities become characters, once. */
const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return codePoint(Number(decimal));
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    return NAMED[(name ?? '').toLowerCase()] ?? whole;
  });

/** The text with U+FFFD in place of halves of characters: what UTF-8 can carry. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** One line of text: no control characters, no lone surrogates, single spaces. */
export const cleanText = (text: string): string =>
  wellFormed(text)
    // oxlint-disable-next-line no-control-regex -- control characters are what goes
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b\ufeff\s]+/gu, ' ')
    .trim();

/** The text of an HTML fragment, as one line. What looks like a tag but is none stays as text. */
export const htmlToText = (html: string): string =>
  cleanText(
    decodeEntities(
      html
        .slice(0, MAX_MARKUP)
        .replace(SILENT, ' ')
        .replace(TAG, (tag) => (PARTING.test(tag) ? ' ' : '')),
    ),
  );
