import type { Beside } from '../../../evaluate/rollouts/siblings/beside.ts';
import type { BesideRound } from '../../../evaluate/rollouts/siblings/rounds.ts';

/** Layout of two rollouts side by side, in CSS pixels. */

/** Height of a line. */
export const LINE = 17;
/** Padding of a cell. */
export const PADDING = 8;
const GAP = 10;
const HEAD = 24;
/** Narrower columns could not hold a query: the two sides of a round are then stacked. */
const NARROW = 520;
const MOST_PASSAGES = 6;
/** Width of a letter, to cut lines before drawing. */
const LETTER = 6.5;

type LineKind =
  | 'head'
  | 'query'
  | 'refused'
  | 'gold'
  | 'passage'
  | 'failed'
  | 'right'
  | 'wrong'
  | 'plain';

/** A line of a cell; `kind` sets its style, and its text has a symbol besides. */
export interface CellLine {
  kind: LineKind;
  text: string;
}

const SOURCES = { local: 'local', web: 'web', both: 'both sources' } as const;

/** Wraps a text at a number of letters, at most two lines. */
function wrapped(text: string, letters: number): string[] {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= letters) return [line];
  const at = line.lastIndexOf(' ', letters);
  const first = line.slice(0, at > letters / 2 ? at : letters);
  const rest = line.slice(first.length).trim();
  return [first, cut(rest, letters)];
}

/** Cuts a line to a number of letters with an ellipsis. */
export const cut = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;

/** "search 2"; a round with only refused queries has no search. */
export const roundName = ({ number, query }: Pick<BesideRound, 'number' | 'query'>): string => {
  if (number === 0) return 'background';
  return query === null ? 'not searched' : `search ${number}`;
};

/**
 * The lines of a round.
 * @param letters per line
 */
function roundLines(round: BesideRound, letters: number): CellLine[] {
  const name = roundName(round);
  const source = round.source ? ` · ${SOURCES[round.source]}` : '';
  const before = round.refused.filter(({ what }) => what === 'query');
  const after = round.refused.filter(({ what }) => what === 'answer');
  const found = round.passages.slice(0, MOST_PASSAGES);
  const more = round.passages.length - found.length;
  return [
    { kind: 'head', text: `${name}${source}` },
    ...before.map(({ text }): CellLine => ({
      kind: 'refused',
      text: cut(`⊘ refused: ${text}`, letters),
    })),
    ...(round.query === null || round.number === 0
      ? []
      : wrapped(`⌕ ${round.query}`, letters).map((text): CellLine => ({ kind: 'query', text }))),
    ...(round.failed ? [{ kind: 'failed' as const, text: '✗ the search failed' }] : []),
    ...found.map(({ title, gold }): CellLine => ({
      kind: gold ? 'gold' : 'passage',
      text: cut(`${gold ? '✓ gold' : '▤'} ${title}`, letters),
    })),
    ...(more > 0 ? [{ kind: 'plain' as const, text: `and ${more} more` }] : []),
    ...after.map(({ text }): CellLine => ({
      kind: 'refused',
      text: cut(`⊘ not kept: ${text}`, letters),
    })),
  ];
}

/** A round of one side. */
export interface PlacedCell {
  side: 0 | 1;
  /** Row of `beside.rows`; `rows.length`: the answers. */
  row: number;
  x: number;
  y: number;
  width: number;
  height: number;
  lines: CellLine[];
  /** Empty on this side. */
  empty: boolean;
}

/** The layout for one width, shared by drawing and buttons. */
export interface BesideLayout {
  cells: PlacedCell[];
  /** Top and height of each row, including the answers. */
  rows: { y: number; height: number }[];
  /** Position of the two names; with each cell if the sides are stacked. */
  heads: { side: 0 | 1; x: number; y: number; width: number; short: boolean }[];
  height: number;
  stacked: boolean;
}

/**
 * @param endLines of each side's end
 * @param width of the page's column
 */
export function besideLayout(
  { rows }: Beside,
  endLines: (side: 0 | 1, letters: number) => CellLine[],
  width: number,
): BesideLayout {
  const stacked = width < NARROW;
  const cellWidth = stacked ? width - 2 : Math.floor((width - GAP) / 2) - 1;
  const letters = Math.max(8, Math.floor((cellWidth - 2 * PADDING - 4) / LETTER));
  const x = (side: 0 | 1): number => (stacked || side === 0 ? 1 : cellWidth + GAP + 1);
  const layout: BesideLayout = { cells: [], rows: [], heads: [], height: 0, stacked };
  const head = (side: 0 | 1, y: number) =>
    layout.heads.push({
      side,
      x: x(side),
      y: y + 15,
      width: cellWidth,
      short: layout.heads.length > 1,
    });
  let y = 0;
  if (!stacked) {
    head(0, 0);
    head(1, 0);
    y = HEAD;
  }
  const sides = [0, 1] as const;
  const add = (row: number, lines: readonly [CellLine[] | null, CellLine[] | null]) => {
    const top = y;
    const heights = lines.map((own) => 2 * PADDING + LINE * Math.max(1, own?.length ?? 1) - 4);
    for (const side of sides) {
      if (stacked) {
        head(side, y);
        y += HEAD;
      }
      const height = stacked ? (heights[side] ?? 0) : Math.max(...heights);
      const own = lines[side];
      layout.cells.push({
        side,
        row,
        x: x(side),
        y,
        width: cellWidth,
        height,
        lines: own ?? [{ kind: 'plain', text: 'no such search' }],
        empty: own === null,
      });
      if (stacked) y += height + 4;
    }
    if (!stacked) y += Math.max(...heights);
    layout.rows.push({ y: top, height: y - top });
    y += GAP;
  };
  rows.forEach(({ a, b }, row) =>
    add(row, [a && roundLines(a, letters), b && roundLines(b, letters)]),
  );
  add(rows.length, [endLines(0, letters), endLines(1, letters)]);
  layout.height = y;
  return layout;
}
