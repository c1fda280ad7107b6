import type { AgentEvent } from '../../data/events.ts';
import type { RewardClause, Rollout } from '../../data/rollout.ts';
import { exactMatch, f1Score } from '../../agent/scores.ts';
import { formatValid } from '../../agent/validity.ts';

export type Span = RewardClause['evidence'][number];

/** One query that the policy wrote. */
export interface AskedQuery {
  text: string;
  /** Whether it brought passages back; else a hint stood in place of the result. */
  answered: boolean;
  evidence: Span[];
}

/**
 * What rewards may look at: read from the record's events and from who wrote a segment. Text of the
 * environment can neither earn nor lose anything, whatever tags stand in it.
 */
export interface RewardFacts {
  em: number;
  f1: number;
  /** The whole output follows the protocol. */
  formatValid: boolean;
  /** Breaches of the protocol, one a place. */
  faults: Span[][];
  queries: AskedQuery[];
  /** Form of the final answer; null without one. */
  form: 'short' | 'long' | null;
  /** Where the answer stands. */
  answer: Span[];
  /** Text of the answer block outside its box. */
  prose: string;
  /** Tokens that the policy wrote. */
  tokens: number;
}

const wholeSegment = (rollout: Rollout, event: AgentEvent): Span[] => {
  const segment = event.segment === undefined ? undefined : rollout.segments[event.segment];
  if (!segment || segment.source !== 'policy') return [];
  return [{ segment: event.segment!, start: 0, end: segment.text.length }];
};

function queriesOf(rollout: Rollout): AskedQuery[] {
  const queries: AskedQuery[] = [];
  for (const event of rollout.events) {
    if (event.kind === 'search')
      queries.push({
        text: event.query,
        answered: false,
        evidence: wholeSegment(rollout, event),
      });
    const last = queries.at(-1);
    if (event.kind === 'retrieve' && last) last.answered = true;
  }
  return queries;
}

/** The last answer segment that the policy wrote, and the answer inside it. */
function answerSpan(rollout: Rollout): { spans: Span[]; prose: string } {
  const index = rollout.segments.findLastIndex((s) => s.role === 'answer' && s.source === 'policy');
  const segment = rollout.segments[index];
  if (!segment || rollout.answer === null) return { spans: [], prose: segment?.text ?? '' };
  const start = segment.text.lastIndexOf(rollout.answer);
  // A forced answer was opened by the environment, and one that STIE chose stands nowhere.
  if (start < 0) return { spans: [], prose: segment.text };
  const end = start + rollout.answer.length;
  const box = segment.text.lastIndexOf('\\boxed', start);
  return {
    spans: [{ segment: index, start, end }],
    prose: box < 0 ? '' : segment.text.slice(0, box),
  };
}

export function readFacts(rollout: Rollout): RewardFacts {
  const { answers } = rollout.question;
  const { spans, prose } = answerSpan(rollout);
  const answered = rollout.events.findLast((event) => event.kind === 'answer');
  return {
    em: exactMatch(rollout.answer, answers),
    f1: f1Score(rollout.answer, answers),
    formatValid: formatValid(rollout),
    faults: rollout.events.flatMap((event) =>
      event.kind === 'error' && event.what === 'malformed' ? [wholeSegment(rollout, event)] : [],
    ),
    queries: queriesOf(rollout),
    form: answered?.kind === 'answer' && rollout.answer !== null ? answered.form : null,
    answer: spans,
    prose: prose.replace(/<[^>]*>/g, '').trim(),
    tokens: rollout.segments.reduce((n, s) => n + (s.source === 'policy' ? s.ids.length : 0), 0),
  };
}
