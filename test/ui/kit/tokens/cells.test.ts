import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cellAt,
  moveInGrid,
  stripGrid,
  tokenAt,
  tokensUpTo,
} from '../../../../src/ui/kit/tokens/layout.ts';
import { cellsOf, paintOf } from '../../../../src/ui/kit/tokens/paint.ts';
import {
  LARGE_CELLS,
  paintCells,
  SMALL_CELLS,
  UNKNOWN,
  type CellDrawing,
  type CellPaint,
} from '../../../../src/ui/kit/tokens/paint-cells.ts';
import type { Palette } from '../../../../src/ui/kit/tokens/palette.ts';
import { visible } from '../../../../src/ui/kit/tokens/pieces.ts';
import { emptyRollout, policySegment, readSegment, search } from '../../../fixtures/rollouts.ts';

const palette = Object.fromEntries(
  ['prompt', 'policy', 'environment', 'hint', 'hatch', 'mark', 'gain', 'loss', 'idle'].map(
    (name) => [name, name],
  ),
) as Palette;

interface Rect {
  colour: string;
  alpha: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A canvas that writes down what is drawn on it. */
const canvas = () => {
  const rects: Rect[] = [];
  const strokes: [x: number, y: number][] = [];
  const context = {
    fillStyle: '',
    strokeStyle: '',
    globalAlpha: 1,
    lineWidth: 0,
    beginPath: () => undefined,
    moveTo: (x: number, y: number) => void strokes.push([x, y]),
    lineTo: () => undefined,
    stroke: () => undefined,
    fillRect: (x: number, y: number, width: number, height: number) =>
      void rects.push({
        colour: context.fillStyle,
        alpha: context.globalAlpha,
        x,
        y,
        width,
        height,
      }),
  };
  return { context: context as unknown as CanvasRenderingContext2D, rects, strokes };
};

const full: CellPaint = { colour: 'policy', strength: 1, height: 1, hangs: false, hatched: false };

const draw = (cells: CellPaint[], rest: Partial<CellDrawing> = {}) => {
  const on = canvas();
  paintCells(on.context, {
    size: SMALL_CELLS,
    columns: 4,
    from: 0,
    to: cells.length,
    top: 0,
    palette,
    cellAt: (at) => cells[at] ?? UNKNOWN,
    cursor: null,
    ...rest,
  });
  return on;
};

describe('the painter of cells', () => {
  it('lays them out in rows, a gap between them', () => {
    const { rects } = draw(Array.from({ length: 6 }, () => full));
    expect(rects.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [5, 0],
      [10, 0],
      [15, 0],
      [0, 12],
      [5, 12],
    ]);
    expect(rects[0]).toMatchObject({ colour: 'policy', alpha: 1, width: 4, height: 10 });
  });

  it('draws a cell from the bottom of its row, or hangs it from the top', () => {
    const half = { ...full, height: 0.5 };
    expect(draw([half]).rects[0]).toMatchObject({ y: 5, height: 5 });
    expect(draw([{ ...half, hangs: true }]).rects[0]).toMatchObject({ y: 0, height: 5 });
    // Nearly nothing is still seen in the large cells.
    expect(draw([{ ...full, height: 0 }], { size: LARGE_CELLS }).rects[0]?.height).toBe(2);
  });

  it('hatches what the loss leaves out, within the cell', () => {
    expect(draw([full]).strokes).toEqual([]);
    const { strokes } = draw([full, { ...full, hatched: true }], { size: LARGE_CELLS });
    expect(strokes.length).toBeGreaterThan(1);
    for (const [x, y] of strokes) {
      expect(x >= 8 && x <= 16).toBe(true);
      expect(y >= 0 && y <= 16).toBe(true);
    }
  });

  it('marks the cursor below its cell, and shades a chosen range behind', () => {
    const { rects } = draw([full, full, full], { cursor: 1, range: { from: 1, to: 2 } });
    expect(rects.map(({ colour, x, y }) => [colour, x, y])).toEqual([
      ['policy', 0, 0],
      ['mark', 5, -1],
      ['policy', 5, 0],
      ['mark', 5, 10],
      ['mark', 10, -1],
      ['policy', 10, 0],
    ]);
    expect(rects[1]?.alpha).toBe(0.22);
  });

  it('draws only what is in sight, moved up by what is scrolled away', () => {
    const cells = Array.from({ length: 12 }, () => full);
    const { rects } = draw(cells, { from: 4, to: 8, top: 12 });
    expect(rects.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [5, 0],
      [10, 0],
      [15, 0],
    ]);
  });
});

describe('the cells of a rollout', () => {
  const rollout = { segments: [readSegment([5], 'question'), policySegment([0, 1])] };

  it('are as high as their tokens were probable; what was only read is full and hatched', () => {
    const cells = [...cellsOf(rollout, { by: 'writer' }, 99)];
    expect(cells.map(({ colour, hatched }) => [colour, hatched])).toEqual([
      ['prompt', true],
      ['policy', false],
      ['policy', false],
    ]);
    // The fixture's token 0 has log-probability 0, token 1 has −1.
    expect(cells.map(({ height }) => Number(height.toFixed(4)))).toEqual([1, 1, 0.5575]);
  });

  it('are pale from where playback has not come', () => {
    const strengths = [...cellsOf(rollout, { by: 'writer' }, 2)].map(({ strength }) => strength);
    expect(strengths).toEqual([1, 1, 0.22]);
  });

  it('by advantage are as strong as it is beside the largest of the group', () => {
    const policy = { source: 'policy', role: 'think', mask: 1 } as const;
    const paint = (advantage: number, largest: number) =>
      paintOf(policy, { by: 'advantage', advantage, largest });
    expect(paint(0, 2)).toMatchObject({ colour: 'idle', hangs: false });
    expect(paint(1, 2).strength).toBeCloseTo(0.675, 9);
    // No larger than the largest, whatever is told to be the largest.
    expect(paint(-4, 2)).toMatchObject({ colour: 'loss', hangs: true, strength: 1 });
    expect(paint(1, 0).strength).toBe(1);
  });
});

describe('a place in the strip', () => {
  it('is found again: every token has one cell, and every cell one token', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 400 }),
        (count, width) => {
          const grid = stripGrid(count, width);
          expect(grid.columns * grid.rows).toBeGreaterThanOrEqual(count);
          for (let at = 0; at < count; at++) {
            const x = (at % grid.columns) * grid.cell;
            const y = Math.floor(at / grid.columns) * grid.rowHeight;
            expect(cellAt(grid, x, y, count)).toBe(at);
            expect(cellAt(grid, x + grid.cell - 1, y + grid.rowHeight - 1, count)).toBe(at);
          }
          expect(cellAt(grid, -1, 0, count)).toBeNull();
          expect(cellAt(grid, 0, grid.rows * grid.rowHeight, count)).toBeNull();
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    ['ArrowRight', 5, 6],
    ['ArrowLeft', 5, 4],
    ['ArrowDown', 5, 9],
    ['ArrowUp', 5, 1],
    ['Home', 5, 0],
    ['End', 5, 19],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 19, 19],
    ['ArrowUp', 2, 0],
    ['ArrowDown', 18, 19],
    ['ArrowRight', -1, 0],
    ['a', 5, null],
    ['PageDown', 5, null],
  ])('%s from %i goes to %s', (key, at, wanted) => {
    expect(moveInGrid(key, at, 20, 4)).toBe(wanted);
  });

  it('goes by pages where the strip has its own', () => {
    expect(moveInGrid('PageDown', 5, 100, 4, 3)).toBe(17);
    expect(moveInGrid('PageUp', 17, 100, 4, 3)).toBe(5);
  });

  it('of an empty rollout holds nothing', () => {
    expect(tokenAt({ segments: [] }, 0)).toBeNull();
    expect(tokenAt({ segments: [readSegment([])] }, 0)).toBeNull();
    expect(tokensUpTo({ ...emptyRollout('a'), events: [search(1)] }, 5)).toBe(0);
  });
});

it.each([
  [' a b', '␣a␣b'],
  ['\n\t', '⏎⇥'],
  ['', '∅'],
])('shows the blanks of %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});
