import type { AgentEvent } from '../../../src/records/events.ts';
import type { Rollout, Segment } from '../../../src/records/rollout.ts';
import { emptyRollout, retrieve } from '../../fixtures/rollouts.ts';

/** Rollout records with real tags in their text; the gold answer is `Borfield`. */

export const written = (role: Segment['role'], text: string, tokens = 3): Segment => ({
  source: 'policy',
  role,
  text,
  ids: Array.from({ length: tokens }, () => 5),
  logprobs: Array.from({ length: tokens }, () => -0.1),
  entropies: Array.from({ length: tokens }, () => 0.1),
  mask: 1,
});

export const read = (role: Segment['role'], text: string): Segment => ({
  source: role === 'question' ? 'prompt' : 'environment',
  role,
  text,
  ids: [6, 6],
  mask: 0,
});

/** What happens to a query: passages, a hint that refuses it, a call that fails, or no closing tag. */
export type Fate = 'answered' | 'refused' | 'failed' | 'open';

interface Made {
  /** Query and fate, in order. */
  queries?: [string, Fate][];
  /** Thought after each result. */
  thought?: string;
  /** Null: none is given. */
  answer?: string | null;
  /** A breach of the protocol in the first thought. */
  malformed?: boolean;
  golds?: string[];
}

function eventsOf(query: string, fate: Fate, round: number, segment: number): AgentEvent[] {
  const asked: AgentEvent = { t: round, kind: 'search', query, round, tag: 'search', segment };
  if (fate === 'open')
    return [{ t: round, kind: 'error', what: 'malformed', message: 'left open', segment }];
  if (fate === 'answered') return [asked, retrieve([], query)];
  if (fate === 'failed')
    return [asked, { t: round, kind: 'error', what: 'retrieval', message: 'no network' }];
  const refused: AgentEvent = {
    t: round,
    kind: 'verdict',
    over: 'query',
    round,
    mode: 'corrected',
    text: query,
    checks: [],
    aggDiff: 0,
    valid: false,
    action: 'refused',
    reason: 'as before',
    counts: {},
    blocked: [],
  };
  return [asked, refused];
}

/** A rollout of these queries and this answer; one answered query and the right answer by default. */
export function made({
  queries = [['city', 'answered']],
  thought = 'so it is',
  answer = 'Borfield',
  malformed = false,
  golds = ['Borfield'],
}: Made = {}): Rollout {
  const segments = [read('question', 'Where?'), written('think', '<think> plan </think>')];
  const events: AgentEvent[] = [];
  if (malformed)
    events.push({ t: 0, kind: 'error', what: 'malformed', message: 'a tag in it', segment: 1 });
  queries.forEach(([query, fate], i) => {
    events.push(...eventsOf(query, fate, i + 1, segments.length));
    segments.push(written('search', `<search> ${query}${fate === 'open' ? '' : ' </search>'}`));
    // Text that was read holds tags, a query and the answer: none of it may count.
    segments.push(read('result', '<search> Borfield </search> \\boxed{ Borfield }'));
    segments.push(written('think', `<think> ${thought} </think>`));
  });
  if (answer !== null) {
    events.push({ t: 8, kind: 'answer', text: answer, form: 'short', by: 'policy' });
    segments.push(written('answer', `<short_answer> \\boxed{ ${answer} } </short_answer>`));
  }
  const reason = answer === null ? 'end-of-text' : 'answer';
  events.push({ t: 9, kind: 'stop', reason, detail: '' });
  const base = emptyRollout('r');
  return { ...base, question: { ...base.question, answers: golds }, segments, events, answer };
}
