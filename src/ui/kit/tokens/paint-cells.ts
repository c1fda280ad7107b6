import type { Palette } from './palette.ts';

/**
 * The painter of token cells, shared by the strip on Ask and the reader's token view, which differ
 * only in cell size and colours.
 */

/** How one cell is drawn. */
export interface CellPaint {
  colour: keyof Palette;
  /** Opacity, 0 to 1. */
  strength: number;
  /** Share of the row's height, 0 to 1. */
  height: number;
  /** Hangs from the top of its row, so that the sign does not depend on colour. */
  hangs: boolean;
  /** Outside the loss. */
  hatched: boolean;
}

/** A cell without a number: low and grey. */
export const UNKNOWN: CellPaint = {
  colour: 'idle',
  strength: 0.5,
  height: 0.12,
  hangs: false,
  hatched: false,
};

/** Cell sizes, in CSS pixels. */
export interface CellSize {
  /** Column pitch; one pixel is the gap. */
  width: number;
  /** Row pitch. */
  row: number;
  /** Space below the cells for the cursor bar. */
  mark: number;
  /** Left margin of cursor bar and range shade. */
  bleed: number;
  /** Minimum height, so that values near 0 are visible. */
  lowest: number;
  hatch: (context: CanvasRenderingContext2D, x: number, y: number, height: number) => void;
}

/** The strip on Ask: a whole rollout at a glance. */
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

/** The reader's token view: hatching at 45°, five pixels apart, clipped at the cell's edges. */
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

/** A window onto the cells, with marks. */
export interface CellDrawing {
  size: CellSize;
  /** Cells a row. */
  columns: number;
  /** Range of cells: from `from` up to, but excluding, `to`. */
  from: number;
  to: number;
  /** Scroll offset in CSS pixels. */
  top: number;
  palette: Palette;
  cellAt: (position: number) => CellPaint;
  /** Position under the cursor. */
  cursor: number | null;
  /** The selected range, inclusive. */
  range?: { from: number; to: number } | null;
  /** Cells whose text is visible: underlined. */
  seen?: { from: number; to: number } | null;
}

/** A cleared canvas context of this many CSS pixels at device resolution; null if unavailable. */
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
