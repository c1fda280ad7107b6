import type { Question } from '../../data/records.ts';
import type { Rollout } from '../../data/rollout.ts';
import { formatCount, formatNumber, formatSeconds, formatShare } from '../lib/format.ts';
import { interruptionOf, measuresOf } from './measures.ts';

const Figure = ({ name, value, title }: { name: string; value: string; title?: string }) => (
  <span className="fact" title={title}>
    <span className="fine">{name}</span> <b>{value}</b>
  </span>
);

/** What a rollout came to: answer beside gold, and its figures. */
export const VerdictLine = ({ rollout, gold }: { rollout: Rollout; gold: Question | null }) => {
  const { metrics, answer } = rollout;
  const measures = measuresOf(rollout);
  const interruption = interruptionOf(rollout);
  const right = metrics && gold && metrics.em === 1;
  return (
    <div className="verdict" data-testid="verdict">
      <div className="verdict-answer">
        {interruption ? (
          <span className="badge">⊘ {interruption}, not scored</span>
        ) : gold ? (
          <span className={right ? 'badge good' : 'badge bad'}>
            {right ? '✓ exact match' : '✗ no exact match'}
          </span>
        ) : (
          <span className="badge">no gold known</span>
        )}
        <b className="answer-text">{answer ?? 'no answer'}</b>
        {gold ? <span className="fine">gold: {gold.answers.join(' / ')}</span> : null}
      </div>
      <div className="facts">
        {gold && metrics && !interruption ? (
          <>
            <Figure name="EM" value={formatNumber(metrics.em)} />
            <Figure name="F1" value={formatShare(metrics.f1)} />
            <Figure
              name="recall"
              value={formatShare(metrics.recall)}
              title="Share of the supporting titles that were retrieved"
            />
          </>
        ) : null}
        <Figure name="searches" value={formatCount(measures.searches)} />
        <Figure name="tokens" value={formatCount(measures.tokens)} title="Written by the policy" />
        <Figure name="time" value={formatSeconds(measures.seconds)} />
        {metrics && !interruption ? (
          <Figure name="format" value={metrics.formatValid ? '✓ valid' : '✗ broken'} />
        ) : null}
        <Figure
          name="reward"
          value={rollout.reward === null ? 'not computed' : formatNumber(rollout.reward)}
          title="The reward of a whole rollout comes with training, which is not built yet"
        />
      </div>
    </div>
  );
};
