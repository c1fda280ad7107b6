import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import { moveInGrid } from '../../../kit/tokens/layout.ts';
import { LARGE_CELLS, paintCells, sizedContext } from '../../../kit/tokens/paint-cells.ts';
import { paletteOf } from '../../../kit/tokens/palette.ts';
import { paintToken, scaleOf, type TokenColour } from './token-paint.ts';

/** Every token of a rollout as a cell of a canvas, whose paint only the visible rows need. */

const { width: CELL, row: ROW } = LARGE_CELLS;

/** 0-based token indices; both ends included. */
export interface TokenRange {
  from: number;
  to: number;
}

interface TokenCanvasProps {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  by: TokenColour;
  /** Token at the pointer or cursor; owned by the parent view. */
  cursor: number | null;
  range: TokenRange | null;
  label: string;
  /** The token under the cursor, as text. */
  words: string;
  onCursor: (at: number | null) => void;
  onRange?: (range: TokenRange | null) => void;
  /** Tokens visible in the text view; underlined. */
  seen?: TokenRange | null;
  /** A token was clicked or reached by keys: the text view should scroll to it. */
  onReveal?: (at: number) => void;
  /** Greatest height in CSS pixels; a strip with more rows scrolls. */
  tallest?: number;
}

interface Drawing extends Pick<TokenCanvasProps, 'table' | 'segments' | 'by' | 'cursor' | 'range'> {
  seen: TokenRange | null;
  /** Canvas size and scroll offset, CSS pixels. */
  width: number;
  height: number;
  top: number;
  /** Cells in a row. */
  columns: number;
  /** Light or dark. */
  scheme: string;
}

const draw = (canvas: HTMLCanvasElement, drawing: Drawing): void => {
  const { table, segments, by, cursor, range, seen, width, height, top, columns, scheme } = drawing;
  const context = sizedContext(canvas, width, height);
  if (!context) return;
  const scale = scaleOf(table, by);
  paintCells(context, {
    size: LARGE_CELLS,
    columns,
    from: Math.floor(top / ROW) * columns,
    to: Math.min(table.count, (Math.ceil((top + height) / ROW) + 1) * columns),
    top,
    palette: paletteOf(canvas, scheme),
    cellAt: (at) => paintToken(table, segments, at, by, scale),
    cursor,
    range,
    seen,
  });
};

/**
 * The strip of all tokens. Arrow keys and pointer move the cursor; dragging, or Shift with keys,
 * selects a range.
 */
export const TokenCanvas = (props: TokenCanvasProps) => {
  const { table, segments, by, cursor, range, onCursor, onRange, onReveal, tallest = 420 } = props;
  const seen = props.seen ?? null;
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
          seen,
          width,
          height: window,
          top,
          columns,
          scheme,
        });
    });
    return () => cancelAnimationFrame(frame.current);
  }, [table, segments, by, cursor, range, seen, width, window, top, columns, scheme]);

  const start = range?.from ?? null;
  useEffect(() => {
    // Scrolls to the range of a permalink, once the width is known.
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
    const page = Math.floor(window / ROW);
    const next = moveInGrid(event.key, cursor ?? -1, table.count, columns, page);
    if (next === null || table.count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) {
      anchor.current ??= cursor ?? next;
      onRange?.({ from: Math.min(anchor.current, next), to: Math.max(anchor.current, next) });
    } else anchor.current = null;
    onCursor(next);
    onReveal?.(next);
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
            if (at === null) return;
            onRange?.({ from: at, to: at });
            onReveal?.(at);
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
