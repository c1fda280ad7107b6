import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { ImportedSegment } from '../../../../formats/rollouts/index.ts';
import type { TokenTable } from '../../../../evaluate/inspect/reading/index.ts';
import { readPalette, type Palette } from '../../../kit/tokens/paint.ts';
import { paintToken, scaleOf, type TokenColour } from './token-paint.ts';

/** All tokens as cells of one height; only the rows on the screen are drawn. */

const CELL = 8;
const ROW = 16;

export interface TokenRange {
  from: number;
  to: number;
}

interface TokenCanvasProps {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  by: TokenColour;
  cursor: number | null;
  range: TokenRange | null;
  label: string;
  /** What the token under the cursor is, in words. */
  words: string;
  onCursor: (at: number | null) => void;
  onRange?: (range: TokenRange | null) => void;
  /** CSS pixels of the tallest window onto the strip. */
  tallest?: number;
}

interface Drawing extends Pick<TokenCanvasProps, 'table' | 'segments' | 'by' | 'cursor' | 'range'> {
  width: number;
  height: number;
  top: number;
  columns: number;
  scheme: string;
}

/** Reading the style sheet's variables costs a style pass; once a theme is enough. */
const palettes = new Map<string, Palette>();

const paletteOf = (element: Element, scheme: string): Palette => {
  const known = palettes.get(scheme) ?? readPalette(element);
  palettes.set(scheme, known);
  return known;
};

const hatch = (context: CanvasRenderingContext2D, x: number, y: number, h: number): void => {
  context.beginPath();
  for (let from = y + h; from > y - CELL; from -= 5) {
    const [low, high] = [Math.min(y + h, from), Math.max(y, from - CELL)];
    if (low <= high) continue;
    context.moveTo(x + (from - low), low);
    context.lineTo(x + (from - high), high);
  }
  context.stroke();
};

const draw = (canvas: HTMLCanvasElement, drawing: Drawing): void => {
  const { table, segments, by, cursor, range, width, height, top, columns, scheme } = drawing;
  const context = canvas.getContext('2d');
  if (!context) return;
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  const palette = paletteOf(canvas, scheme);
  const measure = scaleOf(table, by);
  const full = ROW - 3;
  const first = Math.floor(top / ROW) * columns;
  const last = Math.min(table.count, (Math.ceil((top + height) / ROW) + 1) * columns);
  context.strokeStyle = palette.hatch;
  for (let at = first; at < last; at++) {
    const x = (at % columns) * CELL;
    const y = Math.floor(at / columns) * ROW - top;
    const cell = paintToken(table, segments, at, by, measure);
    const h = Math.max(2, full * cell.height);
    const from = cell.hangs ? y : y + full - h;
    if (range && at >= range.from && at <= range.to) {
      context.globalAlpha = 0.22;
      context.fillStyle = palette.mark;
      context.fillRect(x - 0.5, y - 1, CELL, ROW);
    }
    context.globalAlpha = cell.strength;
    context.fillStyle = palette[cell.colour];
    context.fillRect(x, from, CELL - 1, h);
    if (cell.hatched) hatch(context, x, from, h);
    if (at !== cursor) continue;
    context.globalAlpha = 1;
    context.fillStyle = palette.mark;
    context.fillRect(x - 0.5, y + full, CELL, 3);
  }
  context.globalAlpha = 1;
};

const moved = (key: string, at: number, count: number, columns: number, page: number) => {
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    PageDown: at + columns * page,
    PageUp: at - columns * page,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
};

export const TokenCanvas = (props: TokenCanvasProps) => {
  const { table, segments, by, cursor, range, onCursor, onRange, tallest = 420 } = props;
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const frame = useRef(0);
  const anchor = useRef<number | null>(null);
  const [top, setTop] = useState(0);
  const columns = Math.max(1, Math.floor((width || 320) / CELL));
  const rows = Math.max(1, Math.ceil(table.count / columns));
  const window = Math.min(tallest, rows * ROW + 2);

  useEffect(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (canvas.current && width > 0)
        draw(canvas.current, {
          table,
          segments,
          by,
          cursor,
          range,
          width,
          height: window,
          top,
          columns,
          scheme,
        });
    });
    return () => cancelAnimationFrame(frame.current);
  }, [table, segments, by, cursor, range, width, window, top, columns, scheme]);

  const start = range?.from ?? null;
  useEffect(() => {
    // A permalink's tokens are brought into view, once the width is known.
    const element = scroller.current;
    if (start === null || width === 0 || !element) return;
    const y = Math.floor(start / columns) * ROW;
    if (y < element.scrollTop || y > element.scrollTop + window - ROW)
      element.scrollTop = Math.max(0, y - window / 3);
  }, [start, width, columns, window]);

  const show = (at: number) => {
    const element = scroller.current;
    if (!element) return;
    const y = Math.floor(at / columns) * ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    if (y + ROW > element.scrollTop + window) element.scrollTop = y + ROW - window;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && range) {
      event.stopPropagation();
      return onRange?.(null);
    }
    const next = moved(event.key, cursor ?? -1, table.count, columns, Math.floor(window / ROW));
    if (next === null || table.count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) {
      anchor.current ??= cursor ?? next;
      onRange?.({ from: Math.min(anchor.current, next), to: Math.max(anchor.current, next) });
    } else anchor.current = null;
    onCursor(next);
    show(next);
  };
  const under = (event: PointerEvent): number | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / CELL);
    const row = Math.floor((event.clientY - box.top) / ROW);
    const at = row * columns + column;
    return column >= 0 && column < columns && row >= 0 && at < table.count ? at : null;
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = under(event);
    onCursor(at);
    if (event.buttons !== 1 || at === null || anchor.current === null) return;
    if (at !== anchor.current)
      onRange?.({ from: Math.min(anchor.current, at), to: Math.max(anchor.current, at) });
  };
  return (
    <div className="token-box" ref={ref}>
      <div
        className="token-scroll"
        ref={scroller}
        style={{ height: window }}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, table.count - 1)}
        aria-valuenow={cursor ?? 0}
        aria-valuetext={props.words}
        data-scheme={scheme}
        onKeyDown={onKeyDown}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div
          className="token-sheet"
          style={{ height: rows * ROW }}
          onPointerMove={onPointerMove}
          onPointerLeave={() => onCursor(null)}
          onPointerDown={(event) => {
            const at = under(event);
            anchor.current = at;
            if (at !== null) onRange?.({ from: at, to: at });
          }}
          onPointerUp={() => {
            anchor.current = null;
          }}
        >
          <canvas ref={canvas} style={{ width: '100%', height: window }} />
        </div>
      </div>
    </div>
  );
};
