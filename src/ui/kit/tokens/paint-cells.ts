import type { Palette } from './palette.ts';

/**
 * The one painter of token cells: the strip of a rollout on Ask and the token view of the reader differ
 * in the size of a cell and in what a cell's colour tells, not in how it is drawn.
 */

/** How one cell is drawn. */
export interface CellPaint {
  colour: keyof Palette;
  /** Opacity, 0 to 1. */
  strength: number;
  /** Share of the row's height, 0 to 1. */
  height: number;
  /** It hangs from the top of its row, so that colour is not all that tells the sign. */
  hangs: boolean;
  /** The loss leaves it out. */
  hatched: boolean;
}

/** A cell of which no number is known: a low grey one. */
export const UNKNOWN: CellPaint = {
  colour: 'idle',
  strength: 0.5,
  height: 0.12,
  hangs: false,
  hatched: false,
};

/** Measures of a cell, in CSS pixels. */
export interface CellSize {
  /** From one cell to the next; a pixel of it is the gap between them. */
  width: number;
  /** From one row to the next. */
  row: number;
  /** Kept free below the cells for the bar that marks the cursor. */
  mark: number;
  /** The cursor's bar and the range's shade begin this far left of the cell. */
  bleed: number;
  /** Lowest height of a cell: one that is nearly 0 has to be seen. */
  lowest: number;
  hatch: (context: CanvasRenderingContext2D, x: number, y: number, height: number) => void;
}

/** The strip on Ask: a whole rollout at a glance, two strokes a cell. */
export const SMALL_CELLS: CellSize = {
  width: 5,
  row: 12,
  mark: 2,
  bleed: 0,
  lowest: 0,
  hatch: (context, x, y, height) => {
    const width = 4;
    context.beginPath();
    for (const from of [y + height, y + height / 2]) {
      context.moveTo(x, from);
      context.lineTo(x + width, from - width * 1.4);
    }
    context.stroke();
  },
};

/** The reader's token view: strokes at 45°, five pixels apart, cut off at the cell's edges. */
export const LARGE_CELLS: CellSize = {
  width: 8,
  row: 16,
  mark: 3,
  bleed: 0.5,
  lowest: 2,
  hatch: (context, x, y, height) => {
    const width = 8;
    context.beginPath();
    for (let from = y + height; from > y - width; from -= 5) {
      const [low, high] = [Math.min(y + height, from), Math.max(y, from - width)];
      if (low <= high) continue;
      context.moveTo(x + (from - low), low);
      context.lineTo(x + (from - high), high);
    }
    context.stroke();
  },
};

/** A window onto the cells, and what is marked in it. */
export interface CellDrawing {
  size: CellSize;
  /** Cells a row. */
  columns: number;
  /** Cells drawn: `from` and all after it up to, without, `to`. */
  from: number;
  to: number;
  /** CSS pixels that are scrolled away above the canvas. */
  top: number;
  palette: Palette;
  cellAt: (position: number) => CellPaint;
  /** Position under the cursor. */
  cursor: number | null;
  /** Chosen cells, both ends among them. */
  range?: { from: number; to: number } | null;
  /** Cells whose text is on the screen: a thin line runs below them. */
  seen?: { from: number; to: number } | null;
}

/** A canvas context of this many CSS pixels, cleared and as sharp as the screen; null where there is none. */
export const sizedContext = (
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null => {
  const context = canvas.getContext('2d');
  if (!context) return null;
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  return context;
};

/** Paints the cells `from` to `to` onto a cleared canvas. */
export const paintCells = (
  context: CanvasRenderingContext2D,
  { size, columns, from, to, top, palette, cellAt, cursor, range = null, seen = null }: CellDrawing,
): void => {
  const full = size.row - size.mark;
  context.strokeStyle = palette.hatch;
  context.lineWidth = 1;
  for (let at = from; at < to; at++) {
    const x = (at % columns) * size.width;
    const y = Math.floor(at / columns) * size.row - top;
    const cell = cellAt(at);
    const height = Math.max(size.lowest, full * cell.height);
    const upper = cell.hangs ? y : y + full - height;
    if (range && at >= range.from && at <= range.to) {
      context.globalAlpha = 0.22;
      context.fillStyle = palette.mark;
      context.fillRect(x - size.bleed, y - 1, size.width, size.row);
    }
    context.globalAlpha = cell.strength;
    context.fillStyle = palette[cell.colour];
    context.fillRect(x, upper, size.width - 1, height);
    if (cell.hatched) size.hatch(context, x, upper, height);
    if (seen && at >= seen.from && at <= seen.to) {
      context.globalAlpha = 0.55;
      context.fillStyle = palette.mark;
      context.fillRect(x - size.bleed, y + full + 1, size.width, 1);
    }
    if (at !== cursor) continue;
    context.globalAlpha = 1;
    context.fillStyle = palette.mark;
    context.fillRect(x - size.bleed, y + full, size.width - (size.bleed > 0 ? 0 : 1), size.mark);
  }
  context.globalAlpha = 1;
};
