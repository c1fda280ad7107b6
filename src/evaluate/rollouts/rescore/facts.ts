import { releasedValid } from '../../../agent/released.ts';
import { proseScores, wantsLongAnswer } from '../../../agent/answers/long-answer.ts';
import {
  isOwnRollout,
  type ImportedRollout,
  type ImportedSegment,
} from '../../../formats/rollouts/shape/imported.ts';
import type { Protocol } from '../../../formats/rollouts/protocols/protocol.ts';
import { protocolOf, queryOf, roundsOf, type Round } from '../../../formats/rollouts/rounds.ts';
import {
  answerFacts,
  mayRetrieve,
  queryWords,
  readFacts,
  type AskedQuery,
  type RewardFacts,
} from '../../../learn/rewards/parts/facts.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';
import type { Passage } from '../../../records/records.ts';
import type { SearchFact } from '../../../learn/rewards/parts/searches.ts';
import { saysUseful } from '../../../records/protocol.ts';
import { policyTokens } from '../row-numbers.ts';
import { importedOutput } from './dialects.ts';
import { itemAt } from '../../../base/items.ts';

/**
 * What scorers look at in any imported rollout. Records of our own are read as the trainer reads them,
 * from their events. Others have no events: who wrote what, and what the tags say, is in for them.
 */
export interface ScoringFacts extends Omit<RewardFacts, 'tokens'> {
  /** A record of our own: it holds all that the trainer sees. */
  own: boolean;
  /** Null where the file has no tokens. */
  tokens: number | null;
  /** Blocks that quote evidence (R-Search), and whether the protocol has any. */
  evidence: Span[];
  rounds: Round[];
}

const spansOf = (segments: readonly ImportedSegment[], role: ImportedSegment['role']): Span[] =>
  segments.flatMap((segment, index) =>
    segment.source === 'policy' && segment.role === role
      ? [{ segment: index, start: 0, end: segment.text.length }]
      : [],
  );

/** A query is answered by a result, or sent back by a hint, before the next query. */
function queriesOf(segments: readonly ImportedSegment[], protocol: Protocol | null): AskedQuery[] {
  const queries: AskedQuery[] = [];
  segments.forEach((one, segment) => {
    const { source, role } = one;
    const last = queries.at(-1);
    if (source === 'policy' && role === 'search') {
      const { text } = queryOf(one, segment, protocol);
      const evidence = [{ segment, start: 0, end: one.text.length }];
      if (text !== '') queries.push({ text, answered: false, refused: false, evidence });
    } else if (last && source === 'environment' && role === 'result') last.answered = true;
    else if (last && source === 'environment' && role === 'hint') last.refused = true;
  });
  return queries;
}

function openingsOf(segments: readonly ImportedSegment[], protocol: Protocol | null): Span[] {
  const tags = protocol?.blocks.filter(({ role }) => role === 'search').map(({ open }) => open);
  const found: Span[] = [];
  segments.forEach(({ source, text }, segment) => {
    if (source !== 'policy') return;
    for (const tag of tags ?? [])
      for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + tag.length))
        found.push({ segment, start: at, end: at + tag.length });
  });
  return found;
}

/** Where the answer stands: its last place in the last segment of the policy's that holds it. */
function answerSpan(segments: readonly ImportedSegment[], answer: string | null): Span[] {
  const wanted = answer?.trim() ?? '';
  if (wanted === '') return [];
  const holds = ({ source, text }: ImportedSegment): boolean =>
    source === 'policy' && text.includes(wanted);
  const block = segments.findLastIndex((one) => one.role === 'answer' && holds(one));
  const segment = block >= 0 ? block : segments.findLastIndex(holds);
  if (segment < 0) return [];
  const start = itemAt(segments, segment, 'segments').text.lastIndexOf(wanted);
  return [{ segment, start, end: start + wanted.length }];
}

/** AutoRefine's own block; in other protocols what was thought after the first result. */
function refinement(segments: readonly ImportedSegment[]): RewardFacts['afterReading'] {
  const first = segments.findIndex(
    ({ source, role }) => source === 'environment' && role === 'result',
  );
  const refined = spansOf(segments, 'refine');
  const later = spansOf(segments, 'think').filter(({ segment }) => first >= 0 && segment > first);
  const spans = refined.length > 0 ? refined : later;
  return {
    text: spans.map(({ segment }) => itemAt(segments, segment, 'segments').text).join(' '),
    spans,
  };
}

/** The long form has a tag of its own in one protocol; what is in it before the box is its prose. */
function answerForm(
  segments: readonly ImportedSegment[],
  answered: boolean,
): Pick<RewardFacts, 'form' | 'prose'> {
  const block = segments.findLast(({ source, role }) => source === 'policy' && role === 'answer');
  const long = block?.text.startsWith('<long_answer>') === true;
  const [before, ...boxes] = block?.text.split(String.raw`\boxed`) ?? [];
  const prose = before && boxes.length > 0 ? before.replace(/<[^>]{0,40}>/g, '').trim() : '';
  return { form: answered ? (long ? 'long' : 'short') : null, prose };
}

/** What the policy read, block by block. */
const readBlocks = (
  segments: readonly ImportedSegment[],
): Pick<Passage, 'id' | 'title' | 'text'>[] =>
  segments.flatMap(({ source, role, text }, at) =>
    source !== 'policy' && (role === 'result' || role === 'background')
      ? [{ id: String(at), title: '', text }]
      : [],
  );

const JUDGED = /<judge>([\s\S]*?)<\/judge>/;

/** How the policy judged a result (ReSeek): in the first block that says so of what follows it. */
function judgementIn(segments: readonly ImportedSegment[], round: Round | undefined) {
  for (const at of round?.segments ?? []) {
    const { source, text } = itemAt(segments, at, 'segments');
    const [whole, inner = ''] = (source === 'policy' && JUDGED.exec(text)) || [];
    if (whole === undefined) continue;
    const start = text.indexOf(whole);
    const evidence = [{ segment: at, start, end: start + whole.length }];
    return { useful: saysUseful(inner.trim()), evidence };
  }
  return null;
}

/** Whether a tag ends the query, where tags do. */
const isClosed = ({ text }: ImportedSegment, protocol: Protocol | null): boolean => {
  const rules = protocol?.blocks.filter(({ role }) => role === 'search') ?? [];
  return rules.length === 0 || rules.some(({ close }) => text.includes(close));
};

/** Queries in order. A round ends with a result, which answers the last of its queries. */
const searchesIn = (
  segments: readonly ImportedSegment[],
  rounds: readonly Round[],
  protocol: Protocol | null,
): SearchFact[] =>
  rounds.flatMap(({ segments: places, query: answered, passages }, i) =>
    places.flatMap((at): SearchFact[] => {
      const segment = itemAt(segments, at, 'segments');
      if (segment.source !== 'policy' || segment.role !== 'search') return [];
      if (!isClosed(segment, protocol)) return [];
      const { text, ...span } = queryOf(segment, at, protocol);
      if (text === '') return [];
      const { logprobs = [] } = segment;
      const known = logprobs.filter((value) => value !== null);
      const last = at === answered?.segment;
      return [
        {
          query: text,
          logprobs: known.length > 0 && known.length === logprobs.length ? known : null,
          passages: (last ? passages : []).map((p) => ({
            title: p.title,
            text: p.text,
            sound: true,
          })),
          judged: last ? judgementIn(segments, rounds[i + 1]) : null,
          asked: null,
          evidence: [span],
        },
      ];
    }),
  );

/** Passages that stand before the policy's first word. */
const givenPassages = ({ origin }: ImportedRollout, [first]: readonly Round[]) =>
  (first?.passages ?? []).flatMap(({ segment, title, text }) =>
    segment < (origin?.responseAt ?? 0) ? [{ id: title, title, text }] : [],
  );

const TURN_END = '<|im_end|>';

/** What a model wrote, without the mark that ends its turn. */
function withoutTurnEnd(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(TURN_END) ? trimmed.slice(0, -TURN_END.length).trimEnd() : trimmed;
}

/**
 * Breaches of a tag protocol in text that the policy wrote, one per place: a block that was not closed by
 * its own tag, a tag of the protocol where none may stand, a tag that is the environment's to write, an
 * empty query, and text between blocks where the protocol has none. Systems differ in further rules of
 * their own; those are not judged here.
 */
export function formFaults(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
): Span[][] {
  if (!protocol) return [];
  const tags = protocol.blocks.flatMap(({ open, close }) => [open, close]);
  const faults: Span[][] = [];
  let opened = false;
  segments.forEach(({ source, role, text }, segment) => {
    if (source !== 'policy') return;
    const fault = (start: number, end: number): void => {
      faults.push([{ segment, start, end }]);
    };
    const rule = protocol.blocks.find(({ open }) => text.startsWith(open));
    let body = { start: 0, end: text.length };
    if (rule) {
      opened ||= role === 'think';
      const end = withoutTurnEnd(text).length - rule.close.length;
      if (!text.startsWith(rule.close, end) || end < rule.open.length) fault(0, text.length);
      body = { start: rule.open.length, end: Math.max(rule.open.length, end) };
      const empty = text.slice(body.start, body.end).trim() === '';
      if (role === 'search' && empty) fault(0, text.length);
    } else if (protocol.prose === 'other' && text.trim() !== '') {
      const stray = tags.find((tag) => text.trim() === tag);
      // A thought whose opening tag is in the prompt is closed here.
      if (stray !== '</think>' || opened) fault(0, text.length);
      opened = true;
      return;
    }
    for (const tag of tags) {
      const at = text.slice(0, body.end).indexOf(tag, body.start);
      if (at < 0) continue;
      if (!rule && tag === '</think>' && !opened) opened = true;
      else fault(at, at + tag.length);
    }
  });
  return faults;
}

function importedFacts(rollout: ImportedRollout): Omit<RewardFacts, 'tokens'> {
  const { segments, answer } = rollout;
  const { answers } = rollout.question;
  const protocol = protocolOf(rollout);
  const faults = formFaults(segments, protocol);
  const answered = answer !== null && answer.trim() !== '';
  const spoken = importedOutput(rollout);
  const rounds = roundsOf(rollout);
  const given = givenPassages(rollout, rounds);
  const { form, prose } = answerForm(segments, answered);
  return {
    ...answerFacts(answer, rollout.question),
    answerText: answer,
    golds: answers,
    question: rollout.question,
    output: spoken?.output ?? null,
    formatValid:
      (spoken?.told ? releasedValid(spoken.output, answers) : null) ??
      (protocol !== null && answered && faults.length === 0),
    faults,
    queries: queriesOf(segments, protocol),
    searches: searchesIn(segments, rounds, protocol),
    // No layout that is imported names a block in which it computed.
    computed: [],
    supporting: rollout.question.supporting,
    steps: [],
    given: 0,
    blocks: [],
    candidates: 1,
    planned: false,
    selections: given.length > 0 ? [{ passages: given, chosen: null, evidence: [] }] : [],
    thoughts: segments.flatMap(({ source, role, text }, segment) =>
      source === 'policy' && role === 'think'
        ? [{ text, evidence: [{ segment, start: 0, end: text.length }] }]
        : [],
    ),
    frozen: [],
    goldTexts: [],
    shown: readBlocks(segments),
    mayRetrieve: mayRetrieve(rollout),
    queryWords: queryWords(rollout),
    opened: openingsOf(segments, protocol),
    afterReading: refinement(segments),
    form,
    prose,
    wantsLong: wantsLongAnswer(rollout.question),
    proseScores: proseScores(prose, rollout.question.summary, readBlocks(segments)),
    answer: answerSpan(segments, answer),
  };
}

/** The facts of one rollout; nothing in it is changed. */
export function scoringFacts(rollout: ImportedRollout): ScoringFacts {
  const own = isOwnRollout(rollout);
  return {
    ...(own ? readFacts(rollout) : importedFacts(rollout)),
    own,
    tokens: policyTokens(rollout),
    evidence: spansOf(rollout.segments, 'evidence'),
    rounds: roundsOf(rollout),
  };
}
