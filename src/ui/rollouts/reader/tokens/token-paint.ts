import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import {
  rangeOf,
  type TokenColumn,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import { UNKNOWN, type CellPaint } from '../../../kit/tokens/paint-cells.ts';
import { writerOf } from '../../../kit/tokens/layout.ts';

/** What token colours show: the writer, the loss mask, or a number. */
export type TokenColour = 'writer' | 'mask' | TokenColumn;

/** Columns with a middle (0; for ratios 1): cells above it stand, cells below it hang. */
const SIGNED: ReadonlySet<TokenColour> = new Set([
  'advantage',
  'push',
  'ratio',
  'value',
  'tokenReward',
]);

/** How values map to heights and strengths. */
export interface TokenScale {
  /** In the column's unit. Values beyond are clamped. */
  low: number;
  high: number;
  /** The neutral value, 0 or (ratios) 1; null for columns with one direction. */
  middle: number | null;
  /** A logarithmic scale in nats, equal for all rollouts, with fine resolution near 0, where most tokens are. */
  curve?: 'nats';
}

/** Columns on the scale in nats. */
const IN_NATS: ReadonlySet<TokenColour> = new Set(['logprob', 'refLogprob', 'entropy']);

/** Nats of the strongest colour: a probability of 1 in 22,000. */
const MOST_NATS = 10;
/** The scale is nearly linear below this many nats. */
const FINE_NATS = 0.1;

/**
 * Position of a number of nats on the scale, 0 to 1: log(1 + |x| / 0.1) / log(1 + 10 / 0.1). 0.1 nat
 * is at 0.15, 1 nat at 0.52, 3 nats at 0.74.
 */
export const shareOfNats = (nats: number): number =>
  Math.min(1, Math.log1p(Math.abs(nats) / FINE_NATS) / Math.log1p(MOST_NATS / FINE_NATS));

/** The same as a colour strength, 0.12 to 1: a certain token still differs from one without a number. */
export const strengthOfNats = (nats: number): number => 0.12 + 0.88 * shareOfNats(nats);

/** Most sorted values, evenly sampled: sorting a long trace takes longer than a frame. */
const MOST_SORTED = 20_000;

/** Quantile cut at both ends, so that one outlier does not flatten the rest. */
const CUT = 0.005;

const scales = new WeakMap<Float64Array, TokenScale>();

const measured = (column: Float64Array, by: TokenColour): TokenScale => {
  if (IN_NATS.has(by)) {
    const sign = by === 'entropy' ? 1 : -1;
    return { low: 0, high: sign * MOST_NATS, middle: null, curve: 'nats' };
  }
  const stride = Math.ceil(column.length / MOST_SORTED);
  const known = column.filter((value, i) => i % stride === 0 && Number.isFinite(value)).sort();
  const middle = by === 'ratio' ? 1 : SIGNED.has(by) ? 0 : null;
  if (known.length === 0) return { ...rangeOf(column), middle };
  const cut = Math.floor(known.length * CUT);
  const [low, high] = [known[cut]!, known[known.length - 1 - cut]!];
  const { low: least, high: most } = rangeOf(column);
  return low === high ? { low: least, high: most, middle } : { low, high, middle };
};

/** The cached scale of a column; null for colours that are not numbers, or a missing column. */
export const scaleOf = (table: TokenTable, by: TokenColour): TokenScale | null => {
  const column = by === 'writer' || by === 'mask' ? undefined : table.columns[by];
  if (!column) return null;
  const scale = scales.get(column) ?? measured(column, by);
  scales.set(column, scale);
  return scale;
};

const clamp = (value: number): number => Math.max(0, Math.min(1, value));

/** The cell of a number. Its height is the distance from the middle, or from the low end without one. */
export const cellOf = (value: number, scale: TokenScale): CellPaint => {
  const { low, high, middle } = scale;
  if (!Number.isFinite(value) || value === middle) return UNKNOWN;
  const share =
    scale.curve === 'nats'
      ? shareOfNats(value)
      : middle === null
        ? clamp((value - low) / (high - low || 1))
        : clamp(Math.abs(value - middle) / (Math.max(high - middle, middle - low) || 1));
  const hangs = middle !== null && value < middle;
  return {
    colour: middle === null ? 'policy' : hangs ? 'loss' : 'gain',
    strength: scale.curve ? strengthOfNats(value) : 0.3 + 0.7 * share,
    height: 0.14 + 0.86 * share,
    hangs,
    hatched: false,
  };
};

/** The cell of a token; numbers need the column’s scale, and fall back to the writer. */
export const paintToken = (
  table: TokenTable,
  segments: readonly Pick<ImportedSegment, 'source' | 'role'>[],
  at: number,
  by: TokenColour,
  scale: TokenScale | null,
): CellPaint => {
  const bit = table.mask[at]!;
  if (by === 'mask') {
    const colour = bit === 1 ? 'policy' : 'idle';
    return { colour, strength: 1, height: bit < 0 ? 0.4 : 1, hangs: false, hatched: bit === 0 };
  }
  if (by !== 'writer' && scale) return cellOf(table.columns[by]?.[at] ?? NaN, scale);
  const segment = segments[table.segment[at]!]!;
  const colour = writerOf(segment as Parameters<typeof writerOf>[0]);
  return { colour, strength: 1, height: 1, hangs: false, hatched: bit === 0 };
};
