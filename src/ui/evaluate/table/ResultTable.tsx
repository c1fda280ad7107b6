import { memo, useMemo } from 'react';
import { MEASURES, type Measure } from '../../../evaluate/systems/table/measures.ts';
import { countNotes, isMeasured, missingNotes } from '../../../evaluate/systems/table/notes.ts';
import type { SystemsTable, TableRow } from '../../../evaluate/systems/table/shape.ts';
import type { EvaluatedSystem, SkippedSystem } from '../../../evaluate/systems/result.ts';
import { TermMarks } from '../../kit/words/explain/Term.tsx';
import type { EvaluateAddress } from '../store/evaluate-address.ts';
import { scaleOf, sortRows } from './cell-words.ts';
import { ResultRow } from './ResultRow.tsx';
import { useRowsInTurns } from './rows-in-turns.ts';

interface ResultTableProps {
  table: SystemsTable;
  systems: readonly EvaluatedSystem[];
  /** Rows that did not run, each with its reason; at the end of the table. */
  skipped: readonly SkippedSystem[];
  /** Null: original order. */
  sort: EvaluateAddress['sort'];
  onSort: (sort: EvaluateAddress['sort']) => void;
  onReference: (system: string) => void;
  /** Whether differences from the reference row are shown. */
  compared: boolean;
}

type Sort = EvaluateAddress['sort'];

/** Best first, then worst first, then original order. */
export const nextSort = (sort: Sort, { id, better }: Measure): Sort => {
  const first = better === 'more';
  if (sort?.measure !== id) return { measure: id, descending: first };
  return sort.descending === first ? { measure: id, descending: !first } : null;
};

/** Head of a measure’s column, which sorts by it; `aria-sort` states what the arrow shows. */
const Head = (props: { measure: Measure; sort: Sort; onSort: (sort: Sort) => void }) => {
  const { measure, sort, onSort } = props;
  const here = sort?.measure === measure.id ? sort : null;
  return (
    <th
      scope="col"
      className="figure"
      aria-sort={here ? (here.descending ? 'descending' : 'ascending') : 'none'}
      aria-label={measure.title}
    >
      <button
        type="button"
        className="link"
        title={[measure.note, `${measure.title}: ${measure.better} is better. Click to sort.`]
          .filter(Boolean)
          .join(' ')}
        onClick={() => onSort(nextSort(sort, measure))}
      >
        {measure.title}
        <span aria-hidden="true">{here ? (here.descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
      <TermMarks of={measure.title} />
    </th>
  );
};

/** A requested row that did not run. */
const NotRun = ({ system, columns }: { system: SkippedSystem; columns: number }) => (
  <tr className="not-run">
    <th scope="row">
      <span className="strong">{system.title}</span>
      <span className="fine system-under">
        {[system.policy, system.retrieval].filter(Boolean).join(' · ')}
      </span>
    </th>
    <td colSpan={columns}>Not run: {system.reason}.</td>
  </tr>
);

/** Below the table: columns not over all questions, and missing columns with the reason. */
const Notes = ({
  rows,
  titleOf,
}: {
  rows: readonly TableRow[];
  titleOf: (id: string) => string;
}) => {
  if (rows.every(({ rollouts }) => rollouts === 0)) return null;
  const missing = missingNotes(rows);
  return (
    <>
      {countNotes(rows, titleOf).map((note) => (
        <p key={note} className="fine">
          {note}
        </p>
      ))}
      {missing.length > 0 ? <p className="fine">Not measured here: {missing.join(', ')}.</p> : null}
    </>
  );
};

/** One table: systems as rows, measures as columns, published numbers last. */
export const ResultTable = memo((props: ResultTableProps) => {
  const { table, systems, skipped, sort, onSort, onReference, compared } = props;
  const measures = useMemo(
    () => MEASURES.filter((measure) => isMeasured(table.rows, measure)),
    [table],
  );
  // As JSON, which is equal if nothing changed.
  const columns = JSON.stringify(
    measures.map((measure) => [measure.id, scaleOf(table.rows, measure)]),
  );
  const shown = useRowsInTurns(table.rows, columns);
  const rows = useMemo(() => sortRows(shown, sort), [shown, sort]);
  const byId = useMemo(() => new Map(systems.map((one) => [one.id, one])), [systems]);
  return (
    <>
      <div
        className="list-scroll result-scroll"
        tabIndex={0}
        role="group"
        aria-label={`Results, ${table.part}, table`}
      >
        <table className="result-table">
          <thead>
            <tr>
              <th scope="col">system</th>
              {measures.map((measure) => (
                <Head key={measure.id} measure={measure} sort={sort} onSort={onSort} />
              ))}
              <th scope="col" title="From its paper, on another benchmark with another model">
                published (not comparable)
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ResultRow
                key={row.system}
                row={row}
                system={byId.get(row.system)}
                columns={row.columns}
                part={table.part}
                isReference={row.system === table.reference}
                compared={compared}
                onReference={onReference}
              />
            ))}
            {skipped.map((system) => (
              <NotRun key={system.id} system={system} columns={measures.length + 1} />
            ))}
          </tbody>
        </table>
      </div>
      <Notes rows={table.rows} titleOf={(id) => byId.get(id)?.title ?? id} />
    </>
  );
});
