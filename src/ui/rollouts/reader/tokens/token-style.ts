import type { CellPaint } from '../../../kit/tokens/paint-cells.ts';

/** A token's cell as the background of its text. */

/** Share of the colour in the background at full strength: the text stays at 4.5 : 1 in both schemes. */
const FULL = 0.5;

export interface TokenStyle {
  className: string;
  /** Share of the colour in the background, 0 to `FULL`. */
  share: number;
}

/**
 * A sign is told by a line as well as by colour: below the text where the number is above the middle,
 * above it where it is below.
 * @param plain colour alone tells, such as who wrote it: every token has the same strength
 */
export const styleOfCell = (cell: CellPaint, plain: boolean): TokenStyle => {
  const signed = cell.colour === 'gain' ? ' up' : cell.colour === 'loss' ? ' down' : '';
  const hatch = cell.hatched && !plain ? ' masked' : '';
  const share = cell.colour === 'idle' ? 0 : plain ? 0.5 * FULL : FULL * cell.strength;
  return { className: `tk tk-${cell.colour}${signed}${hatch}`, share };
};
