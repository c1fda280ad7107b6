import type { ImportedRollout, ImportedSegment } from './shape/imported.ts';
import { PROTOCOLS, protocolById } from './protocols/catalogue.ts';
import { blockText } from './protocols/split.ts';
import type { Protocol } from './protocols/protocol.ts';
import { itemAt, present } from '../../base/items.ts';

/** A rollout as rounds: what was thought, asked and read, in order. */

/** A stretch of one segment's text. */
export interface TextSpan {
  segment: number;
  start: number;
  end: number;
}

/** One passage of a result, and where it stands. */
export interface ReadPassage extends TextSpan {
  /** Empty where none can be distinguished from the text. */
  title: string;
  text: string;
}

export interface Round {
  /** From 0; what was written before the first query is part of round 0. */
  number: number;
  /** Indices of all segments of the round, in order. */
  segments: number[];
  /** Null in the last round where it ends without another query, and in a background. */
  query: (TextSpan & { text: string }) | null;
  passages: ReadPassage[];
}

const FORAGE = present(
  PROTOCOLS.find(({ id }) => id === 'forage'),
  'the protocol of Forage itself',
);

/** The protocol whose tags are in the segments' text; records of our own carry Forage's. */
export const protocolOf = ({ origin }: Pick<ImportedRollout, 'origin'>): Protocol | null =>
  origin ? protocolById(origin.protocol) : FORAGE;

/** What the results of an own record are in: a policy on a server may have spoken a published format. */
function spokenIn(segments: readonly Pick<ImportedSegment, 'text' | 'role'>[]): Protocol {
  const results = segments.filter(({ role }) => role === 'result');
  const spoken = ({ blocks }: Protocol): boolean =>
    results.every(({ text }) =>
      blocks.some(({ role, open }) => role === 'result' && text.includes(open)),
    );
  return [FORAGE, ...PROTOCOLS].find(spoken) ?? FORAGE;
}

/** Where one passage of a list begins, in the forms that published systems print. */
const NUMBERED =
  /^[ \t]*(?:\(\d+\)|Doc(?:ument)?\s*\d+\s*(?:\(Title:|\x22)|\[\d+\]|Doc(?:ument)?\s*\d+:)/gm;
/** The same inside a JSON string, where a line ends in an escape. */
const IN_JSON = new RegExp(
  NUMBERED.source.replace('^[ \\t]*', String.raw`(?:^|(?<="|\\n))[ \t]*`),
  'gm',
);

/** A title between quotation marks on a line of its own, as ReSearch prints them, after a blank line. */
const QUOTED = /(?<![^\n]\n|[^\n])"[^\n]{1,200}"[ \t]*$/gm;

/**
 * A passage's title: `"Title" text`, `Title: X Text: y`, `Doc 1(Title: X) text`, `X : y`. Bounded
 * throughout: imported text is hostile, and no expression may run away on it.
 */
const TITLES = [
  /^\(\d+\)\s{0,4}"?Title:(.{0,300}?)\sText:/s,
  /^Doc(?:ument)?\s{0,4}\d+\s{0,4}\(Title:\s{0,4}"(.{0,300}?)"\)/s,
  /^Doc(?:ument)?\s{0,4}\d+\s{0,4}\(Title:\s{0,4}"?(.{0,300}?)"?\)/s,
  /^(?:\(\d+\)|\[\d+\]|Doc(?:ument)?\s*\d+:)\s*"([^"\n]{1,200})"\s*\n?/,
  /^(?:\(\d+\)|\[\d+\]|Doc(?:ument)?\s*\d+:)\s*(\S.{0,200}?) {3,}/,
  /^Doc(?:ument)?\s{0,4}\d+\s{0,4}"([^\n]{1,200})"[ \t]*\n/,
  /^\(Title:\s{0,4}"(.{0,300}?)"\)/,
  /^\(Title:\s{0,4}(.{0,300}?)\)/,
  /^"([^\n]{1,200})"[ \t]*\n/,
  /^(\S.{0,200}?) : /,
];

/** A document as Python prints it, `{'document': 'Title\\ntext'}`; a result that is cut off may end inside it. */
const PRINTED = /^\{'document': (['"])(?:(.{0,300}?)\\n)?(.*?)(?:\1\})?$/s;

const unescaped = (text: string): string =>
  text.replaceAll(/\\([nt'"\\])/g, (_, mark: string) => (/[nt]/.test(mark) ? ' ' : mark));

function passage(text: string, segment: number, start: number): ReadPassage {
  const body = text.trim();
  const from = start + text.length - text.trimStart().length;
  const printed = PRINTED.exec(body);
  if (printed) {
    const [, , title = '', rest = ''] = printed;
    const end = from + body.length;
    return { segment, start: from, end, title: unescaped(title), text: unescaped(rest).trim() };
  }
  for (const pattern of TITLES) {
    const match = pattern.exec(body);
    if (match)
      return {
        segment,
        start: from,
        end: from + body.length,
        title: itemAt(match, 1, 'title').trim(),
        text: body.slice(match[0].length).trim(),
      };
  }
  return { segment, start: from, end: from + body.length, title: '', text: body };
}

/** Passages in a result's text: numbered ones, else those below their titles, else one per line; tags are left out. */
function passagesIn(
  segment: Pick<ImportedSegment, 'text'>,
  index: number,
  protocol: Protocol | null,
): ReadPassage[] {
  const { text, start } = blockText(segment.text, protocol);
  if (text === '') return [];
  const numbered = [...text.matchAll(text.startsWith('{') ? IN_JSON : NUMBERED)].map(
    (match) => match.index,
  );
  const quoted = [...text.matchAll(QUOTED)].map((match) => match.index);
  const lines = [...text.matchAll(/^.*\S.*$/gm)].map((match) => match.index);
  const printed = text.startsWith("{'document'");
  const starts = numbered.length > 0 && !printed ? numbered : quoted[0] === 0 ? quoted : lines;
  return starts.map((from, i) => passage(text.slice(from, starts[i + 1]), index, start + from));
}

/** The query of a block; where it is a call with arguments, what it asks for and the stretch that says so. */
export function queryOf(
  segment: Pick<ImportedSegment, 'text'>,
  index: number,
  protocol: Protocol | null,
): NonNullable<Round['query']> {
  const { text, start } = blockText(segment.text, protocol);
  const asked = protocol?.query?.(text);
  if (!asked) return { text, segment: index, start, end: start + text.length };
  const whole = text.slice(asked.start, asked.start + asked.text.length) !== asked.text;
  const from = start + (whole ? 0 : asked.start);
  const length = whole ? text.length : asked.text.length;
  return { text: asked.text, segment: index, start: from, end: from + length };
}

/** The rounds of a rollout. A query opens a new round after the results of the one before. */
export function roundsOf(rollout: Pick<ImportedRollout, 'segments' | 'origin'>): Round[] {
  const protocol = rollout.origin ? protocolOf(rollout) : spokenIn(rollout.segments);
  const rounds: Round[] = [];
  let round: Round | null = null;
  let closed = false;
  rollout.segments.forEach((segment, index) => {
    const read = segment.source === 'environment';
    // What the policy writes after a result begins the next round.
    if (!round || (closed && !read)) {
      round = { number: rounds.length, segments: [], query: null, passages: [] };
      rounds.push(round);
      closed = false;
    }
    round.segments.push(index);
    if (segment.role === 'search' && segment.source === 'policy') {
      round.query = queryOf(segment, index, protocol);
    }
    if (segment.role === 'result' || segment.role === 'background') {
      if (read) round.passages.push(...passagesIn(segment, index, protocol));
    }
    // Where the context restarts, a result is as a background does.
    const isResult = segment.role === 'result' || (segment.role === 'background' && round.query);
    if (read && isResult) closed = true;
  });
  return rounds;
}
