import { roundName } from './beside-layout.ts';
import type { Beside, BesideEnd } from '../../../evaluate/rollouts/siblings/beside.ts';
import type { BesideRound } from '../../../evaluate/rollouts/siblings/rounds.ts';
import { answerOf } from '../../../records/outside-answer.ts';
import { signedBy } from '../../../evaluate/rollouts/basis.ts';
import { DASH, formatNumber } from '../words/format.ts';
import type { BesideSide } from './side.ts';

interface TableProps {
  beside: Beside;
  sides: readonly [BesideSide, BesideSide];
  open: (side: 0 | 1, event: number) => void;
}

const RoundCell = ({
  round,
  open,
}: {
  round: BesideRound | null;
  open: (event: number) => void;
}) => {
  if (!round) return <td className="fine">no such search</td>;
  return (
    <td>
      <button type="button" className="link" onClick={() => open(round.event)}>
        {round.query ?? 'every query was refused'}
      </button>
      {round.source ? <span className="fine"> {round.source}</span> : null}
      {round.failed ? <span className="fine"> failed</span> : null}
      <ul className="beside-list">
        {round.refused.map(({ what, text }, i) => (
          <li key={i}>
            ⊘ {what === 'query' ? 'query refused' : 'answer not kept'}: {text}
          </li>
        ))}
        {round.passages.map(({ title, gold }, i) => (
          <li key={i}>
            {gold ? '✓ gold: ' : ''}
            {title}
          </li>
        ))}
      </ul>
    </td>
  );
};

const EndCell = ({ end, open }: { end: BesideEnd; open: (event: number) => void }) => (
  <td>
    <button type="button" className="link" onClick={() => open(end.event)}>
      {end.ended || end.answer !== null ? answerOf(end) : 'still writing'}
    </button>{' '}
    {end.right === null ? '' : signedBy(end.right, 'em')}{' '}
    <span className="fine">
      F1 {formatNumber(end.f1)} · reward {end.reward === null ? DASH : formatNumber(end.reward)}
    </span>
  </td>
);

/** The picture's content, uncut. */
export const BesideTable = ({ beside, sides, open }: TableProps) => (
  <table className="beside-table">
    <thead>
      <tr>
        <th scope="col">search</th>
        <th scope="col">before: {sides[0].name}</th>
        <th scope="col">after: {sides[1].name}</th>
      </tr>
    </thead>
    <tbody>
      {beside.rows.map(({ a, b, differs }, row) => {
        const names = [a, b].flatMap((round) => (round ? [roundName(round)] : []));
        return (
          <tr key={row}>
            <th scope="row">
              {names.find((name) => name !== 'not searched') ?? names[0]}
              {differs ? (
                <span className="fine"> {row === beside.first ? 'differs first' : 'differs'}</span>
              ) : null}
            </th>
            <RoundCell round={a} open={(event) => open(0, event)} />
            <RoundCell round={b} open={(event) => open(1, event)} />
          </tr>
        );
      })}
      <tr>
        <th scope="row">answer</th>
        <EndCell end={beside.ends[0]} open={(event) => open(0, event)} />
        <EndCell end={beside.ends[1]} open={(event) => open(1, event)} />
      </tr>
    </tbody>
  </table>
);
