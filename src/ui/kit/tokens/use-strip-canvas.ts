import { useEffect, useRef, useState, type RefObject } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { createPaintQueue } from '../page/paint-queue.ts';
import type { StripGrid } from './layout.ts';
import { cellsOf, type ColourMode } from './paint.ts';
import { paintCells, sizedContext, SMALL_CELLS, UNKNOWN } from './paint-cells.ts';
import { paletteOf } from './palette.ts';

const queue = createPaintQueue(
  (run) => requestAnimationFrame(run),
  () => performance.now(),
);

/** Whether the element is on or near the screen. */
const useOnScreen = (element: RefObject<Element | null>): boolean => {
  const [on, setOn] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => setOn(entry?.isIntersecting ?? false), {
      rootMargin: '200px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return on;
};

/** Dependencies of a strip's drawing. */
export interface StripDrawing {
  rollout: Pick<Rollout, 'segments'>;
  grid: StripGrid;
  /** CSS pixels. */
  width: number;
  until: number;
  cursor: number | null;
  scheme: string;
  mode: ColourMode;
}

/** A canvas that is only drawn while on the screen. */
export const useStripCanvas = (drawing: StripDrawing): RefObject<HTMLCanvasElement | null> => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const visible = useOnScreen(canvas);
  useEffect(() => {
    const element = canvas.current;
    if (!element || !visible || drawing.width === 0) return undefined;
    queue.add(element, () => draw(element, drawing));
    return undefined;
  });
  useEffect(() => {
    const element = canvas.current;
    return () => {
      if (element) queue.drop(element);
    };
  }, []);
  return canvas;
};

const draw = (canvas: HTMLCanvasElement, drawing: StripDrawing): void => {
  const { rollout, grid, width, until, cursor, scheme, mode } = drawing;
  const context = sizedContext(canvas, width, grid.rows * grid.rowHeight);
  if (!context) return;
  const cells = [...cellsOf(rollout, mode, until)];
  paintCells(context, {
    size: SMALL_CELLS,
    columns: grid.columns,
    from: 0,
    to: cells.length,
    top: 0,
    palette: paletteOf(canvas, scheme),
    cellAt: (position) => cells[position] ?? UNKNOWN,
    cursor,
  });
};
