import { formatNumber } from '../../words/format.ts';
import type { CardDefinition, EventOf } from '../parts/definition.ts';

/** Meanings of confidence, as column titles. */
const CONFIDENCE = {
  logprob: ['probability per token', 'Mean log-probability per token of the probed answer'],
  agreement: [
    'share of the samples',
    'Log of the share of this round’s samples that gave it; the model reports no log-probabilities',
  ],
} as const;

/** Confidence is a log-probability; the bar shows the probability. */
const CandidatesBody = ({ event }: { event: EventOf<'candidate'> }) => (
  <div className="body">
    <table className="features">
      <thead>
        <tr>
          <th scope="col">probed answer</th>
          <th scope="col">{CONFIDENCE[event.confidenceBy ?? 'logprob'][0]}</th>
          <th scope="col" className="figure" title={CONFIDENCE[event.confidenceBy ?? 'logprob'][1]}>
            confidence
          </th>
          <th scope="col" className="figure" title="Rounds so far with this answer">
            rounds
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

/** The card of the answers that STIE probed after a round, with their confidence. */
export const candidate: CardDefinition<'candidate'> = {
  glyph: () => ({ sign: 'candidates', name: 'Candidates', tone: 'plain' }),
  line: ({ candidates }) => candidates.map((c) => c.text.trim() || '(empty)').join(' · ') || 'none',
  lineInBody: false,
  figure: ({ candidates }) => `${candidates.length} probed`,
  besideText: true,
  Body: CandidatesBody,
};
