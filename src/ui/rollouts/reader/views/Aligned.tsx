import type { AlignedGroup } from '../../../../evaluate/rollouts/align.ts';
import { type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { answerOf } from '../../../../records/outside-answer.ts';
import { useMore } from '../../../kit/page/use-more.tsx';
import { plural } from '../../../kit/words/format.ts';
import { Terms } from '../../../kit/words/explain/Term.tsx';
import { MarkedText } from '../parts/MarkedText.tsx';
import { CellView } from './CellView.tsx';

/** Rounds that are shown at first: more than a rollout has, unless its search was stuck. */
const ROUNDS = 60;

/**
 * Siblings as columns, rounds as rows: a round in which they differ is one row to read across.
 * `rollouts` is null while their texts are read.
 */
export const Aligned = (props: {
  aligned: AlignedGroup;
  rollouts: readonly ImportedRollout[] | null;
  here: string;
  /** Siblings that are shown, the first ones. */
  beside: number;
}) => {
  const { aligned, rollouts, here, beside } = props;
  const shown = aligned.siblings.slice(0, beside);
  const rounds = useMore(aligned.rows, ROUNDS);
  return (
    <div className="wide-scroll" role="region" aria-label="Siblings by round" tabIndex={0}>
      <table className="aligned">
        <thead>
          <tr>
            <th scope="col">round</th>
            {shown.map(({ id, em, searches, ...given }, i) => (
              <th key={i} scope="col" className={id === here ? 'chosen' : ''}>
                sibling {i + 1}
                {id === here ? ' (this)' : ''}{' '}
                <span className="fine">
                  <Terms>
                    {em === null ? '' : em === 1 ? '✓ right by EM · ' : '✗ wrong by EM · '}
                  </Terms>
                  {plural(searches, 'search', 'searches')}
                </span>
                <div className="answer-line">
                  <MarkedText text={answerOf(given)} marks={[]} />
                </div>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rounds.rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">{at + 1}</th>
              {row.map((cell, i) => (
                <CellView key={i} cell={cell} rollout={rollouts?.[i]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rounds.more}
    </div>
  );
};
