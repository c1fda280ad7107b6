import { rightBy } from '../basis.ts';
import { refusedQueries, sameEnd, type Beside, type BesideEnd, type BesideRow } from './beside.ts';
import type { BesideRound } from './rounds.ts';

/** Where two rollouts part first, in a sentence or two. */

const LONGEST = 90;

const quoted = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line === ''
    ? 'nothing'
    : `“${line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line}”`;
};

const SOURCES = { local: 'the local corpus', web: 'the web', both: 'both sources' } as const;

const placeOf = (number: number): string =>
  number === 0 ? 'In the background' : `In search ${number}`;

const goldOf = (round: BesideRound): string[] =>
  round.passages.filter(({ gold }) => gold).map(({ title }) => title);

const asks = (round: BesideRound): string =>
  round.query === null ? 'makes no search' : `asks ${quoted(round.query)}`;

const sourceOf = ({ source }: BesideRound): string => (source ? SOURCES[source] : 'no source');

/** What came on one side and not on the other, gold first. */
function passageWords(a: BesideRound, b: BesideRound, names: readonly [string, string]): string {
  const only = (of: BesideRound, other: BesideRound): string | undefined =>
    goldOf(of).find((title) => !goldOf(other).includes(title));
  const [left, right] = [only(a, b), only(b, a)];
  if (left !== undefined && right === undefined)
    return `only ${names[0]} finds the supporting passage ${quoted(left)}`;
  if (right !== undefined && left === undefined)
    return `only ${names[1]} finds the supporting passage ${quoted(right)}`;
  return 'the same search finds other passages';
}

function rowWords({ a, b, differs }: BesideRow, names: readonly [string, string]): string {
  const [left, right] = names;
  if (!a || !b) {
    const [goesOn, ends] = a ? [left, right] : [right, left];
    const round = a ?? b;
    if (!round) return '';
    if (round.number === 0)
      return `Only ${goesOn} begins with background passages, for ${quoted(round.query ?? '')}.`;
    const before =
      round.number === 1
        ? 'without a search'
        : `after ${round.number - 1 === 1 ? 'one search' : `${round.number - 1} searches`}`;
    return `${ends} stops ${before}; ${goesOn} searches on${round.query === null ? '' : `: ${quoted(round.query)}`}.`;
  }
  const place = placeOf(a.number);
  switch (differs) {
    case 'refused': {
      const words = (round: BesideRound): string => {
        const last = refusedQueries(round).at(-1);
        return last === undefined ? 'has no query refused' : `has ${quoted(last)} refused`;
      };
      return `${place} ${left} ${words(a)}, ${right} ${words(b)}.`;
    }
    case 'query':
      return `${place} ${left} ${asks(a)}, ${right} ${asks(b)}.`;
    case 'source':
      return `${place} both ask ${quoted(a.query ?? '')}: ${left} asks ${sourceOf(a)}, ${right} ${sourceOf(b)}.`;
    case 'passages':
      return `${place} both ask ${quoted(a.query ?? '')}: ${passageWords(a, b, names)}.`;
    default:
      return '';
  }
}

const verdict = ({ right }: BesideEnd): string =>
  right === null ? '' : `, which is ${rightBy(right, 'em')}`;

/** What it answered, after "answers"; null where it gave nothing. */
const given = (end: BesideEnd): string | null => {
  const { answer, outside } = end;
  if (answer !== null) return `${quoted(answer)}${verdict(end)}`;
  return outside === undefined ? null : `outside the tags: ${quoted(outside)}`;
};

const outcome = (end: BesideEnd): string => {
  const words = given(end);
  return words === null ? 'gives no answer' : `answers ${words}`;
};

function answerWords(a: BesideEnd, b: BesideEnd, names: readonly [string, string]): string {
  if (!sameEnd(a, b))
    return `both search and find the same; ${names[0]} ${outcome(a)}, ${names[1]} ${outcome(b)}.`;
  const words = given(a);
  const both = words === null ? 'give no answer' : `answer ${words}`;
  return `nothing differs: the same searches, the same passages, and both ${both}.`;
}

/** How it ended, after the first difference. */
function endWords(a: BesideEnd, b: BesideEnd, names: readonly [string, string]): string {
  if (!sameEnd(a, b)) return ` ${sentenceCase(names[0])} ${outcome(a)}; ${names[1]} ${outcome(b)}.`;
  if (a.answer !== null) return ` Both answer ${quoted(a.answer)} all the same${verdict(a)}.`;
  return a.outside === undefined
    ? ' Neither gives an answer.'
    : ` Both answer outside the tags all the same: ${quoted(a.outside)}.`;
}

const sentenceCase = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * What differs first, and how the two end.
 * @param names of the two, as they are in the middle of a sentence
 * @returns null while one of them still runs
 */
export function besideSentence(
  { rows, ends, first }: Beside,
  names: readonly [string, string],
): string | null {
  const [a, b] = ends;
  if (!a.ended || !b.ended) return null;
  const row = first === null ? undefined : rows[first];
  if (!row) return sentenceCase(answerWords(a, b, names));
  return `${sentenceCase(rowWords(row, names))}${endWords(a, b, names)}`;
}
