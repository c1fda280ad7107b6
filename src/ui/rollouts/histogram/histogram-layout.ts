import type { Histogram } from '../../../evaluate/rollouts/histogram.ts';
import { linearAxis, type Axis } from '../../kit/charts/axis.ts';
import { shareIn } from './histogram-words.ts';

/** Two bars per bin, in CSS pixels: filtered rollouts, and the whole file; heights are shares of each. */

/** The drawing at a width, CSS pixels. */
export interface HistogramLayout {
  axis: Axis;
  height: number;
  /** Shares are to the left. */
  left: number;
  top: number;
  foot: number;
  bins: { x: number; width: number; shown: number; all: number }[];
  /** Positions of labels: bins with one value are labelled in the middle, others at their boundaries. */
  labels: { x: number; value: number; anchor: 'start' | 'middle' | 'end' }[];
}

const LEFT = 38;
const TOP = 8;
const BARS = 110;
const FOOT = 20;
/** Width of a label. */
const LABEL = 40;

/** Both series on one scale of shares, so that their shapes are comparable. */
export function histogramLayout(histogram: Histogram, width: number): HistogramLayout {
  const { bins, all, shown } = histogram;
  const room = Math.max(40, width - LEFT - 4);
  const each = room / Math.max(1, bins.length);
  const shares = bins.map((bin) => ({
    shown: shareIn(bin.shown, shown.known) ?? 0,
    all: shareIn(bin.all, all.known) ?? 0,
  }));
  const most = Math.max(0.01, ...shares.flatMap((share) => [share.shown, share.all]));
  const axis = linearAxis(0, most, 2);
  const scale = (share: number): number => (share / axis.high) * BARS;
  // As many labels as fit.
  const every = Math.max(1, Math.ceil(LABEL / each));
  const edges = bins.flatMap(({ from, to }, i) =>
    to !== null && i === bins.length - 1 ? [from, to] : [from],
  );
  const single = bins.every(({ to }) => to === null);
  return {
    axis,
    height: TOP + BARS + FOOT,
    left: LEFT,
    top: TOP,
    foot: TOP + BARS,
    bins: shares.map((share, i) => ({
      x: LEFT + i * each,
      width: each,
      // At least one pixel if not empty.
      shown: share.shown === 0 ? 0 : Math.max(1.5, scale(share.shown)),
      all: share.all === 0 ? 0 : Math.max(1.5, scale(share.all)),
    })),
    labels: edges.flatMap((value, i) =>
      i % every === 0
        ? [
            {
              x: LEFT + (single ? i + 0.5 : i) * each,
              value,
              anchor: i === bins.length ? ('end' as const) : ('middle' as const),
            },
          ]
        : [],
    ),
  };
}
