import type { CellPaint } from '../../../kit/tokens/paint-cells.ts';

/** The paint of a token as CSS: what a canvas shows as a cell, text shows as a background. */

/** Share of the colour in the strongest background: text on it keeps a contrast of 4.5 : 1 in both schemes. */
const FULL = 0.5;

/** Classes of `tokens-view.css`, and how much of the colour is mixed in. */
export interface TokenStyle {
  className: string;
  /** Share of the colour in the background, 0 to `FULL`. */
  share: number;
}

/**
 * The style of a cell. Besides the colour per line tells the sign: it is below the text for numbers above
 * the middle, and above the text for numbers below it.
 * @param plain the colour is no number (who wrote it): every token has the same strength
 */
export const styleOfCell = (cell: CellPaint, plain: boolean): TokenStyle => {
  const signed = cell.colour === 'gain' ? ' up' : cell.colour === 'loss' ? ' down' : '';
  const hatch = cell.hatched && !plain ? ' masked' : '';
  const share = cell.colour === 'idle' ? 0 : plain ? 0.5 * FULL : FULL * cell.strength;
  return { className: `tk tk-${cell.colour}${signed}${hatch}`, share };
};
