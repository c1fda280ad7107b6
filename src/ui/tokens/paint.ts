import type { Rollout } from '../../data/rollout.ts';
import { writerOf, type StripGrid, type Writer } from './layout.ts';

export type Palette = Record<Writer | 'hatch' | 'mark', string>;

/** The colours of the theme in force, from the style sheet's variables. */
export const readPalette = (element: Element): Palette => {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim() || 'gray';
  return {
    prompt: read('--who-prompt'),
    policy: read('--who-policy'),
    environment: read('--who-environment'),
    hint: read('--who-hint'),
    hatch: read('--panel'),
    mark: read('--text'),
  };
};

/** Height of a policy token: how probable it was; full height for what was only read. */
const heightOf = (logprob: number | undefined): number =>
  logprob === undefined ? 1 : 0.3 + 0.7 * Math.exp(logprob);

const hatch = (context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number) => {
  context.beginPath();
  context.moveTo(x, y + h);
  context.lineTo(x + w, y + h - w * 1.4);
  context.moveTo(x, y + h / 2);
  context.lineTo(x + w, y + h / 2 - w * 1.4);
  context.stroke();
};

export interface Painting {
  grid: StripGrid;
  palette: Palette;
  /** Tokens from here on have not happened yet. */
  until: number;
  cursor: number | null;
}

/**
 * Draws every token of the context as one cell: colour tells who wrote it, height how probable it
 * was, a hatch that the loss leaves it out.
 */
export const paintStrip = (
  context: CanvasRenderingContext2D,
  rollout: Pick<Rollout, 'segments'>,
  { grid, palette, until, cursor }: Painting,
): void => {
  const { columns, cell, rowHeight } = grid;
  const full = rowHeight - 2;
  context.strokeStyle = palette.hatch;
  context.lineWidth = 1;
  let position = 0;
  for (const segment of rollout.segments) {
    const colour = palette[writerOf(segment)];
    for (let token = 0; token < segment.ids.length; token++, position++) {
      const x = (position % columns) * cell;
      const y = Math.floor(position / columns) * rowHeight;
      const height = full * heightOf(segment.logprobs?.[token]);
      context.globalAlpha = position < until ? 1 : 0.22;
      context.fillStyle = colour;
      context.fillRect(x, y + full - height, cell - 1, height);
      if (segment.mask === 0) hatch(context, x, y + full - height, cell - 1, height);
      if (position !== cursor) continue;
      context.globalAlpha = 1;
      context.fillStyle = palette.mark;
      context.fillRect(x, y + full, cell - 1, 2);
    }
  }
  context.globalAlpha = 1;
};
