import { itemAt } from '../../../base/items.ts';
import { PointedPicture } from '../../kit/charts/picture/PointedPicture.tsx';
import type { Grid, GridCell } from './sweep-grid.ts';

/** CSS pixels: of a row, above the first, of a column at most and at least, and of a letter. */
const [ROW, TOP, WIDEST, LEAST, CHARACTER] = [48, 40, 132, 64, 7];

/** Names of the rows, their room and the width of a column; the grid is wider than `width` for many columns. */
const sizesOf = ({ rows, rowName, columns }: Grid, width: number) => {
  const names = rows.map((row) => (rowName === null ? '' : `${rowName} ${row}`));
  const left = CHARACTER * Math.max(0, ...names.map((name) => name.length)) + 10;
  const column = Math.min(WIDEST, Math.max(LEAST, (width - left - 4) / columns.length));
  return { names, left, column };
};

/** A run: its number and tint once it is over, how far it is before. */
const Cell = (props: { cell: GridCell; x: number; y: number; width: number }) => {
  const { cell, x, y, width } = props;
  const over = cell.value !== null;
  return (
    <>
      <rect
        x={x + 1}
        y={y + 1}
        width={width - 2}
        height={ROW - 2}
        rx={3}
        className={cell.best ? 'heat-cell heat-best' : 'heat-cell'}
        fillOpacity={cell.tint}
      />
      {cell.state === 'running' ? (
        <rect
          x={x + 8}
          y={y + ROW - 10}
          width={Math.max(0, (width - 16) * cell.done)}
          height={3}
          className="heat-done"
        />
      ) : null}
      <text
        x={x + width / 2}
        y={y + ROW / 2 + 4}
        textAnchor="middle"
        className={over ? 'heat-value' : 'heat-state'}
      >
        {cell.best ? '★ ' : ''}
        {cell.text}
      </text>
    </>
  );
};

/**
 * The grid with the names of its axes.
 * @param chosen index of a cell; null for none
 */
const Drawing = ({ grid, width, chosen }: { grid: Grid; width: number; chosen: number | null }) => {
  const { names, left, column } = sizesOf(grid, width);
  const across = grid.columns.length;
  return (
    <svg
      width={left + column * across + 4}
      height={TOP + ROW * grid.rows.length + 4}
      aria-hidden="true"
    >
      <text x={left} y={12} className="heat-name">
        {grid.columnName}
      </text>
      {grid.columns.map((value, c) => (
        <text
          key={value}
          x={left + column * (c + 0.5)}
          y={30}
          textAnchor="middle"
          className="heat-tick"
        >
          {value}
        </text>
      ))}
      {names.map((name, r) => (
        <text key={name} x={0} y={TOP + ROW * (r + 0.5) + 4} className="heat-tick">
          {name}
        </text>
      ))}
      {grid.cells.map((cell, i) => (
        <Cell
          key={cell.name}
          cell={cell}
          x={left + column * (i % across)}
          y={TOP + ROW * Math.floor(i / across)}
          width={column}
        />
      ))}
      {chosen === null ? null : (
        <rect
          data-chosen=""
          x={left + column * (chosen % across)}
          y={TOP + ROW * Math.floor(chosen / across)}
          width={column}
          height={ROW}
          rx={4}
          className="heat-chosen"
        />
      )}
    </svg>
  );
};

interface HeatMapProps {
  grid: Grid;
  width: number;
  /** What a cell says. */
  says: (cell: GridCell) => string;
  open: (cell: GridCell) => void;
}

/** The grid of a sweep as a drawing: a cell is chosen by pointer or arrow keys and opened by a click or Enter. */
export const HeatMap = ({ grid, width, says, open }: HeatMapProps) => {
  const { left, column } = sizesOf(grid, width);
  const across = grid.columns.length;
  const placeOf = (row: number, at: number): number | null => {
    const inside = at >= 0 && at < across && row >= 0 && row < grid.rows.length;
    return inside ? row * across + at : null;
  };
  const cell = (place: number): GridCell => itemAt(grid.cells, place, 'cells');
  return (
    <PointedPicture
      className="heat-map"
      label="Runs of the sweep: arrow keys choose a cell, Enter opens its run"
      count={grid.cells.length}
      says={(place) => says(cell(place))}
      none="no cell chosen"
      reads="The stronger the tint, the larger the number."
      hint="A click, or Enter, opens the run."
      placeAt={(x, y) => placeOf(Math.floor((y - TOP) / ROW), Math.floor((x - left) / column))}
      next={(from, [right, down]) =>
        from === null ? 0 : placeOf(Math.floor(from / across) + down, (from % across) + right)
      }
      open={(place) => open(cell(place))}
      renderDrawing={(chosen) => <Drawing grid={grid} width={width} chosen={chosen} />}
    />
  );
};
