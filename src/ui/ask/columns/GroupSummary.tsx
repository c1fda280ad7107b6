import { useMemo } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { formatNumber, formatSeconds, formatShare } from '../../kit/words/format.ts';
import { Fact } from '../../kit/Fact.tsx';
import { groupFigures } from './group.ts';

/** One summary line above the columns of a group. */
export const GroupSummary = (props: {
  ended: readonly Rollout[];
  size: number;
  /** All scores are shown. */
  more: boolean;
}) => {
  const figures = useMemo(() => groupFigures(props.ended), [props.ended]);
  if (!figures) return null;
  return (
    <div className="group-summary" data-testid="group-summary">
      <span className="fine">
        group, {figures.ended} of {props.size} ended
        {figures.interrupted > 0 ? `, ${figures.interrupted} interrupted and not counted` : ''}
      </span>
      {/* Without gold answers nothing is scored. */}
      {figures.em === null ? null : (
        <>
          <Fact name="right" value={formatShare(figures.em)} title="By exact match" />
          {props.more ? (
            <>
              <Fact name="mean F1" value={formatShare(figures.f1)} />
              <Fact name="recall" term="recall" value={formatShare(figures.recall)} />
              <Fact name="format valid" term="format" value={formatShare(figures.formatValid)} />
            </>
          ) : null}
        </>
      )}
      <Fact name="searches" value={formatNumber(figures.searches)} />
      <Fact name="time" value={formatSeconds(figures.seconds)} />
      {props.more ? <Fact name="tokens" value={formatNumber(figures.tokens)} /> : null}
      <span className="fact answers">
        <span className="fine">answers</span>{' '}
        {figures.answers.slice(0, 4).map(({ text, count }) => (
          <span key={text} className="badge">
            {text} <b>×{count}</b>
          </span>
        ))}
        {figures.answers.length > 4 ? (
          <span className="fine">and {figures.answers.length - 4} more</span>
        ) : null}
      </span>
    </div>
  );
};
