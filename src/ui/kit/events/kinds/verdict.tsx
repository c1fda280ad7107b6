import type { DifferenceCheck, VerdictEvent } from '../../../../records/events.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { Term, Terms } from '../../words/explain/Term.tsx';
import { formatNumber } from '../../words/format.ts';
import type { CardDefinition, Glyph } from '../parts/definition.ts';

const verdictGlyph = ({ action }: VerdictEvent): Glyph =>
  action === 'kept'
    ? { sign: 'kept', name: 'STIE kept', tone: 'good' }
    : action === 'kept-invalid'
      ? { sign: 'refused', name: 'STIE objects', tone: 'hint' }
      : { sign: 'refused', name: `STIE ${action}`, tone: 'bad' };

const verdictLine = (event: VerdictEvent): string => {
  const change = event.replacement === undefined ? '' : ` → ${event.replacement}`;
  return `${event.over} ${event.text.trim() || '(empty)'}${change}: ${event.reason}`;
};

/** N of equation (12) in the rollout's recipe. */
const blockLimit = (rollout: Rollout): number => {
  const { stie } = rollout.recipe.settings;
  const known = typeof stie === 'object' && stie !== null && 'maxCount' in stie;
  return known && typeof stie.maxCount === 'number' ? stie.maxCount : 4;
};

const LAGS = { 1: 'last', 2: 'second last', 3: 'third last' } as const;

/** One Diff as a bar with its threshold as a tick, and as text. */
const CheckRow = ({ check, what }: { check: DifferenceCheck; what: string }) => (
  <li className="check">
    <div>
      <span className={check.passed ? 'tone-good' : 'tone-bad'}>
        {check.passed ? '✓' : '✗'} <Term id="diff">differs</Term> {check.diff.toFixed(2)}
      </span>{' '}
      from the {LAGS[check.lag]} {what}, <Term id="delta">needs</Term> {check.threshold.toFixed(2)}
    </div>
    <div className="check-bar" aria-hidden="true">
      <span
        className={check.passed ? 'check-fill' : 'check-fill bad'}
        style={{ width: `${Math.min(1, check.diff) * 100}%` }}
      />
      <span className="check-tick" style={{ left: `${check.threshold * 100}%` }} />
    </div>
    <div className="fine ellipsis" title={check.against}>
      “{check.against}”, overlap {check.overlap.toFixed(2)}
    </div>
  </li>
);

const Counts = (props: { counts: Record<string, number>; blocked: string[]; limit: number }) => {
  const { counts, blocked, limit } = props;
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return null;
  return (
    <div className="counts">
      <span className="fine">How often each was the answer (blocked at {limit}):</span>
      {entries.map(([answer, count]) => (
        <span key={answer} className={blocked.includes(answer) ? 'badge bad' : 'badge'}>
          {blocked.includes(answer) ? '⊘ ' : ''}
          {answer || '(empty)'}{' '}
          <b>
            {count}/{limit}
          </b>
        </span>
      ))}
    </div>
  );
};

/** @param limit N of equations (12) and (13), from the settings */
const VerdictBody = ({ event, limit }: { event: VerdictEvent; limit: number }) => (
  <div className="body">
    <p>
      <span className="fine">{event.over === 'query' ? 'Query' : 'Answer'}</span> “{event.text}”
      {event.replacement === undefined ? null : (
        <>
          {' '}
          → replaced by “<b>{event.replacement}</b>”
        </>
      )}
    </p>
    {event.checks.length > 0 ? (
      <ul className="checks">
        {event.checks.map((check) => (
          <CheckRow key={check.lag} check={check} what={event.over} />
        ))}
      </ul>
    ) : (
      <p className="fine">No earlier items to compare with.</p>
    )}
    <p>
      <b>Decided:</b> {event.reason}
    </p>
    <p className="fine">
      <Terms>AggDiff</Terms> {formatNumber(event.aggDiff)}:{' '}
      {event.valid ? 'new enough' : 'too similar to earlier ones'}, {event.action} (
      {event.mode === 'paper' ? 'printed' : 'corrected'} <Term id="stie">STIE</Term>)
    </p>
    <Counts counts={event.counts} blocked={event.blocked} limit={limit} />
    {event.over === 'answer' ? (
      <p className="fine">
        <Term id="blocked">Blocked set</Term>:{' '}
        {event.blocked.length === 0 ? 'empty' : event.blocked.join(', ')}.
      </p>
    ) : null}
  </div>
);

/** The card of STIE’s decision on a query or an answer: Diff to earlier ones, and the result. */
export const verdict: CardDefinition<'verdict'> = {
  glyph: verdictGlyph,
  line: verdictLine,
  lineInBody: false,
  besideText: true,
  Body: ({ event, rollout }) => <VerdictBody event={event} limit={blockLimit(rollout)} />,
};
