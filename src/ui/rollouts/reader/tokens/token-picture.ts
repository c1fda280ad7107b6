import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { escapeXml, type Picture } from '../../../kit/charts/picture/picture.ts';
import type { CellPaint } from '../../../kit/tokens/paint-cells.ts';
import type { Palette } from '../../../kit/tokens/palette.ts';
import { formatCount } from '../../../kit/words/format.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { tokenKey } from './token-key.ts';
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

/** Lines of a hatched background, for tokens that are masked out. */
const HATCH = 'masked';
const hatching = (colour: string): string =>
  `<defs><pattern id="${HATCH}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(35)"><rect width="1" height="6" fill="${colour}" fill-opacity="0.5"/></pattern></defs>`;

/** The background of a token whose text stands at `y`, and the line of its sign. */
const background = (
  cell: CellPaint,
  plain: boolean,
  { x, y, width }: { x: number; y: number; width: number },
  palette: Palette,
): string => {
  const { share } = styleOfCell(cell, plain);
  const across = `x="${x.toFixed(1)}" width="${width.toFixed(1)}"`;
  const fill = `fill="${palette[cell.colour]}"`;
  return [
    share > 0
      ? `<rect ${across} y="${y - 14}" height="18" ${fill} fill-opacity="${share.toFixed(3)}"/>`
      : '',
    cell.hatched && !plain
      ? `<rect ${across} y="${y - 14}" height="18" fill="url(#${HATCH})"/>`
      : '',
    cell.colour === 'gain' || cell.colour === 'loss'
      ? `<rect ${across} y="${cell.hangs ? y - 14 : y + 2}" height="2" ${fill}/>`
      : '',
  ].join('');
};

/** Columns of a sign of the key, and between two of its entries. */
const KEY_SIGN = 2;
const KEY_APART = 3;

/** The key as it is set from a line on, and the lines that it takes. */
const keyOf = (
  entries: ReturnType<typeof tokenKey>,
  plain: boolean,
  from: number,
  palette: Palette,
): { svg: string; lines: number } => {
  const parts: string[] = [];
  let [column, line] = [0, 0];
  for (const { cell, text } of entries) {
    const sign = cell ? KEY_SIGN : 0;
    const columns = sign + (cell ? 1 : 0) + text.length;
    if (column > 0 && column + columns > COLUMNS) [column, line] = [0, line + 1];
    const [x, y] = [MARGIN + column * SIGN, MARGIN + 34 + (from + line) * LINE];
    if (cell) parts.push(background(cell, plain, { x, y, width: sign * SIGN }, palette));
    const after = x + (sign + (cell ? 1 : 0)) * SIGN;
    parts.push(`<text x="${after.toFixed(1)}" y="${y}">${escapeXml(text)}</text>`);
    column += columns + KEY_APART;
  }
  return { svg: `<g id="key">${parts.join('')}</g>`, lines: line + 1 };
};

/** Which tokens are drawn, where it is not all of them, numbered as on the page. */
const partOf = ({ from, to }: TokenRange, count: number): string =>
  from === 0 && to === count - 1
    ? ''
    : `tokens ${formatCount(from)} to ${formatCount(to)}, from 0, of ${formatCount(count)}`;

/** Tokens as boxes with their text in them, broken into lines; a segment begins a line. Their key is below them. */
export function tokenPicture(options: TokenPictureOptions): Picture {
  const { table, segments, by, range, palette, ink, paper, title } = options;
  const scale = scaleOf(table, by);
  const plain = by === 'writer';
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
    const [x, y] = [MARGIN + column * SIGN, MARGIN + 34 + line * LINE];
    parts.push(
      background(cell, plain, { x, y, width: width * SIGN }, palette),
      `<text x="${x.toFixed(1)}" y="${y}" textLength="${(width * SIGN).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escapeXml(text)}</text>`,
    );
    column += width;
    if (text.endsWith('⏎')) [column, line] = [0, line + 1];
  }
  const drawn = { from: range.from, to: end };
  const part = partOf(drawn, table.count);
  const entries = [
    ...tokenKey(table, segments, by, scale, drawn),
    ...(part === '' ? [] : [{ cell: null, text: part }]),
  ];
  // A line is between the tokens and their key.
  const key = keyOf(entries, plain, line + 2, palette);
  const width = Math.ceil(2 * MARGIN + COLUMNS * SIGN);
  const height = MARGIN * 2 + 34 + (line + 2 + key.lines) * LINE;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="12">${hatching(palette.prompt)}<rect width="100%" height="100%" fill="${paper}"/><g fill="${ink}"><text x="${MARGIN}" y="${MARGIN + 8}" font-weight="600">${escapeXml(title)}</text>${parts.join('')}${key.svg}</g></svg>`;
  return { svg, width, height };
}
