import { memo } from 'react';
import type { Measure } from '../../../evaluate/systems/table/measures.ts';
import type { TableCell } from '../../../evaluate/systems/table/shape.ts';
import { DASH } from '../../kit/words/format.ts';
import {
  cellWords,
  chanceWords,
  differenceWords,
  intervalWords,
  isSignificant,
  MARK_WORDS,
  valueWords,
} from './cell-words.ts';

/** The interval as a bar over the column's range, with the mean as a line. */
const IntervalBar = ({ cell, most }: { cell: TableCell; most: number }) => {
  if (!cell.value) return null;
  const at = (value: number): number => 100 * Math.max(0, Math.min(1, value / most));
  const { low, high, mean } = cell.value;
  return (
    <span className="interval" aria-hidden="true">
      <span style={{ left: `${at(low)}%`, width: `${Math.max(1, at(high) - at(low))}%` }} />
      <b style={{ left: `${at(mean)}%` }} />
    </span>
  );
};

/** The paired difference from the reference row with its p; empty in that row. */
const Compared = ({ cell, measure }: { cell: TableCell; measure: Measure }) => {
  const { difference } = cell;
  if (!difference) return null;
  return (
    <span className={isSignificant(difference) ? 'cell-difference strong' : 'cell-difference'}>
      {differenceWords(difference, measure)}
      {isSignificant(difference) ? '*' : ''} <span className="fine">{chanceWords(difference)}</span>
    </span>
  );
};

interface MeasureCellProps {
  cell: TableCell;
  measure: Measure;
  /** Right end of the bars. */
  most: number;
  /** Whether the difference from the reference row is shown. */
  compared: boolean;
}

/** A mean with its interval as text and bar, and its difference from the reference row. */
export const MeasureCell = memo(({ cell, measure, most, compared }: MeasureCellProps) => (
  <td className="figure measure" title={cellWords(cell, measure)}>
    {cell.value ? (
      <>
        <span className={cell.mark === 'best' ? 'cell-value best' : 'cell-value'}>
          {cell.mark ? (
            <span className="cell-mark" role="img" aria-label={MARK_WORDS[cell.mark].words}>
              {MARK_WORDS[cell.mark].sign}
            </span>
          ) : null}{' '}
          {valueWords(cell.value.mean, measure)}
        </span>
        <IntervalBar cell={cell} most={most} />
        <span className="cell-interval">{intervalWords(cell.value, measure)}</span>
        {compared ? <Compared cell={cell} measure={measure} /> : null}
      </>
    ) : (
      DASH
    )}
  </td>
));
