import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { escapeXml } from '../../../../base/xml-text.ts';
import type { Picture } from '../../../kit/charts/picture/picture.ts';
import type { CellPaint } from '../../../kit/tokens/paint-cells.ts';
import type { Palette } from '../../../kit/tokens/palette.ts';
import { formatCount } from '../../../kit/words/format.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { tokenKey } from './token-key.ts';
import { paintToken, scaleOf, type TokenColour } from './token-paint.ts';
import { styleOfCell } from './token-style.ts';
import { tokenText } from './token-words.ts';

/**
 * Tokens as an SVG picture. The letters have one width, so that lines can be broken without measuring
 * text; sizes are in the picture's pixels.
 */

/** Width of a letter. */
const SIGN = 7.3;
/** From one line to the next. */
const LINE = 20;
/** Letters in a line. */
const COLUMNS = 110;
const MARGIN = 14;

/** Tokens in a picture at most: more could not be read on a page. */
export const MOST_DRAWN = 3000;

/** Colours are those of the page, so that the picture has its scheme. */
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

/** Id of the pattern over tokens outside the loss. */
const HATCH = 'masked';
const hatching = (colour: string): string =>
  `<defs><pattern id="${HATCH}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(35)"><rect width="1" height="6" fill="${colour}" fill-opacity="0.5"/></pattern></defs>`;

/**
 * Background of a token, and the line that tells its sign.
 * @param place `y` is the baseline of its text
 */
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

/** Letters of room for a sample in the key, and between two entries. */
const KEY_SIGN = 2;
const KEY_APART = 3;

/** Draws the key from line `from` on. @returns the lines that it takes as well */
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

/** Says which tokens are drawn; empty for all of them. */
const partOf = ({ from, to }: TokenRange, count: number): string =>
  from === 0 && to === count - 1
    ? ''
    : `tokens ${formatCount(from)} to ${formatCount(to)}, from 0, of ${formatCount(count)}`;

/** Draws tokens with their text, at most `MOST_DRAWN`, and the key below them. Every segment begins a line. */
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
