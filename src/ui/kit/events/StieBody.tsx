import type { CandidateEvent, DifferenceCheck, VerdictEvent } from '../../../records/events.ts';
import { formatNumber } from '../words/format.ts';

const LAGS = { 1: 'last', 2: 'second last', 3: 'third last' } as const;

/** One difference as a bar with its threshold as a tick; the words say the same. */
const CheckRow = ({ check, what }: { check: DifferenceCheck; what: string }) => (
  <li className="check">
    <div>
      <span className={check.passed ? 'tone-good' : 'tone-bad'}>
        {check.passed ? '✓' : '✗'} differs {check.diff.toFixed(2)}
      </span>{' '}
      from the {LAGS[check.lag]} {what}, needs {check.threshold.toFixed(2)}
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
      <span className="fine">n(y), blocked at N = {limit}:</span>
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

/** @param limit N of equations (12) and (13), from the settings in force */
export const VerdictBody = ({ event, limit }: { event: VerdictEvent; limit: number }) => (
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
      <p className="fine">No history yet, so nothing to differ from.</p>
    )}
    <p>
      <b>Decided:</b> {event.reason}
    </p>
    <p className="fine">
      AggDiff {formatNumber(event.aggDiff)} (equation 8) · {event.valid ? 'valid' : 'not valid'} (9)
      · {event.action} · mode {event.mode}
    </p>
    <Counts counts={event.counts} blocked={event.blocked} limit={limit} />
    {event.over === 'answer' ? (
      <p className="fine">
        Blocked set: {event.blocked.length === 0 ? 'empty' : event.blocked.join(', ')}.
      </p>
    ) : null}
  </div>
);

/** What confidence is, as column titles. */
const CONFIDENCE = {
  logprob: ['probability a token', 'Log-probability a token of the probed answer'],
  agreement: [
    'share of the samples',
    'Logarithm of the share of this round’s samples that gave it; the policy gives no log-probabilities',
  ],
} as const;

/** Confidence is a log-probability; the bar shows its exponential, a probability. */
export const CandidatesBody = ({ event }: { event: CandidateEvent }) => (
  <div className="body">
    <table className="features">
      <thead>
        <tr>
          <th scope="col">probed answer</th>
          <th scope="col">{CONFIDENCE[event.confidenceBy ?? 'logprob'][0]}</th>
          <th scope="col" className="figure" title={CONFIDENCE[event.confidenceBy ?? 'logprob'][1]}>
            confidence
          </th>
          <th scope="col" className="figure" title="How many rounds so far this was the answer of">
            n(y)
          </th>
        </tr>
      </thead>
      <tbody>
        {[...event.candidates]
          .sort((a, b) => b.confidence - a.confidence)
          .map((candidate, index) => (
            <tr key={`${candidate.text}-${index}`}>
              <th scope="row">
                {candidate.blocked ? <span className="tone-bad">⊘ </span> : null}
                {candidate.text.trim() || '(empty)'}
              </th>
              <td className="meter-cell">
                <span className="meter" aria-hidden="true">
                  <span style={{ width: `${Math.exp(candidate.confidence) * 100}%` }} />
                </span>
              </td>
              <td className="figure">{formatNumber(candidate.confidence)}</td>
              <td className="figure">{candidate.count}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </div>
);
