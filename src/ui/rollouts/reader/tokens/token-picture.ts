import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { escapeXml, type Picture } from '../../../kit/charts/picture/picture.ts';
import type { Palette } from '../../../kit/tokens/palette.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { paintToken, scaleOf, type TokenColour } from './token-paint.ts';
import { styleOfCell } from './token-style.ts';
import { tokenText } from './token-words.ts';

/** Readable tokens as a picture: letters of one width, so that what is drawn is what was measured. */

const SIGN = 7.3;
const LINE = 20;
const COLUMNS = 110;
const MARGIN = 14;

/** Tokens that one picture holds at most; more of them nobody can read. */
export const MOST_DRAWN = 3000;

export interface TokenPictureOptions {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  by: TokenColour;
  range: TokenRange;
  palette: Palette;
  ink: string;
  paper: string;
  title: string;
}

/** Tokens as boxes with their text in them, broken into lines; a segment begins a line. */
export function tokenPicture(options: TokenPictureOptions): Picture {
  const { table, segments, by, range, palette, ink, paper, title } = options;
  const scale = scaleOf(table, by);
  const parts: string[] = [];
  let [column, line, before] = [0, 0, -1];
  const end = Math.min(range.to, range.from + MOST_DRAWN - 1);
  for (let at = range.from; at <= end; at++) {
    const segment = table.segment[at] ?? -1;
    if (before >= 0 && segment !== before) [column, line] = [0, line + 1];
    before = segment;
    const text = tokenText(table, at).replaceAll('␣', ' ');
    const width = Math.min(text.length, COLUMNS);
    if (column > 0 && column + width > COLUMNS) [column, line] = [0, line + 1];
    const cell = paintToken(table, segments, at, by, scale);
    const { share } = styleOfCell(cell, by === 'writer');
    const [x, y] = [MARGIN + column * SIGN, MARGIN + 34 + line * LINE];
    if (share > 0)
      parts.push(
        `<rect x="${x.toFixed(1)}" y="${y - 14}" width="${(width * SIGN).toFixed(1)}" height="18" fill="${palette[cell.colour]}" fill-opacity="${share.toFixed(3)}"/>`,
      );
    if (cell.colour === 'gain' || cell.colour === 'loss')
      parts.push(
        `<rect x="${x.toFixed(1)}" y="${cell.hangs ? y - 14 : y + 2}" width="${(width * SIGN).toFixed(1)}" height="2" fill="${palette[cell.colour]}"/>`,
      );
    parts.push(
      `<text x="${x.toFixed(1)}" y="${y}" textLength="${(width * SIGN).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escapeXml(text)}</text>`,
    );
    column += width;
    if (text.endsWith('⏎')) [column, line] = [0, line + 1];
  }
  const width = Math.ceil(2 * MARGIN + COLUMNS * SIGN);
  const height = MARGIN * 2 + 34 + (line + 1) * LINE;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="12"><rect width="100%" height="100%" fill="${paper}"/><g fill="${ink}"><text x="${MARGIN}" y="${MARGIN + 8}" font-weight="600">${escapeXml(title)}</text>${parts.join('')}</g></svg>`;
  return { svg, width, height };
}
