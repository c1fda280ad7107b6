import type { Interval } from '../../../evaluate/bootstrap.ts';
import { NO_INTERVAL, type PairedDifference } from '../../../evaluate/paired-difference.ts';
import type { Measure } from '../../../evaluate/systems/table/measures.ts';
import type { Difference, TableCell, TableRow } from '../../../evaluate/systems/table/shape.ts';
import { DASH, formatNumber, formatSeconds, formatShare, plural } from '../../kit/words/format.ts';

/** Number formats of the table, and its sort order. */

/** With a true minus sign, and no minus for zero. */
const fixed = (value: number, digits: number): string =>
  value
    .toFixed(digits)
    .replaceAll('-', '−')
    .replace(/^−(0(?:\.0+)?)$/, '$1');

/** A mean: a share in percent, seconds, or a count. */
export const valueWords = (value: number | null, { unit }: Measure): string =>
  value === null
    ? DASH
    : unit === 'share'
      ? formatShare(value)
      : unit === 'seconds'
        ? formatSeconds(value)
        : formatNumber(value);

/** Digits needed to distinguish the ends of an interval. */
const digitsOf = (size: number): number => (size >= 100 ? 0 : size >= 10 ? 1 : 2);

/** “58.1 to 68.7”: in the unit of the mean. */
export const intervalWords = (
  { low, high }: Pick<Interval, 'low' | 'high'>,
  { unit }: Measure,
): string => {
  const scale = unit === 'share' ? 100 : 1;
  const digits = unit === 'share' ? 1 : digitsOf(Math.abs(high));
  return `${fixed(scale * low, digits)} to ${fixed(scale * high, digits)}`;
};

/** The same for a difference; a dash without one, explained by `endsTitle`. */
export const endsWords = (difference: PairedDifference, measure: Measure): string =>
  difference.low === null ? DASH : intervalWords(difference, measure);

export const endsTitle = (difference: PairedDifference | null | undefined): string | undefined =>
  difference?.low === null ? NO_INTERVAL : undefined;

/** “+3.2”, in points for shares. */
export const differenceWords = ({ mean }: Pick<Interval, 'mean'>, { unit }: Measure): string => {
  const value = unit === 'share' ? 100 * mean : mean;
  const text = fixed(value, unit === 'share' ? 1 : digitsOf(Math.abs(value)));
  return text.startsWith('−') || Number(text) === 0 ? text : `+${text}`;
};

/** “p < 0.001”; after Holm’s correction. */
export const chanceWords = ({ adjusted }: Difference): string =>
  adjusted < 0.001 ? 'p < 0.001' : `p ${fixed(adjusted, 3)}`;

/** Significant at 5 % after the correction. */
export const isSignificant = ({ adjusted }: Difference): boolean => adjusted < 0.05;

/** The mark of a cell, and its text for screen readers. */
export const MARK_WORDS: Record<NonNullable<TableCell['mark']>, { sign: string; words: string }> = {
  best: { sign: '★', words: 'best' },
  'not-worse': { sign: '≈', words: 'not significantly worse than the best' },
};

/** The content of a cell, for screen readers and as tooltip. */
export const cellWords = (cell: TableCell, measure: Measure): string => {
  if (!cell.value) return `${measure.title}: not measured`;
  const { difference, mark } = cell;
  return [
    `${measure.title} ${valueWords(cell.value.mean, measure)}, 95 % from ${intervalWords(cell.value, measure)}, over ${plural(cell.n, 'question')}`,
    ...(mark ? [MARK_WORDS[mark].words] : []),
    ...(difference
      ? [
          `difference ${differenceWords(difference, measure)} (${difference.low === null ? NO_INTERVAL : `95 % from ${intervalWords(difference, measure)}`}) over ${plural(difference.n, 'question')}, ${chanceWords(difference)} after Holm’s correction`,
        ]
      : []),
  ].join('; ');
};

/** "8 questions"; "6 of 8 questions", and where systems differ "5 to 6 of 8 questions". */
export const countWords = (counts: readonly number[], all: number): string => {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0 || least === all) return plural(all, 'question');
  return `${least === most ? least : `${least} to ${most}`} of ${plural(all, 'question')}`;
};

/** Rows by a column; rows without the number are last in both directions. */
export const sortRows = <Row extends TableRow>(
  rows: readonly Row[],
  sort: { measure: string; descending: boolean } | null,
): readonly Row[] => {
  if (!sort) return rows;
  const valueOf = (row: TableRow): number | null =>
    row.cells.find(({ measure }) => measure === sort.measure)?.value?.mean ?? null;
  return rows.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sort.descending ? y - x : x - y;
  });
};

/** Rounded up to one digit, so that bars are not redrawn with every rollout. */
const roundedUp = (value: number): number => {
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / unit) * unit;
};

/** The range of a column's bars: 0 to 1 for shares, 0 to slightly above the maximum for costs. */
export const scaleOf = (rows: readonly TableRow[], { id, unit }: Measure): number =>
  unit === 'share'
    ? 1
    : roundedUp(
        Math.max(
          1e-9,
          ...rows.map(({ cells }) => cells.find(({ measure }) => measure === id)?.value?.high ?? 0),
        ),
      );
