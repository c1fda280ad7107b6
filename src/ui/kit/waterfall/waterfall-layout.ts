import type { RolloutTimes, TimeSpan } from '../../../evaluate/rollouts/times.ts';
import { linearAxis, type Axis } from '../charts/axis.ts';

/** A row per span of time; bars begin at their start time. CSS pixels. */

/** The drawing at one width. */
export interface WaterfallLayout {
  /** Seconds. */
  axis: Axis;
  height: number;
  /** Start of the bars; names are to the left. */
  left: number;
  /** Width of the total time. */
  room: number;
  rows: { span: TimeSpan; y: number; x: number; width: number }[];
}

/** Height of a row, CSS pixels. */
export const ROW = 20;
const NAME = 232;
/** Durations are to the right of the bars. */
const AFTER = 56;
const FOOT = 20;
/** Minimum visible width. */
const LEAST = 2;

/** @param width of the page’s column */
export function waterfallLayout({ spans, totalMs }: RolloutTimes, width: number): WaterfallLayout {
  // On a narrow screen names are above their bars.
  const left = width < 620 ? 0 : NAME;
  const step = left === 0 ? 2 * ROW - 4 : ROW;
  const room = Math.max(60, width - left - AFTER);
  const axis = linearAxis(0, totalMs / 1000, 4);
  const scale = (ms: number): number => (ms / 1000 / axis.high) * room;
  return {
    axis,
    height: spans.length * step + FOOT,
    left,
    room,
    rows: spans.map((span, i) => ({
      span,
      y: i * step,
      x: left + scale(span.start),
      width: Math.max(LEAST, scale(span.ms)),
    })),
  };
}
