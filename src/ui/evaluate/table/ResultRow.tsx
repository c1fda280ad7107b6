import { memo } from 'react';
import { MEASURES, type Measure } from '../../../evaluate/systems/table/measures.ts';
import type { TableRow, TableCell } from '../../../evaluate/systems/table/shape.ts';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { formatCount, plural, DASH } from '../../kit/words/format.ts';
import {
  cellWords,
  chanceWords,
  differenceWords,
  intervalWords,
  isSignificant,
  MARK_WORDS,
  valueWords,
} from './cell-words.ts';

/** Title; policy and retrieval if they vary; numbers of questions and failures. */
const SystemName = ({ row, system }: { row: TableRow; system: EvaluatedSystem | undefined }) => (
  <>
    <span className="strong">{system?.title ?? row.system}</span>
    <span className="fine system-under">
      {[system?.policy, system?.retrieval].filter(Boolean).join(' · ')}
    </span>
    <span className="fine system-under">
      {plural(row.questions, 'question')}, {plural(row.rollouts, 'rollout')}
      {row.failed > 0 ? (
        <span className="tone-bad"> · ⚠ {formatCount(row.failed)} failed</span>
      ) : null}
    </span>
  </>
);

/** A published number: another benchmark, another model. */
const Published = ({ system }: { system: EvaluatedSystem | undefined }) => (
  <td className="published">
    {system?.published ? (
      <>
        {system.published.figure}
        <span className="fine system-under">
          {system.published.benchmark}, {system.published.model}
        </span>
      </>
    ) : (
      <span className="fine">none</span>
    )}
  </td>
);

interface ResultRowProps {
  row: TableRow;
  system: EvaluatedSystem | undefined;
  /** JSON of the columns: [measure, right end of its bars] each. */
  columns: string;
  /** Which table it belongs to. */
  part: string;
  isReference: boolean;
  /** Whether differences from the reference row are shown. */
  compared: boolean;
  onReference: (system: string) => void;
}

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
const MeasureCell = memo(({ cell, measure, most, compared }: MeasureCellProps) => (
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

/** One system of a table; rendered only when it changes. */
export const ResultRow = memo((props: ResultRowProps) => {
  const { row, system, isReference } = props;
  const name = system?.title ?? row.system;
  // JSON compares equal if nothing changed; a new list would re-render all rows.
  const columns = (JSON.parse(props.columns) as [Measure['id'], number][]).flatMap(([id, most]) => {
    const measure = MEASURES.find((one) => one.id === id);
    return measure ? [{ measure, most }] : [];
  });
  return (
    <tr className={isReference ? 'chosen' : ''}>
      <th scope="row">
        <label className="reference-choice">
          <input
            type="radio"
            name={`reference-${props.part}`}
            aria-label={`Compare the others with ${name}`}
            title="Compare the others with this row"
            checked={isReference}
            onChange={() => props.onReference(row.system)}
          />
          <span>
            <SystemName row={row} system={system} />
          </span>
        </label>
      </th>
      {columns.map(({ measure, most }) => {
        const cell = row.cells.find((one) => one.measure === measure.id);
        return cell ? (
          <MeasureCell
            key={measure.id}
            cell={cell}
            measure={measure}
            most={most}
            compared={props.compared}
          />
        ) : (
          <td key={measure.id} />
        );
      })}
      <Published system={system} />
    </tr>
  );
});
