import type { Rollout, Segment } from '../../../records/rollout.ts';
import { writerOf, type StripGrid, type Writer } from './layout.ts';

/** What the colour of a token tells: who wrote it, or what the update does with it. */
export type ColourMode = { by: 'writer' } | { by: 'advantage'; advantage: number; largest: number };

export const BY_WRITER: ColourMode = { by: 'writer' };

export type Palette = Record<Writer | 'hatch' | 'mark' | 'gain' | 'loss' | 'idle', string>;

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
    gain: read('--gain'),
    loss: read('--loss'),
    idle: read('--line-strong'),
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

/** How one segment is drawn in a mode. */
interface SegmentPaint {
  colour: keyof Palette;
  /** 0 to 1. */
  strength: number;
  /** A negative advantage hangs from the top of its row, so that colour is not all that tells. */
  hangs: boolean;
  hatched: boolean;
}

/**
 * By advantage: tokens that the update makes more probable stand, those that it makes less probable
 * hang; the stronger the colour, the larger the advantage beside the largest of the group. What the
 * loss leaves out is a pale grey.
 */
export const paintOf = (
  segment: Pick<Segment, 'source' | 'role' | 'mask'>,
  mode: ColourMode,
): SegmentPaint => {
  const hatched = segment.mask === 0;
  if (mode.by === 'writer')
    return { colour: writerOf(segment), strength: 1, hangs: false, hatched };
  const { advantage, largest } = mode;
  if (hatched || advantage === 0)
    return { colour: 'idle', strength: hatched ? 0.55 : 1, hangs: false, hatched };
  const share = largest > 0 ? Math.min(1, Math.abs(advantage) / largest) : 1;
  return {
    colour: advantage > 0 ? 'gain' : 'loss',
    strength: 0.35 + 0.65 * share,
    hangs: advantage < 0,
    hatched,
  };
};

export interface Painting {
  grid: StripGrid;
  palette: Palette;
  /** Tokens from here on have not happened yet. */
  until: number;
  cursor: number | null;
  mode: ColourMode;
}

/**
 * Draws every token of the context as one cell: colour tells who wrote it (or its advantage), height
 * how probable it was, a hatch that the loss leaves it out.
 */
export const paintStrip = (
  context: CanvasRenderingContext2D,
  rollout: Pick<Rollout, 'segments'>,
  { grid, palette, until, cursor, mode }: Painting,
): void => {
  const { columns, cell, rowHeight } = grid;
  const full = rowHeight - 2;
  context.strokeStyle = palette.hatch;
  context.lineWidth = 1;
  let position = 0;
  for (const segment of rollout.segments) {
    const { colour, strength, hangs, hatched } = paintOf(segment, mode);
    for (let token = 0; token < segment.ids.length; token++, position++) {
      const x = (position % columns) * cell;
      const y = Math.floor(position / columns) * rowHeight;
      const height = full * heightOf(segment.logprobs?.[token]);
      const top = hangs ? y : y + full - height;
      context.globalAlpha = strength * (position < until ? 1 : 0.22);
      context.fillStyle = palette[colour];
      context.fillRect(x, top, cell - 1, height);
      if (hatched) hatch(context, x, top, cell - 1, height);
      if (position !== cursor) continue;
      context.globalAlpha = 1;
      context.fillStyle = palette.mark;
      context.fillRect(x, y + full, cell - 1, 2);
    }
  }
  context.globalAlpha = 1;
};
