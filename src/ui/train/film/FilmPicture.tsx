import { memo, type KeyboardEvent, type MouseEvent } from 'react';
import { answerOf } from '../../../records/outside-answer.ts';
import type { FilmRow, TrainingFilm } from '../../../evaluate/training-film.ts';

/** A place of the film: a question, and a score. */
export interface FilmPlace {
  /** Index of the question, in the order of the film. */
  row: number;
  at: number;
}

/** CSS pixels: of a question, of the steps’ numbers above, and of a letter. */
const ROW = 15;
const HEAD = 18;
const CHARACTER = 6;
/** Columns from here on have room for what was answered, beside a mark of this width. */
const WORDS = 84;
const MARK = 13;
/** The number of answers that are written at most; beyond it only the wide cells are drawn. */
const MOST_WORDS = 1500;
/** Of a column without words: few scores are not stretched over the page. */
const WIDEST = 128;

interface PictureProps {
  film: TrainingFilm;
  width: number;
  /** The score up to which the film ran; later ones are dimmed. */
  at: number;
  chosen: FilmPlace | null;
}

interface Sizes {
  /** Pixels of the names, and of a column. */
  names: number;
  column: number;
  /** Pixels of a cell. */
  mark: number;
}

/** The names, then the columns over all of the width that is left; wide ones hold the answers too. */
export const sizesOf = ({ steps, rows }: TrainingFilm, width: number): Sizes => {
  const longest = Math.max(...rows.map(({ text }) => text.length));
  const names = Math.round(Math.min(width * 0.46, (longest + 2) * CHARACTER));
  const share = Math.max(3, (width - names - 4) / steps.length);
  if (share >= WORDS && rows.length * steps.length <= MOST_WORDS)
    return { names, column: share, mark: MARK };
  const column = Math.min(WIDEST, share);
  return { names, column, mark: Math.max(2, column - 2) };
};

/** As much of a text as has room, with an ellipsis after it where it is cut. */
const shortened = (text: string, pixels: number): string => {
  const room = Math.max(4, Math.ceil(pixels / CHARACTER) - 2);
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
};

/** Right is filled, wrong an empty frame, not told a dot: never colour alone. */
type CellKind = 'right' | 'wrong' | 'none';

const kindOf = (em: number | null): CellKind =>
  em === null ? 'none' : em === 1 ? 'right' : 'wrong';

/** The cells of a kind in a row as one shape: elements of ten thousand cells would hold the page up. */
const shapeOf = ({ cells }: FilmRow, kind: CellKind, { names, column, mark }: Sizes): string =>
  cells
    .map((cell, i) => {
      if (kindOf(cell?.em ?? null) !== kind) return '';
      const x = Math.round((names + i * column) * 100) / 100;
      return kind === 'none'
        ? `M${x + mark / 2} ${ROW / 2 - 1}h2v2h-2z`
        : `M${x + 1} 2h${mark}v${ROW - 4}h${-mark}z`;
    })
    .join('');

const KINDS: readonly CellKind[] = ['right', 'wrong', 'none'];

/** What was answered, beside each cell. */
const Answers = ({ row: { cells }, names, column, mark }: Sizes & { row: FilmRow }) =>
  cells.map((cell, i) => {
    const x = names + i * column + mark + 6;
    return cell ? (
      <text key={i} x={x} y={ROW - 4} className="film-answer">
        {shortened(answerOf(cell), column - mark - 6)}
      </text>
    ) : null;
  });

/** The row of a question. Memoised: playing moves two rectangles over the rows, which stay as they are. */
const Row = memo((props: Sizes & { row: FilmRow }) => {
  const { row, ...sizes } = props;
  const { names, column, mark } = sizes;
  return (
    <>
      <text x={0} y={ROW - 4} className="film-name">
        <title>{row.text}</title>
        {shortened(row.text, names)}
      </text>
      {KINDS.map((kind) => (
        <path key={kind} className={`film-${kind}`} d={shapeOf(row, kind, sizes)} />
      ))}
      {column - mark > MARK ? (
        <Answers row={row} names={names} column={column} mark={mark} />
      ) : null}
    </>
  );
});

/** The film as a drawing: a line per question, a column a score. */
const Drawing = ({ film, width, at, chosen }: PictureProps) => {
  const sizes = sizesOf(film, width);
  const { names, column, mark } = sizes;
  const height = HEAD + film.rows.length * ROW;
  // As many numbers as fit side by side.
  const every = Math.max(1, Math.ceil(30 / column));
  return (
    <svg width={width} height={height} aria-hidden="true">
      {film.steps.map((step, i) =>
        i % every === 0 || i === film.steps.length - 1 ? (
          <text
            key={step}
            x={names + i * column + 1 + mark / 2}
            y={12}
            textAnchor="middle"
            className={i === at ? 'film-step now' : 'film-step'}
          >
            {step}
          </text>
        ) : null,
      )}
      <rect
        x={names + at * column}
        y={HEAD}
        width={column}
        height={height - HEAD}
        className="film-now"
      />
      {film.rows.map((row, i) => (
        <g key={row.id} transform={`translate(0 ${HEAD + i * ROW})`}>
          <Row row={row} {...sizes} />
        </g>
      ))}
      <rect
        x={names + (at + 1) * column}
        y={HEAD}
        width={(film.steps.length - 1 - at) * column}
        height={height - HEAD}
        className="film-later"
      />
      {chosen ? (
        <rect
          x={names + chosen.at * column}
          y={HEAD + chosen.row * ROW}
          width={column}
          height={ROW}
          rx={3}
          className="film-chosen"
        />
      ) : null}
    </svg>
  );
};

/** By how many rows and scores an arrow key moves. */
const MOVES: Record<string, FilmPlace> = {
  ArrowUp: { row: -1, at: 0 },
  ArrowDown: { row: 1, at: 0 },
  ArrowLeft: { row: 0, at: -1 },
  ArrowRight: { row: 0, at: 1 },
};

/** An index that stays within the film. */
const held = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

/** The drawing, in which a cell is chosen by pointer or by the arrow keys, and opened by Enter. */
export const FilmPicture = (
  props: PictureProps & {
    /** What the chosen cell says. */
    says: string;
    choose: (place: FilmPlace) => void;
    open: (place: FilmPlace) => void;
  },
) => {
  const { film, width, at, chosen, says, choose, open } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    const from = chosen ?? { row: 0, at };
    if (event.key === 'Enter' && chosen) return open(chosen);
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    choose({
      // The first key shows where one is, the next ones move.
      row: held(from.row + (chosen ? move.row : 0), film.rows.length),
      at: held(from.at + (chosen ? move.at : 0), film.steps.length),
    });
  };
  const onClick = (event: MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const { names, column } = sizesOf(film, width);
    const row = Math.floor((event.clientY - box.top - HEAD) / ROW);
    if (row < 0 || row >= film.rows.length) return;
    const across = Math.floor((event.clientX - box.left - names) / column);
    if (across >= film.steps.length) return;
    // A click on a name chooses the question at the score that is shown.
    choose({ row, at: across < 0 ? at : across });
  };
  return (
    <div
      className="film-picture"
      role="slider"
      tabIndex={0}
      aria-label="Held-out questions by step: arrow keys choose a cell, Enter opens its rollout"
      aria-valuemin={0}
      aria-valuemax={film.rows.length * film.steps.length - 1}
      aria-valuenow={chosen ? chosen.row * film.steps.length + chosen.at : 0}
      aria-valuetext={says}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <Drawing film={film} width={width} at={at} chosen={chosen} />
    </div>
  );
};
