import type { Compared, Pair } from './compared.ts';
import { SeenText } from './mentions.ts';

/**
 * Questions that compare two things by a date: what a thought may write out before its verdict. Dates are read from the
 * first lines of the passages by rule; they are said only where they are shown and their order gives the gold answer.
 */

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const MONTH = MONTHS.join('|');
const DATE = new RegExp(
  `(?<d>\\d{1,2}) (?<m>${MONTH}),? (?<y>\\d{4})|(?<m2>${MONTH}) (?<d2>\\d{1,2}), (?<y2>\\d{4})|\\b(?<y3>1\\d{3}|20\\d{2})\\b`,
  'gu',
);

interface Dated {
  text: string;
  /** Year, month and day as one number; month and day 0 where they are not given. */
  value: number;
}

function datesIn(text: string): Dated[] {
  return Array.from(text.matchAll(DATE), (match) => {
    const { d, m, y, d2, m2, y2, y3 } = match.groups ?? {};
    const month = MONTHS.indexOf(m ?? m2 ?? '') + 1;
    const value = Number(y ?? y2 ?? y3) * 10_000 + month * 100 + Number(d ?? d2 ?? 0);
    return { text: match[0], value };
  });
}

type Event = 'birth' | 'death' | 'beginning';

function eventOf(question: string): Event {
  if (/\b(?:dies?|died|death)\b/iu.test(question)) return 'death';
  return /\b(?:born|birth|older|oldest|younger|youngest)\b/iu.test(question)
    ? 'birth'
    : 'beginning';
}

/** Whether the earlier or the later date is asked for; null where no date is. */
function orderOf(question: string): 'earlier' | 'later' | null {
  if (
    /\b(?:later|latest|last|younger|youngest|newer|newest|recent|recently|after)\b/iu.test(question)
  )
    return 'later';
  return /\b(?:earlier|earliest|first|older|oldest|before)\b/iu.test(question) ? 'earlier' : null;
}

/** A life in brackets: `(12 May 1900 – 3 June 1970)`. */
const LIFE = /\(([^()]*\d{4}[^()]*)\)/u;
/** Characters at the start of a page in which dates of a life are looked for without brackets. */
const OPENING = 240;

function dateOf(passage: string, event: Event): Dated | undefined {
  if (event === 'beginning') return datesIn(passage)[0];
  const [birth, death] = datesIn(LIFE.exec(passage)?.[1] ?? passage.slice(0, OPENING));
  return event === 'birth' ? birth : death;
}

/**
 * Lines such as `Old Wolf: 1931`, one for each of the two things that a question compares.
 * @returns null where the question compares no dates, or they do not give the answer
 */
export function comparedDates({ text, answer }: Compared, pair: Pair): string[] | null {
  const order = orderOf(text);
  if (order === null) return null;
  const event = eventOf(text);
  const [a, b] = pair.sides.map(({ name, pages, line }) => {
    const date = pages
      .map((page) => dateOf(page, event))
      .find((one) => one && pair.shows(one.text));
    return date && { name, value: date.value, line: line(date.text) };
  });
  if (!a || !b || a.value === b.value) return null;
  const first = a.value < b.value ? a : b;
  const verdict = order === 'earlier' ? first : first === a ? b : a;
  return new SeenText(answer).names(verdict.name) ? [a.line, b.line] : null;
}
