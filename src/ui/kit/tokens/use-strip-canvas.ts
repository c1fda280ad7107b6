import { useEffect, useRef, useState, type RefObject } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { createPaintQueue } from '../page/paint-queue.ts';
import type { StripGrid } from './layout.ts';
import { paintStrip, readPalette, type ColourMode, type Palette } from './paint.ts';

const queue = createPaintQueue(
  (run) => requestAnimationFrame(run),
  () => performance.now(),
);

/** Reading the style sheet's variables costs a style pass; once a theme is enough. */
const palettes = new Map<string, Palette>();
const paletteOf = (element: Element, scheme: string): Palette => {
  const known = palettes.get(scheme);
  if (known) return known;
  const palette = readPalette(element);
  palettes.set(scheme, palette);
  return palette;
};

/** Whether the element is on the screen, or near it. */
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

/** A canvas that shows the drawing, drawn only while it is on the screen. */
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

const draw = (element: HTMLCanvasElement, { width, scheme, ...drawing }: StripDrawing): void => {
  const context = element.getContext('2d');
  if (!context) return;
  const scale = globalThis.devicePixelRatio || 1;
  element.width = Math.round(width * scale);
  element.height = Math.round(drawing.grid.rows * drawing.grid.rowHeight * scale);
  context.scale(scale, scale);
  paintStrip(context, drawing.rollout, { ...drawing, palette: paletteOf(element, scheme) });
};
