import { memo, useMemo, type ReactNode } from 'react';
import { besideSentence } from '../../../evaluate/rollouts/siblings/beside-words.ts';
import {
  besideOf,
  type Beside,
  type BesideEnd,
} from '../../../evaluate/rollouts/siblings/beside.ts';
import { answerOf } from '../../../records/outside-answer.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { Picture } from '../charts/picture/Picture.tsx';
import { formatNumber } from '../words/format.ts';
import { Term } from '../words/explain/Term.tsx';
import { BesideTable } from './BesideTable.tsx';
import {
  besideLayout,
  LINE,
  PADDING,
  type CellLine,
  type PlacedCell,
  cut,
} from './beside-layout.ts';
import type { BesideSide } from './side.ts';
import './beside.css';

/** One question under two policies, aligned by search. */

interface BesideProps {
  sides: readonly [BesideSide, BesideSide];
  /** Opens an event of one side. */
  open: (side: 0 | 1, event: number) => void;
  heading?: 'h2' | 'h3';
  controls?: ReactNode;
  foot?: ReactNode;
}

const TITLE = 'Before | after';
const SHORT = ['before', 'after'] as const;

/** The answer, the gold answer, and the reward. */
function endLines(end: BesideEnd, { question }: Rollout, letters: number): CellLine[] {
  const { right, f1, reward, ended } = end;
  if (!ended) return [{ kind: 'plain', text: 'still writing …' }];
  const sign = right === null ? '■' : right ? '✓' : '✗';
  const figures = [
    ...(f1 === null ? [] : [`F1 ${formatNumber(f1)}`]),
    ...(reward === null ? [] : [`reward ${formatNumber(reward)}`]),
  ].join(' · ');
  return [
    { kind: 'head', text: 'answer' },
    {
      kind: right === null ? 'plain' : right ? 'right' : 'wrong',
      text: cut(`${sign} ${answerOf(end)}`, letters),
    },
    ...(question.answers.length === 0
      ? []
      : [{ kind: 'plain' as const, text: cut(`gold ${question.answers.join(' / ')}`, letters) }]),
    ...(figures === '' ? [] : [{ kind: 'plain' as const, text: figures }]),
  ];
}

const Cell = ({ cell }: { cell: PlacedCell }) => (
  <g transform={`translate(${cell.x} ${cell.y})`}>
    <rect
      width={cell.width}
      height={cell.height}
      rx={6}
      className={cell.empty ? 'beside-cell empty' : 'beside-cell'}
    />
    {cell.lines.map(({ kind, text }, i) => (
      <text key={i} className={`beside-line ${kind}`} x={PADDING} y={PADDING + 10 + i * LINE}>
        {text}
      </text>
    ))}
  </g>
);

type DrawnProps = Pick<BesideProps, 'sides' | 'open'> & { beside: Beside; width: number };

const eventOf = ({ rows, ends }: Beside, { side, row }: PlacedCell): number | null => {
  const found = rows[row];
  if (!found) return ends[side].event;
  return (side === 0 ? found.a : found.b)?.event ?? null;
};

const Drawn = memo(({ beside, sides, open, width }: DrawnProps) => {
  const layout = besideLayout(
    beside,
    (side, letters) => endLines(beside.ends[side], sides[side].rollout, letters),
    width,
  );
  const first = beside.first === null ? undefined : layout.rows[beside.first];
  return (
    <>
      <svg width={width} height={layout.height} aria-hidden="true">
        {first ? (
          <rect
            className="beside-first"
            x={0}
            y={first.y - 3}
            width={width}
            height={first.height + 6}
            rx={8}
          />
        ) : null}
        {layout.heads.map(({ side, x, y, width: room, short }, i) => (
          <text key={i} className="beside-name" x={x + 2} y={y}>
            {short
              ? SHORT[side]
              : cut(`${SHORT[side]}: ${sides[side].name}`, Math.floor(room / 6.8))}
          </text>
        ))}
        {layout.cells.map((cell, i) => (
          <Cell key={i} cell={cell} />
        ))}
      </svg>
      {layout.cells.map((cell, i) => {
        const event = eventOf(beside, cell);
        const label = `${SHORT[cell.side]}, ${cell.lines.map(({ text }) => text).join(', ')}`;
        return event === null ? null : (
          <button
            key={i}
            type="button"
            className="beside-button"
            style={{ left: cell.x, top: cell.y, width: cell.width, height: cell.height }}
            title={`${label}${cell.row === beside.first ? '. The first difference' : ''}`}
            aria-label={`${label}${cell.row === beside.first ? '. The first difference' : ''}. Open it`}
            onClick={() => open(cell.side, event)}
          />
        );
      })}
    </>
  );
});

/** How to read it, and the first difference. */
const Note = ({ sentence }: { sentence: string | null }) => (
  <>
    {sentence === null ? null : (
      <span className="beside-sentence" role="status" data-testid="beside-sentence">
        {sentence}
      </span>
    )}{' '}
    Search beside search; passages that support the answer are marked as <Term id="gold">gold</Term>
    , and the first difference is framed.
  </>
);

/**
 * Two rollouts of a question side by side, as a picture or a table, aligned by search. The first of
 * `sides` is on the left.
 */
export const BesidePicture = ({ sides, open, heading = 'h3', controls, foot }: BesideProps) => {
  const [{ rollout: a }, { rollout: b }] = sides;
  const beside = useMemo(() => besideOf(a, b), [a, b]);
  const sentence = useMemo(() => besideSentence(beside, SHORT), [beside]);
  return (
    <Picture
      id="beside"
      title={TITLE}
      heading={heading}
      className="beside"
      note={<Note sentence={sentence} />}
      does="Click an event to open it."
      empty={null}
      controls={controls}
      foot={foot}
      renderPicture={(width) => <Drawn beside={beside} sides={sides} open={open} width={width} />}
      renderTable={() => <BesideTable beside={beside} sides={sides} open={open} />}
    />
  );
};
