import { memo } from 'react';
import { MEASURES, type Measure } from '../../../evaluate/systems/table/measures.ts';
import type { TableRow } from '../../../evaluate/systems/table/shape.ts';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { MeasureCell } from './TableCells.tsx';

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
