import { useMemo, useState } from 'react';
import type { RewardClause } from '../../../../records/rollout.ts';
import type { Rescored } from '../../../../evaluate/rollouts/rescore/rescore.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { formatNumber, formatShare } from '../../../kit/words/format.ts';
import { rollouts } from '../store/api.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { Problem } from '../parts/Problem.tsx';
import { RawText, type PlacedMark } from './RawText.tsx';
import { Table, type Head } from '../../../kit/Table.tsx';

/** Every published scorer's view of this rollout, clause by clause, with the text that each looked at. */

const HEADS: readonly Head[] = [
  ['scorer'],
  ['total', 'figure'],
  ['of its range', 'figure'],
  ['clauses'],
];

/** Shares of the range that are so far apart say opposite things. */
const APART = 0.5;

/** The clause whose spans are marked in the text. */
interface Chosen {
  scorer: string;
  clause: number;
  /** Which of its spans. */
  span: number;
}

/**
 * A clause with its weight and value. Only one that looked at a span of the text can be pressed.
 */
const ClauseButton = (props: { clause: RewardClause; chosen: boolean; onChoose: () => void }) => {
  const { clause, value, weight, evidence } = props.clause;
  const text = `${clause} ${weight === 1 ? '' : `${formatNumber(weight)} × `}${formatNumber(value)}`;
  return evidence.length === 0 ? (
    <span className="clause" title="no text span">
      {text}
    </span>
  ) : (
    <button
      type="button"
      className="clause link"
      aria-pressed={props.chosen}
      title={`${evidence.length === 1 ? 'the span' : `${evidence.length} spans`} that it scored`}
      onClick={props.onChoose}
    >
      {text}
    </button>
  );
};

/** One scorer. Pressing a clause again continues to its next span. */
const ScoreRow = (props: {
  score: Rescored;
  em: number | null;
  chosen: Chosen | null;
  choose: (chosen: Chosen) => void;
}) => {
  const { score, em, chosen, choose } = props;
  // Scorers have different ranges; shares of the range can be compared.
  const apart = em !== null && score.share !== null && Math.abs(score.share - em) >= APART;
  const next = (clause: number, count: number) => {
    const again = chosen?.scorer === score.scorer && chosen.clause === clause;
    choose({ scorer: score.scorer, clause, span: again ? (chosen.span + 1) % count : 0 });
  };
  return (
    <tr className={chosen?.scorer === score.scorer ? 'chosen' : ''}>
      <th scope="row">{score.name}</th>
      <td className="figure">{score.total === null ? '–' : formatNumber(score.total)}</td>
      <td className="figure">{score.share === null ? '–' : formatShare(score.share)}</td>
      <td>
        {apart ? <span className="badge bad">≠ EM</span> : null}
        <span className="clauses">
          {score.clauses.map((clause, i) => (
            <ClauseButton
              key={i}
              clause={clause}
              chosen={chosen?.scorer === score.scorer && chosen.clause === i}
              onChoose={() => next(i, clause.evidence.length)}
            />
          ))}
        </span>
        {score.lacks.length > 0 ? (
          <span className="fine"> not computed: {score.lacks.join('; ')}</span>
        ) : null}
      </td>
    </tr>
  );
};

/**
 * The rollout through the eyes of every published scorer at once, to see what a reward would have
 * taught. They score the stored text; nothing of the file’s own scores is used.
 */
export const ScoresView = ({ reading }: { reading: Reading }) => {
  const { file, row, rollout } = reading;
  const { notScored, error } = row.row;
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const scores = useAnswer(`${file.id} ${rollout.id}`, () => rollouts().rescore(file.id, row));
  const list = scores.state === 'ready' ? scores.value : null;
  const clause = list?.find(({ scorer }) => scorer === chosen?.scorer)?.clauses[
    chosen?.clause ?? -1
  ];
  const marks = useMemo<PlacedMark[]>(
    () =>
      clause?.evidence.map((span, i) => ({
        ...span,
        kind: i === chosen?.span ? ('current' as const) : ('clause' as const),
        title: `scored by ${clause.clause}`,
      })) ?? [],
    [clause, chosen],
  );
  const focus = marks[chosen?.span ?? 0] ?? null;
  if (scores.state === 'failed') return <Problem what="The scores" message={scores.message} />;
  if (!list) return <p className="fine">Scoring …</p>;
  if (list.length === 0 && notScored !== undefined)
    return (
      <p className="note">
        Not scored: {notScored}.
        {error === undefined &&
          ' Put the answer into the file under the key “pred” and import it again.'}
      </p>
    );
  if (list.length === 0)
    return (
      <p className="note">
        The record has no gold answers, so nothing can be scored. Put them into the file, under the
        key of its format, and import it again.
      </p>
    );
  const em = list.find(({ scorer }) => scorer === 'em')?.share ?? null;
  const apart =
    em === null ? [] : list.filter(({ share }) => share !== null && Math.abs(share - em) >= APART);
  const verdict = rollout.judge?.verdict ?? null;
  const judge = verdict === null ? null : Number(verdict);
  return (
    <div className="scores-view">
      <div className="scores-list" role="region" aria-label="Scorers" tabIndex={0}>
        <p className="fine">
          {apart.length === 0
            ? 'All scorers agree with exact match (SQuAD).'
            : `${apart.length} of ${list.length} scorers disagree with exact match (SQuAD; ≠ EM: at least half of their range apart).`}{' '}
          {judge === null
            ? 'The file has no judge.'
            : `The file’s judge says ${judge === 1 ? 'right' : 'wrong'}${em !== null && Math.abs(judge - em) >= APART ? ', unlike exact match (SQuAD).' : '.'}`}
        </p>
        <Table className="rollout-table scores" heads={HEADS}>
          {list.map((score) => (
            <ScoreRow
              key={score.scorer}
              score={score}
              em={score.scorer === 'em' ? null : em}
              chosen={chosen}
              choose={setChosen}
            />
          ))}
        </Table>
      </div>
      <RawText
        segments={rollout.segments}
        marks={marks}
        focus={focus}
        label={clause ? `Text, spans of ${clause.clause} marked` : 'Text'}
      />
    </div>
  );
};
