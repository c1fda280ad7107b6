import type {
  AgentEvent,
  AnswerEvent,
  RouteEvent,
  StopClause,
  StopEvent,
  VerdictEvent,
} from '../../../records/events.ts';
import { formatMs, formatShare } from '../words/format.ts';
import { unreachable } from '../unreachable.ts';

const ROUTE_BY: Record<RouteEvent['by'], string> = {
  fixed: 'set, not sampled',
  router: 'router',
  'policy-tag': "policy's own tag",
};

const STOP_REASONS: Record<StopEvent['reason'], string> = {
  answer: 'the policy answered',
  'end-of-text': 'the policy ended its text',
  // Of a record without its clause: which rule it was is not known.
  'stie-overlap': 'STIE: overlap with earlier answers or queries',
  'stie-confidence': 'STIE: confidence at its ceiling',
  'stie-no-new-information': 'STIE: too little new information',
  'max-searches': 'no searches left',
  'token-budget': 'token budget spent',
  'context-full': 'context full',
  malformed: 'the output broke the protocol',
  cancelled: 'cancelled',
  error: 'an error',
};

const STOP_CLAUSES: Record<StopClause['rule'], string> = {
  'overlap-above': 'STIE: the answer repeats the earlier ones',
  'overlap-below': 'STIE as printed: little overlap with the earlier answers',
  confidence: STOP_REASONS['stie-confidence'],
  'new-information': STOP_REASONS['stie-no-new-information'],
  'repeated-queries': 'STIE: the queries repeat themselves',
};

const ANSWER_BY: Record<AnswerEvent['by'], string> = {
  policy: '',
  stie: 'by STIE',
  forced: 'at a limit',
};

/** Why a rollout ended, by the clause that fired where the record has it. */
export const stopReason = ({ reason, clause }: StopEvent): string =>
  clause ? STOP_CLAUSES[clause.rule] : STOP_REASONS[reason];

const verdictLine = (event: VerdictEvent): string => {
  const change = event.replacement === undefined ? '' : ` → ${event.replacement}`;
  return `${event.over} ${event.text.trim() || '(empty)'}${change}: ${event.reason}`;
};

/** One line that says what happened, for the closed card and for screen readers. */
export const eventLine = (event: AgentEvent): string => {
  switch (event.kind) {
    case 'background':
      return event.hits.length === 0 ? 'nothing found' : titles(event.hits);
    case 'think':
      return event.text.trim() || 'wrote nothing';
    case 'search':
      return event.query.trim() || 'empty query';
    case 'route':
      return routeLine(event);
    case 'retrieve':
      return event.hits.length === 0 ? 'nothing found' : titles(event.hits);
    case 'summarize':
      return event.fallback ? `sent back: ${event.reason}` : event.text.trim();
    case 'candidate':
      return event.candidates.map((c) => c.text.trim() || '(empty)').join(' · ') || 'none';
    case 'verdict':
      return verdictLine(event);
    case 'answer':
      return event.text.trim() || '(empty)';
    case 'stop':
      return stopReason(event);
    case 'error':
      return event.message;
  }
  return unreachable(event);
};

const titles = (hits: readonly { passage: { title: string } }[]): string =>
  hits.map((hit) => hit.passage.title).join(' · ');

/** Two sources at once are no choice between them, so there is no probability to show. */
const routeLine = (event: RouteEvent): string =>
  event.choice === 'both'
    ? `both sources · ${ROUTE_BY[event.by]}`
    : event.by === 'router'
      ? `${event.choice}, ${formatShare(event.probabilities[event.choice])} · ${ROUTE_BY[event.by]}${event.routing === 'argmax' ? ', the likelier' : ''}`
      : `${event.choice} · ${ROUTE_BY[event.by]}`;

/** The figure at the right end of a card. */
export const eventMeta = (event: AgentEvent): string => {
  switch (event.kind) {
    case 'background':
    case 'retrieve':
    case 'summarize':
      return formatMs(event.latencyMs);
    case 'search':
      return `round ${event.round}`;
    case 'candidate':
      return `${event.candidates.length} probed`;
    case 'answer':
      return ANSWER_BY[event.by];
    default:
      return '';
  }
};
