import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import {
  rangeOf,
  type TokenColumn,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import { UNKNOWN, type CellPaint } from '../../../kit/tokens/paint-cells.ts';
import { writerOf } from '../../../kit/tokens/layout.ts';

/** What a token's cell shows: who wrote it, whether it is trained, or one of its numbers. */
export type TokenColour = 'writer' | 'mask' | TokenColumn;

/** Columns whose sign matters: below the middle hangs, above it stands. */
const SIGNED: ReadonlySet<TokenColour> = new Set([
  'advantage',
  'push',
  'ratio',
  'value',
  'tokenReward',
]);

/** How a column's values become heights and strengths. */
export interface TokenScale {
  low: number;
  high: number;
  /** 0 of the scale: 1 for ratios. */
  middle: number | null;
  /** The same for every rollout, and fine near 0: most tokens are nearly certain. */
  curve?: 'nats';
}

/** Information in nats: −log p of a token that was drawn, and entropy. */
const IN_NATS: ReadonlySet<TokenColour> = new Set(['logprob', 'refLogprob', 'entropy']);

/** Nats from which on a cell is as strong as it gets; p = 1 : 22,000. */
const MOST_NATS = 10;
/** Nats below which the scale is nearly linear. */
const FINE_NATS = 0.1;

/**
 * How strong so many nats are shown, 0 to 1: log(1 + |x| / 0.1) / log(1 + 10 / 0.1). 0.1 nat is 0.15,
 * 1 nat 0.52, 3 nats 0.74.
 */
export const shareOfNats = (nats: number): number =>
  Math.min(1, Math.log1p(Math.abs(nats) / FINE_NATS) / Math.log1p(MOST_NATS / FINE_NATS));

/** The same as a strength of colour: what is certain is told from what has no number. */
export const strengthOfNats = (nats: number): number => 0.12 + 0.88 * shareOfNats(nats);

/** Sorting all values of a long trace takes longer than a frame; so many tell the ends as well. */
const MOST_SORTED = 20_000;

/** Values beyond these shares of all are drawn at full height, so that one outlier hides nothing. */
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

/** The scale of a column; made once for each. */
export const scaleOf = (table: TokenTable, by: TokenColour): TokenScale | null => {
  const column = by === 'writer' || by === 'mask' ? undefined : table.columns[by];
  if (!column) return null;
  const scale = scales.get(column) ?? measured(column, by);
  scales.set(column, scale);
  return scale;
};

const clamp = (value: number): number => Math.max(0, Math.min(1, value));

/** A number on its scale: from the middle where it has one, else from the low end. */
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
