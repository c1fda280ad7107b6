import { Fragment, useCallback, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { EvaluationResult, SkippedSystem } from '../../../evaluate/systems/result.ts';
import {
  TABLE_SPLITS,
  type TableSplit,
  type SystemsTable,
} from '../../../evaluate/systems/table/shape.ts';
import { INTERVALS } from '../../../evaluate/systems/table/notes.ts';
import { Term } from '../../kit/words/explain/Term.tsx';
import { openEvaluationFile } from '../store/reading-actions.ts';
import { NEW_EVALUATION, type EvaluateAddress } from '../store/evaluate-address.ts';
import { ResultTable } from './ResultTable.tsx';

/** Names of the groupings. */
const PARTS: Record<TableSplit, string> = {
  all: 'all together',
  type: 'by question type',
  hops: 'by hops',
  source: 'by source needed',
  world: 'by set',
};

/** One shared object: a new list would re-render the memoised table. */
const NONE: readonly SkippedSystem[] = [];

/** The heads sort, so the explanations of columns are listed below. */
const COLUMN_TERMS = [
  ['em', 'EM'],
  ['f1', 'F1'],
  ['cover-em', 'cover-EM'],
  ['judge', 'judge'],
  ['recall', 'recall'],
  ['format', 'format'],
] as const;

interface TableViewProps {
  id: string;
  result: EvaluationResult;
  /** Null while computed; empty if no question has the grouping field. */
  tables: readonly SystemsTable[] | null;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

/** The table, whole or by group. */
export const TableView = ({ id, result, tables, address, change }: TableViewProps) => {
  const [, go] = useLocation();
  const [compared, setCompared] = useState(true);
  const onSort = useCallback((sort: EvaluateAddress['sort']) => change({ sort }), [change]);
  const onReference = useCallback((system: string) => change({ reference: system }), [change]);
  const reference = tables?.[0]?.reference;
  const title = result.systems.find((one) => one.id === reference)?.title;
  return (
    <>
      <div className="choice-line">
        <span role="group" aria-label="Questions">
          {TABLE_SPLITS.map((by) => (
            <button
              key={by}
              type="button"
              className={by === address.by ? 'choice chosen' : 'choice'}
              aria-pressed={by === address.by}
              onClick={() => change({ by })}
            >
              {PARTS[by]}
            </button>
          ))}
        </span>
        <button
          type="button"
          className={compared ? 'choice chosen' : 'choice'}
          aria-pressed={compared}
          onClick={() => setCompared(!compared)}
        >
          differences
        </button>
        <span className="grow" />
        <button
          type="button"
          className="link"
          title="Filter, statistics and findings over every rollout of this evaluation"
          onClick={() => void openEvaluationFile(id, go)}
        >
          all rollouts in a table
        </button>
      </div>
      {tables === null ? (
        <p className="fine" role="status">
          Computing the intervals …
        </p>
      ) : tables.length === 0 ? (
        <p className="fine">
          These questions lack this information. Imported questions rarely have it; a{' '}
          <Link href={NEW_EVALUATION}>fresh world</Link> has it.
        </p>
      ) : (
        <>
          {tables.map((table) => (
            <section key={table.part} aria-label={table.part} className="chart-group">
              {address.by === 'all' ? null : <h2>{table.part}</h2>}
              <ResultTable
                table={table}
                systems={result.systems}
                skipped={result.skipped ?? NONE}
                sort={address.sort}
                onSort={onSort}
                onReference={onReference}
                compared={compared}
              />
            </section>
          ))}
          <p className="fine">
            ★ best mean, ≈ not significantly worse than it. Bars and small numbers: 95 %{' '}
            <Term id="interval">intervals</Term> {INTERVALS}.{' '}
            {compared && title !== undefined ? (
              <>
                Below: paired difference from {title}, * significant at 5 % after{' '}
                <Term id="holm">Holm’s correction</Term> per column.{' '}
              </>
            ) : null}
            Columns:{' '}
            {COLUMN_TERMS.map(([id, name], i) => (
              <Fragment key={id}>
                {i === 0 ? '' : ', '}
                <Term id={id}>{name}</Term>
              </Fragment>
            ))}
            .
          </p>
        </>
      )}
    </>
  );
};
