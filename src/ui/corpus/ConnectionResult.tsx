import type { ConnectionReport } from '../../retrieval/engines/test-connection.ts';
import { formatBytes, formatMs, plural } from '../kit/words/format.ts';

const TONES = { ok: 'tone-good', empty: 'tone-hint' } as const;

/** The result of a connection test, what to do next, and a sample. */
export const ConnectionResult = ({ report }: { report: ConnectionReport }) => {
  const { outcome, said, advice, sample } = report;
  const tone = outcome === 'ok' || outcome === 'empty' ? TONES[outcome] : 'tone-bad';
  return (
    <div className="connection-result" data-outcome={outcome}>
      <p className={tone}>
        <span aria-hidden="true">{outcome === 'ok' ? '✓' : '⚠'}</span> {said}
      </p>
      {advice ? <p>{advice}</p> : null}
      {sample ? (
        <blockquote>
          <b>{sample.title}</b> {sample.text.slice(0, 240)}
          {sample.text.length > 240 ? '…' : ''}
        </blockquote>
      ) : null}
      <p className="fine">
        {formatMs(report.latencyMs)} · {plural(report.requests, 'request')} ·{' '}
        {formatBytes(report.bytes)}
      </p>
    </div>
  );
};
