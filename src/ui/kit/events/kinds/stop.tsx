import type { StopClause, StopEvent } from '../../../../records/events.ts';
import { Terms } from '../../words/explain/Term.tsx';
import type { CardDefinition } from '../parts/definition.ts';

const STOP_REASONS: Record<StopEvent['reason'], string> = {
  answer: 'the model answered',
  'end-of-text': 'the model ended its text',
  // For a record without its clause: the rule is unknown.
  'stie-overlap': 'STIE: overlap with earlier answers or queries',
  'stie-confidence': 'STIE: confidence at its ceiling',
  'stie-no-new-information': 'STIE: too little new information',
  'max-searches': 'no searches left',
  'token-budget': 'token budget spent',
  'context-full': 'context full',
  malformed: 'the output broke the format',
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

/** Why a rollout ended, by the recorded clause if there is one. */
const stopReason = ({ reason, clause }: StopEvent): string =>
  clause ? STOP_CLAUSES[clause.rule] : STOP_REASONS[reason];

/** The card of the end of a rollout, which names the rule that ended it. */
export const stop: CardDefinition<'stop'> = {
  glyph: () => ({ sign: 'end', name: 'Stop', tone: 'plain' }),
  line: stopReason,
  lineInBody: false,
  besideText: true,
  Body: ({ event }) => (
    <div className="body">
      <p>
        Stopped because <Terms>{stopReason(event)}</Terms>.
      </p>
      {event.detail ? <p className="fine">{event.detail}</p> : null}
    </div>
  ),
};
