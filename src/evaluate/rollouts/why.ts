import { outsideAnswer } from '../../records/outside-answer.ts';
import { itemAt } from '../../base/items.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import {
  evidenceSegments,
  holdsAnswer,
  needlesOf,
  needsNoPassage,
  segmentWords,
  type RolloutFacts,
} from './lint/facts.ts';
import { outcomeOf, type Outcome } from './taxonomy.ts';
import type { Hop, HopMap } from './hops.ts';

/** Why a rollout is wrong, in one sentence, and where on the way asked → found → read → answered it was lost. */

export const ENDS = {
  right: 'right',
  'right-unread': 'right without retrieval',
  'not-asked': 'not asked for',
  'not-found': 'asked for, not found',
  'not-read': 'found, not read',
  'not-answered': 'read, not answered',
} as const;

/**
 * The stage that a rollout did not pass; `right`: it passed them all, as far as words can tell. `right-unread`: it is
 * right, and nothing that it was shown says so: memory, or luck.
 */
export type End = keyof typeof ENDS;

export const END_NAMES: readonly End[] = Object.keys(ENDS) as End[];

export interface Why {
  end: End;
  /** Null of a right one. */
  sentence: string | null;
}

const LONGEST = 120;

const quoted = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return `“${line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line}”`;
};

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

const hopName = (at: number, count: number): string =>
  count === 1 ? 'The only hop' : `The ${ORDINALS[at] ?? `${at + 1}th`} hop`;

const times = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;

const SOURCES = { local: 'the local corpus', web: 'the web', both: 'both sources' } as const;

/** What `instead` is, as text. */
const INSTEAD: Record<NonNullable<Hop['by']>, string> = {
  stale: 'the policy took an older passage’s',
  contradicting: 'the policy took a contradicting passage’s',
  namesake: 'the policy took a namesake’s',
  query: 'the next query says',
  answer: 'the answer says',
};

/** One sentence on a hop that failed. */
function hopSentence(hop: Hop, name: string, kind: 'chain' | 'titles'): string {
  const { state, title, subject, object, asked, source, instead, by } = hop;
  switch (state) {
    case 'not-searched':
      return hop.refused
        ? `${name} was not searched: the query that named ${quoted(subject || title)} was refused.`
        : `${name} was not searched: no query named ${quoted(subject || title)}.`;
    case 'wrong-source':
      return `${name} was searched in the wrong source: ${quoted(title)} is in ${source ? SOURCES[source] : 'the other one'}.`;
    case 'not-found':
      return `${name} was searched ${times(asked.length)} and ${quoted(title)} did not come.`;
    case 'misread':
      return `${name}’s passage was found and misread: it says ${quoted(object)}, ${
        instead !== null && by ? `${INSTEAD[by]} ${quoted(instead)}` : 'and none of it was written'
      }.`;
    default:
      return kind === 'titles' ? `${quoted(title)} was found.` : `${name} was found.`;
  }
}

const FAILED: Partial<Record<Hop['state'], End>> = {
  'not-searched': 'not-asked',
  'wrong-source': 'not-found',
  'not-found': 'not-found',
  misread: 'not-read',
};

/** Where the stage is recognised by the outcome alone, as of rows that an earlier version stored. */
export function endOfOutcome(outcome: Outcome | null): End | null {
  switch (outcome) {
    case null:
    case 'not-scored':
    case 'error':
      return null;
    case 'no-search':
      return 'not-asked';
    case 'not-retrieved':
      return 'not-found';
    case 'retrieved-not-used':
      return 'not-read';
    case 'outside-tags':
    case 'no-answer':
    case 'wrong-closed':
      return 'not-answered';
    case 'right-without-evidence':
      return 'right-unread';
    default:
      return 'right';
  }
}

interface OutcomeFacts {
  rollout: ImportedRollout;
  facts: RolloutFacts;
  answer: string;
  gold: string;
}

/** What is there in place of an answer. */
function noAnswerWords(rollout: ImportedRollout): string {
  const outside = outsideAnswer(rollout);
  return outside === null
    ? 'no answer was given'
    : `it answered outside the tags: ${quoted(outside.slice(0, 200))}`;
}

const answerWords = ({ rollout, facts }: Pick<OutcomeFacts, 'rollout' | 'facts'>): string => {
  if (!facts.answered) return noAnswerWords(rollout);
  return `the answer says ${quoted(rollout.answer ?? '')}`;
};

/** Why no answer was given, where the record's last event says it. */
const stopWords = ({ events }: ImportedRollout): string => {
  const stop = events?.findLast((event) => event.kind === 'stop');
  return stop?.kind === 'stop' && stop.detail !== '' ? ` (${stop.detail})` : '';
};

/** Without a chain: by whether anything was asked, and whether a gold answer was in what was read. */
function byFacts(given: OutcomeFacts): Why {
  const { rollout, facts, gold, answer } = given;
  const { searches, retrieved, closed, answered } = facts;
  if (needsNoPassage(rollout.question)) {
    const ending = answered ? '' : stopWords(rollout);
    return { end: 'not-answered', sentence: `${sentenceOf(answer)}${ending}, gold is ${gold}.` };
  }
  const read = evidenceSegments(rollout);
  const needles = needlesOf(rollout.question.answers);
  if (retrieved) {
    const where = read.findIndex((i) =>
      holdsAnswer(segmentWords(itemAt(rollout.segments, i, 'segments')), needles),
    );
    const wrote = rollout.segments.some(
      (segment) => segment.source === 'policy' && holdsAnswer(segmentWords(segment), needles),
    );
    const held = `Result ${where + 1} of ${read.length} holds ${gold}`;
    return wrote
      ? { end: 'not-answered', sentence: `${held}, and the policy wrote it; ${answer}.` }
      : { end: 'not-read', sentence: `${held}; ${answer}.` };
  }
  if (!answered)
    return {
      end:
        searches === 0 && read.length === 0 ? 'not-asked' : closed ? 'not-answered' : 'not-found',
      sentence: `${sentenceOf(answer)}${stopWords(rollout)}; gold is ${gold}.`,
    };
  if (searches === 0 && read.length === 0)
    return { end: 'not-asked', sentence: `Nothing was searched; ${answer}, gold is ${gold}.` };
  if (closed)
    return {
      end: 'not-answered',
      sentence: `${sentenceOf(answer)}, gold is ${gold}; the text cannot show whether it was found.`,
    };
  const searched =
    searches === 1 ? '1 search' : searches === 0 ? 'Background' : `${searches} searches`;
  return { end: 'not-found', sentence: `${searched} found nothing with ${gold}; ${answer}.` };
}

/** Stage and sentence; null where there is nothing to be right by. */
export function whyOf(rollout: ImportedRollout, facts: RolloutFacts, map: HopMap): Why | null {
  const outcome = outcomeOf(facts);
  const told = endOfOutcome(outcome);
  if (told === null) return null;
  if (told === 'right' || told === 'right-unread') return { end: told, sentence: null };
  const gold = quoted(rollout.question.answers[0] ?? '');
  const given: OutcomeFacts = { rollout, facts, gold, answer: answerWords({ rollout, facts }) };
  if (facts.judge !== false && facts.scores?.coverEm === 1)
    return {
      end: 'not-answered',
      sentence: `The answer holds ${gold} and says more: ${quoted(rollout.answer ?? '')} is wrong only by EM.`,
    };
  if (map.kind === 'none') return byFacts(given);
  const at = map.hops.findIndex(({ state }) => FAILED[state] !== undefined);
  const failed = map.hops[at];
  if (failed) {
    // Order of supporting titles says nothing about the order of hops.
    const name = map.kind === 'titles' ? 'One supporting passage' : hopName(at, map.hops.length);
    const end = FAILED[failed.state] ?? 'not-found';
    const sentence = hopSentence(failed, name, map.kind);
    const lost = answeredBy(failed) ? '' : ` ${sentenceOf(given.answer)}, gold is ${gold}.`;
    return { end, sentence: `${sentence}${lost}` };
  }
  if (map.kind === 'titles') {
    const { end, sentence } = byFacts(given);
    return { end: end === 'not-found' ? 'not-read' : end, sentence };
  }
  if (map.missing)
    return {
      end: 'not-answered',
      sentence: `No passage states it, and the right answer is to say so; ${given.answer}.`,
    };
  const found = map.hops.length === 1 ? 'The passage was found' : 'Every passage was found';
  return {
    end: 'not-answered',
    sentence: `${found}; ${given.answer}${facts.answered ? '' : stopWords(rollout)}, gold is ${gold}.`,
  };
}

const answeredBy = ({ by }: Hop): boolean => by === 'answer';

const sentenceOf = (words: string): string => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;

/** Where a rollout was lost. */
type LostStage = Exclude<End, 'right' | 'right-unread'>;

/** How many rollouts passed each stage, in order; rollouts whose stage is unknown are counted separately. */
export interface Flow {
  all: number;
  asked: number;
  found: number;
  read: number;
  right: number;
  /** Lost before each stage. */
  lost: Record<LostStage, number>;
  /** Right without having come this way. */
  unread: number;
  /** No gold answers, or the answer cannot be read. */
  undetermined: number;
}

export function flowOf(ends: Iterable<End | null>): Flow {
  const lost = { 'not-asked': 0, 'not-found': 0, 'not-read': 0, 'not-answered': 0 };
  let [right, unread, undetermined] = [0, 0, 0];
  for (const end of ends) {
    if (end === null) undetermined += 1;
    else if (end === 'right') right += 1;
    else if (end === 'right-unread') unread += 1;
    else lost[end] += 1;
  }
  const read = right + lost['not-answered'];
  const found = read + lost['not-read'];
  const asked = found + lost['not-found'];
  const all = asked + lost['not-asked'] + unread;
  return { all, asked, found, read, right, lost, unread, undetermined };
}
