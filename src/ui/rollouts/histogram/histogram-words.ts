import type { HistogramBin } from '../../../evaluate/rollouts/histogram.ts';
import { isRowNumber, rowNumber } from '../../../evaluate/rollouts/row-numbers.ts';
import { formatCount, formatNumber, formatShare } from '../../kit/words/format.ts';
import { columnOf } from '../table/columns.ts';

/** Name of a number; answer metrics include their normaliser. */
export const numberTitle = (column: string): string => {
  const { title } = columnOf(column);
  return /^(?:em|f1|cover-em|sub-em)$/.test(column) ? `${title} (SQuAD)` : title;
};

/** "0.2 to 0.3"; a single value: "1". */
export const rangeWords = ({ from, to }: Pick<HistogramBin, 'from' | 'to'>): string =>
  to === null ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to)}`;

/** Share of a series in a bin; null for an empty series. */
export const shareIn = (count: number, known: number): number | null =>
  known === 0 ? null : count / known;

/** "0.2 to 0.3: 4 of 12 that pass, 33.3 %; 10 of 40 in the file, 25.0 %" */
export const binWords = (
  bin: Pick<HistogramBin, 'from' | 'to' | 'all' | 'shown'>,
  known: { all: number; shown: number },
): string =>
  `${rangeWords(bin)}: ${formatCount(bin.shown)} of ${formatCount(known.shown)} that pass, ${formatShare(shareIn(bin.shown, known.shown))}; ${formatCount(bin.all)} of ${formatCount(known.all)} in the file, ${formatShare(shareIn(bin.all, known.all))}`;

/** Why a record lacks the number. */
export const unknownReason = (column: string): string =>
  isRowNumber(column) ? rowNumber(column).unknown : 'their reward has no such clause';
