import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import type { GridCell } from '../../../evaluate/systems/pictures.ts';

/** The grid of systems and questions as shapes: few paths, however many cells. */

/**
 * Cell styles. Right: a filled square, solid with the evidence, with a hole without it, with a slit if
 * the evidence is unknown. Wrong: a frame, a dot or a dash instead. Kinds differ in shape, not only in
 * colour.
 */
export const CELL_KINDS = [
  'right-found',
  'right-unfound',
  'right-unnamed',
  'mixed',
  'wrong-found',
  'wrong-unfound',
  'wrong-unnamed',
  'missing',
] as const;

/** The result of a system on a question over all seeds: answer right, and evidence retrieved. */
export type CellKind = (typeof CELL_KINDS)[number];

const [RIGHT, WRONG] = [rightBy(true, 'em'), rightBy(false, 'em')];

/** The meaning of a cell, in the legend, for screen readers and in the table. */
export const CELL_WORDS: Record<CellKind, string> = {
  'right-found': `${RIGHT}, all evidence retrieved`,
  'right-unfound': `${RIGHT}, evidence missing`,
  'right-unnamed': `${RIGHT}, evidence unknown`,
  mixed: `${RIGHT} with some seeds`,
  'wrong-found': `${WRONG}, all evidence retrieved`,
  'wrong-unfound': `${WRONG}, evidence missing`,
  'wrong-unnamed': `${WRONG}, evidence unknown`,
  missing: 'not run yet, or failed',
};

/** If the question has no known evidence, nothing can be said about it. */
export const kindOf = ({ right, retrieved }: Pick<GridCell, 'right' | 'retrieved'>): CellKind => {
  if (right === null) return 'missing';
  if (right > 0 && right < 1) return 'mixed';
  const evidence = retrieved === null ? 'unnamed' : retrieved ? 'found' : 'unfound';
  return `${right >= 1 ? 'right' : 'wrong'}-${evidence}`;
};

/** SVG path of a cell at (x, y), `size` pixels wide including its gap. */
const shapeOf = (kind: CellKind, x: number, y: number, size: number): string => {
  const side = size - 1;
  const square = (at: number, inner: number): string =>
    `M${x + at} ${y + at}h${inner}v${inner}h${-inner}z`;
  const small = Math.max(1, Math.round(side / 3));
  const middle = Math.floor((side - small) / 2);
  const dash = `M${x} ${y + middle}h${side}v${small}h${-side}z`;
  switch (kind) {
    case 'right-found':
      return square(0, side);
    case 'right-unfound':
      // Evenodd fill makes the hole.
      return side < 4 ? square(0, side) : square(0, side) + square(middle, small);
    case 'right-unnamed':
      return square(0, side) + dash;
    case 'mixed':
      return `M${x} ${y}h${side}l${-side} ${side}z`;
    case 'wrong-found':
      return side < 4
        ? square(0, side)
        : square(0, side) + `M${x + 1} ${y + 1}v${side - 2}h${side - 2}v${-(side - 2)}z`;
    case 'wrong-unfound':
      return square(middle, small);
    case 'wrong-unnamed':
      return dash;
    case 'missing':
      return '';
  }
};

/**
 * One path per kind.
 * @param kinds per system, one kind per question
 * @param column pixels of a question
 * @param row pixels of a system
 */
export const cellPaths = (
  kinds: readonly (readonly CellKind[])[],
  column: number,
  row: number,
): ReadonlyMap<CellKind, string> => {
  const pieces = new Map<CellKind, string[]>(CELL_KINDS.map((kind) => [kind, []]));
  // Always square, because the shape shows the kind.
  const size = Math.min(column, row);
  for (const [at, line] of kinds.entries())
    for (const [index, kind] of line.entries()) {
      // Whole pixels keep edges sharp.
      const x = Math.round(index * column);
      const y = at * row + Math.floor((row - size) / 2);
      pieces.get(kind)?.push(shapeOf(kind, x, y, size));
    }
  return new Map([...pieces].map(([kind, list]) => [kind, list.join('')]));
};
