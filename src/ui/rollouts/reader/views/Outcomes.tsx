import { memo } from 'react';
import {
  tokenWeightOf,
  totalPushOf,
  type WhatIf,
} from '../../../../evaluate/rollouts/what-if/what-if.ts';
import { itemAt } from '../../../../base/items.ts';
import { answerOf } from '../../../../records/outside-answer.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { useMore } from '../../../kit/page/use-more.tsx';
import { formatNumber, formatSigned } from '../../../kit/words/format.ts';
import { MarkedText } from '../parts/MarkedText.tsx';

/** Rows that are shown at first: more than a group has, unless a file puts all its rollouts into one. */
const ROWS = 256;

/** A row for each rollout with both sides. Memoised: it adds up every token of the group, which takes time on long traces. */
export const Outcomes = memo(
  ({ made, reading }: { made: WhatIf; reading: Pick<Reading, 'rollout' | 'siblings'> }) => {
    const { rows, more } = useMore(made.before.rollouts, ROWS);
    return (
      <div className="wide-scroll" role="region" aria-label="Advantages and weights" tabIndex={0}>
        <table className="rollout-table what-if-table">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                rollout
              </th>
              <th scope="col" rowSpan={2}>
                answer
              </th>
              <th scope="colgroup" colSpan={2}>
                reward
              </th>
              <th scope="colgroup" colSpan={3}>
                advantage
              </th>
              <th scope="colgroup" colSpan={2}>
                trained tokens
              </th>
              <th scope="colgroup" colSpan={2}>
                weight per token
              </th>
              <th scope="colgroup" colSpan={2}>
                total update
              </th>
            </tr>
            <tr>
              {[
                'before',
                'after',
                'file',
                'before',
                'after',
                'before',
                'after',
                'before',
                'after',
                'before',
                'after',
              ].map((name, i) => (
                <th key={i} scope="col" className="figure">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((before, i) => {
              const after = itemAt(made.after.rollouts, i, 'rollouts');
              const changed = before.advantage !== after.advantage;
              return (
                <tr key={i} className={before.id === reading.rollout.id ? 'chosen' : ''}>
                  <th scope="row">
                    {i + 1}
                    {before.id === reading.rollout.id ? ' (this)' : ''}
                  </th>
                  <td className="group-answer">
                    <MarkedText
                      text={reading.siblings[i] ? answerOf(reading.siblings[i]) : 'no answer'}
                      marks={[]}
                    />
                  </td>
                  <td className="figure">{formatNumber(before.reward)}</td>
                  <td className="figure">{formatNumber(after.reward)}</td>
                  <td className="figure">{formatSigned(made.stored[i], 3)}</td>
                  <td className="figure">{formatSigned(before.advantage, 3)}</td>
                  <td className="figure">
                    {changed ? (
                      <b>{formatSigned(after.advantage, 3)}</b>
                    ) : (
                      formatSigned(after.advantage, 3)
                    )}
                  </td>
                  <td className="figure">{formatNumber(before.trainedTokens)}</td>
                  <td className="figure">{formatNumber(after.trainedTokens)}</td>
                  <td className="figure">{formatNumber(tokenWeightOf(before))}</td>
                  <td className="figure">{formatNumber(tokenWeightOf(after))}</td>
                  <td className="figure">{formatNumber(totalPushOf(before))}</td>
                  <td className="figure">{formatNumber(totalPushOf(after))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {more}
      </div>
    );
  },
);
