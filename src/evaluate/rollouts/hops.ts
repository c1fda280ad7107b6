import { normalizeAnswer, words } from '../../agent/answers/normalisers.ts';
import { contentWords, namesIn } from '../../agent/answers/evidence.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { ChainStep } from '../../records/records.ts';
import { holdsAnswer, needlesOf, needsNoPassage, segmentWords } from './lint/facts.ts';
import { itemAt } from '../../base/items.ts';
import { roundsOf } from '../../formats/rollouts/rounds.ts';
import { searchNumbers } from '../../records/searches.ts';

/** What a rollout looked up: from its events where it has them, else from its text. */

interface LookupPassage {
  /** Null where the file gives texts without ids. */
  id: string | null;
  title: string;
  text: string;
}

interface Lookup {
  /** As searches are counted (`searches.ts`); 0: the background, null: it was refused. */
  number: number | null;
  query: string;
  /** Null where the file does not say. */
  source: SearchTarget | null;
  /** It came with the question; nobody asked for it. */
  background: boolean;
  passages: LookupPassage[];
  /** Segment of the result, to go to; null where there is none. */
  segment: number | null;
  /** It was refused (STIE), so that nothing was searched. */
  refused: boolean;
}

type Searched = Pick<ImportedRollout, 'segments' | 'origin' | 'events'>;

function ofEvents(events: NonNullable<ImportedRollout['events']>): Lookup[] {
  const looks: Lookup[] = [];
  const numbers = searchNumbers(events);
  for (const [index, event] of events.entries()) {
    const number = numbers[index] ?? null;
    const segment = event.segment ?? null;
    if (event.kind === 'background' || event.kind === 'retrieve') {
      const background = event.kind === 'background';
      const passages = event.hits.map(({ passage: { id, title, text } }) => ({ id, title, text }));
      const source = event.kind === 'retrieve' ? event.source : null;
      looks.push({
        number: background ? 0 : number,
        query: event.query,
        source,
        background,
        passages,
        segment,
        refused: false,
      });
    }
    if (event.kind === 'verdict' && event.over === 'query' && event.action === 'refused')
      looks.push({
        number: null,
        query: event.text,
        source: null,
        background: false,
        passages: [],
        segment,
        refused: true,
      });
  }
  return looks;
}

const ofText = (rollout: Searched): Lookup[] => {
  let count = 0;
  return roundsOf(rollout).flatMap(({ query, passages, segments }): Lookup[] => {
    if (!query && passages.length === 0) return [];
    const background =
      !query &&
      segments.some((index) => itemAt(rollout.segments, index, 'segments').role === 'background');
    return [
      {
        number: background ? 0 : (count += 1),
        query: query?.text ?? '',
        source: null,
        background,
        passages: passages.map(({ title, text }) => ({ id: null, title, text })),
        segment: passages[0]?.segment ?? query?.segment ?? null,
        refused: false,
      },
    ];
  });
};

const lookupsOf = (rollout: Searched): Lookup[] =>
  rollout.events && rollout.events.length > 0 ? ofEvents(rollout.events) : ofText(rollout);

/**
 * The gold chain of a question beside what a rollout did: which steps' passages arrived, which were read,
 * and how the others failed. All of it lexical, by normalised whole words.
 */

/**
 * - `read`: the passage arrived, and the policy wrote what it says afterwards;
 * - `arrived`: it arrived; nothing tells whether it was read;
 * - `misread`: it arrived, and the policy continued with something else;
 * - `not-found`: it was asked for where it lies (or nobody knows where it lies), and did not come;
 * - `wrong-source`: it was asked for, only where it does not lie;
 * - `not-searched`: no query named its subject.
 */
export type HopState =
  | 'read'
  | 'arrived'
  | 'misread'
  | 'not-found'
  | 'wrong-source'
  | 'not-searched';

export const HOP_NAMES: Record<HopState, string> = {
  read: 'found and read',
  arrived: 'found',
  misread: 'found and misread',
  'not-found': 'searched, not found',
  'wrong-source': 'wrong source asked',
  'not-searched': 'not searched',
};

export interface Hop {
  /** Title of the passage that states it. */
  title: string;
  /** Empty where the file names titles alone. */
  subject: string;
  relation: string;
  /** Its gold query; empty where the file gives none. */
  query: string;
  object: string;
  state: HopState;
  /** Numbers of the searches that named the subject. */
  asked: number[];
  /** Number of the search that brought the passage; 0: the background. Null: none did. */
  look: number | null;
  /** Segment of the result that holds it, to go to. */
  segment: number | null;
  /** Where it lies, where that is known. */
  source: SearchTarget | null;
  /** Of `misread`: what the policy wrote instead; null where it wrote nothing of the kind. */
  instead: string | null;
  /** What `instead` is: a wrong value that is in another passage, the next query, or the answer. */
  by: 'stale' | 'contradicting' | 'namesake' | 'query' | 'answer' | null;
  /** Of `not-searched`: a query that named it was refused. */
  refused: boolean;
}

export type HopMap =
  /** `missing`: a step that no corpus states, so that the right answer is to say so. */
  | { kind: 'chain'; hops: Hop[]; missing: { subject: string; relation: string } | null }
  /** The file names supporting titles and no chain: their order and what they say is not known. */
  | { kind: 'titles'; hops: Hop[] }
  | { kind: 'none'; why: string };

const NO_CHAIN =
  'the file names neither a gold chain of its question nor supporting titles, so nobody can say which hop failed';

const NO_HOP = 'the question has all that is needed; nothing has to be looked up';

/** Whether all of a name's words are in the query. */
const names = (query: ReadonlySet<string>, name: string): boolean => {
  const wanted = contentWords(name);
  return wanted.length > 0 && wanted.every((word) => query.has(word));
};

/** Whether a query asks for a step: it names its subject, in a form in which it is known. */
function asksFor(
  query: string,
  step: Pick<ChainStep, 'subject' | 'query' | 'betterQuery'>,
): boolean {
  const has = new Set(words(query));
  const forms = [step.subject, ...namesIn(step.query), ...namesIn(step.betterQuery ?? '')];
  return forms.some((form) => names(has, form));
}

/** Whether a passage states a step: by its id; by title and object where the file gives no ids. */
function states(passage: LookupPassage, step: ChainStep): boolean {
  if (passage.id !== null) return [step.passageId, ...(step.passageIds ?? [])].includes(passage.id);
  return (
    normalizeAnswer(passage.title) === normalizeAnswer(step.title) &&
    holdsAnswer(` ${normalizeAnswer(passage.text)} `, needlesOf([step.object]))
  );
}

const reaches = (asked: SearchTarget | null, lies: ChainStep['source']): boolean =>
  asked === null || asked === 'both' || lies === undefined || lies === 'both' || asked === lies;

/** All that the policy wrote after a segment, as normalised words. */
const writtenAfter = (
  { segments }: Pick<ImportedRollout, 'segments'>,
  from: number | null,
): string =>
  segments
    .map((segment, index) =>
      segment.source === 'policy' && index >= (from ?? 0) ? segmentWords(segment) : '',
    )
    .join(' ');

/** What the policy continued with where it did not continue with what the passage says. */
function insteadOf(
  rollout: ImportedRollout,
  step: ChainStep,
  after: string,
  later: readonly Lookup[],
): Pick<Hop, 'instead' | 'by'> {
  const rival = step.rivals?.find(({ object }) => holdsAnswer(after, needlesOf([object])));
  if (rival) return { instead: rival.object, by: rival.why };
  const answer = rollout.answer?.trim();
  const last = rollout.question.answers.some(
    (gold) => normalizeAnswer(gold) === normalizeAnswer(step.object),
  );
  if (answer && last) return { instead: answer, by: 'answer' };
  const query = later.find(({ background, query: text }) => !background && text !== '')?.query;
  if (query !== undefined) return { instead: query, by: 'query' };
  return answer ? { instead: answer, by: 'answer' } : { instead: null, by: null };
}

/**
 * Whether what was written instead tells that a step was misread: a wrong value of it; a query that asks
 * for no step, where the next one was due; another answer, where the step states the answer. Of steps that
 * are compared or counted the policy need not write what it read, and one that stops may have read all.
 */
function isMisread(
  golds: readonly string[],
  steps: readonly ChainStep[],
  at: number,
  { by }: Pick<Hop, 'by'>,
): boolean {
  const object = normalizeAnswer(steps[at]?.object ?? '');
  const states = (text: string): boolean => normalizeAnswer(text) === object;
  if (by === 'answer') return golds.some(states);
  if (by === 'query')
    return golds.some(states) || steps.slice(at + 1).some((s) => states(s.subject));
  return by !== null;
}

function hopOf(
  rollout: ImportedRollout,
  steps: readonly ChainStep[],
  at: number,
  looks: Lookup[],
): Hop {
  const step = steps[at]!;
  const found = looks.find(({ passages }) => passages.some((passage) => states(passage, step)));
  const naming = looks.filter(({ background, query }) => !background && asksFor(query, step));
  const asked = naming.filter(({ refused }) => !refused);
  const base = {
    title: step.title,
    subject: step.subject,
    relation: step.relation,
    query: step.query,
    object: step.object,
    asked: asked.flatMap(({ number }) => number ?? []),
    look: found?.number ?? null,
    segment: found?.segment ?? asked.at(-1)?.segment ?? null,
    source: step.source ?? null,
    instead: null,
    by: null,
    refused: asked.length === 0 && naming.length > 0,
  };
  if (!found) {
    if (asked.length === 0) return { ...base, state: 'not-searched' };
    const right = asked.some(({ source }) => reaches(source, step.source));
    return { ...base, state: right ? 'not-found' : 'wrong-source' };
  }
  const after = writtenAfter(rollout, found.segment);
  const needles = needlesOf([step.object]);
  if (needles.length === 0) return { ...base, state: 'arrived' };
  if (holdsAnswer(after, needles)) return { ...base, state: 'read' };
  const later = looks.slice(looks.indexOf(found) + 1);
  const others = later.filter(
    ({ query }) => !steps.some((other, i) => i !== at && asksFor(query, other)),
  );
  const instead = insteadOf(rollout, step, after, others);
  return isMisread(rollout.question.answers, steps, at, instead)
    ? { ...base, ...instead, state: 'misread' }
    : { ...base, state: 'arrived' };
}

/** A supporting title as a step of which nothing else is known. */
function titleHop(title: string, looks: Lookup[]): Hop {
  const same = normalizeAnswer(title);
  const found = looks.find(({ passages }) =>
    passages.some((passage) => normalizeAnswer(passage.title) === same),
  );
  const naming = looks.filter(
    ({ background, query }) => !background && names(new Set(words(query)), title),
  );
  const asked = naming.filter(({ refused }) => !refused);
  return {
    title,
    subject: '',
    relation: '',
    query: '',
    object: '',
    state: found ? 'arrived' : asked.length > 0 ? 'not-found' : 'not-searched',
    asked: asked.flatMap(({ number }) => number ?? []),
    look: found?.number ?? null,
    segment: found?.segment ?? asked.at(-1)?.segment ?? null,
    source: null,
    instead: null,
    by: null,
    refused: asked.length === 0 && naming.length > 0,
  };
}

/** More steps are no chain but an attack on the reader's time. */
const MOST_HOPS = 24;

export function hopMap(rollout: ImportedRollout): HopMap {
  const { chain, supporting, missing } = rollout.question;
  const looks = lookupsOf(rollout);
  if (chain && (chain.length > 0 || missing)) {
    const steps = chain.slice(0, MOST_HOPS);
    return {
      kind: 'chain',
      hops: steps.map((_, at) => hopOf(rollout, steps, at, looks)),
      missing: missing ? { subject: missing.subject, relation: missing.relation } : null,
    };
  }
  const titles = [...new Set(supporting)].slice(0, MOST_HOPS);
  if (titles.length === 0)
    return { kind: 'none', why: needsNoPassage(rollout.question) ? NO_HOP : NO_CHAIN };
  return { kind: 'titles', hops: titles.map((title) => titleHop(title, looks)) };
}
