import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { EvaluationResult, EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import { systemsVerdict } from '../../../evaluate/systems/table/verdict.ts';
import type { EvaluationRecord } from '../../../lab/contract/records/evaluations.ts';
import { CompareEvaluations } from '../compare/CompareEvaluations.tsx';
import { QuestionsView } from '../questions/QuestionsView.tsx';
import { openEvaluation } from '../store/evaluate-actions.ts';
import {
  formatEvaluateAddress,
  parseEvaluateAddress,
  VIEW_NAMES,
  VIEWS,
  type EvaluateAddress,
  type EvaluateView,
} from '../store/evaluate-address.ts';
import { useEvaluate } from '../store/evaluate-store.ts';
import { VerdictLine } from '../../kit/page/VerdictLine.tsx';
import { formatCount } from '../../kit/words/format.ts';
import { TableView } from '../table/TableView.tsx';
import { useTables } from '../table/use-tables.ts';
import { CostView } from './CostView.tsx';
import { EvaluationHeader } from './EvaluationHeader.tsx';
import { lostAt, survivalOf } from '../../../evaluate/systems/pictures.ts';
import { Survival } from '../pictures/Survival.tsx';
import { LostList } from './LostList.tsx';
import { AblationPicture } from '../systems/AblationPicture.tsx';
import { familiesOf, type Family } from '../systems/families.ts';
import { PartsPicture } from '../systems/PartsPicture.tsx';
import { Signatures } from '../systems/Signatures.tsx';

/** A recipe and its variants: a table with the recipe as reference. */
const FamilyPart = (props: {
  id: string;
  whole: EvaluatedSystem;
  result: EvaluationResult;
  known: (family: Family) => void;
}) => {
  const { id, whole, result, known } = props;
  const { tables, problem } = useTables(id, { reference: whole.id }, result.rollouts.length);
  const table = tables?.[0];
  const family = useMemo(
    () => table && familiesOf(result, table).find((one) => one.whole.id === whole.id),
    [result, table, whole.id],
  );
  // Passed up, because only a table with this system as reference has its differences, which the expected
  // effects need.
  useEffect(() => {
    if (family) known(family);
  }, [family, known]);
  if (problem !== null) return <p className="tone-bad">⚠ {problem}</p>;
  return family ? <AblationPicture family={family} systems={result.systems} /> : null;
};

/** Parts, ablations and expected effects of the systems. */
const SystemsView = (props: {
  id: string;
  result: EvaluationResult;
  table: SystemsTable | null;
}) => {
  const { id, result, table } = props;
  const [families, setFamilies] = useState<Readonly<Record<string, Family>>>({});
  const known = useCallback(
    (family: Family) => setFamilies((before) => ({ ...before, [family.whole.id]: family })),
    [],
  );
  // Which recipes have variants does not depend on the reference.
  const wholes = useMemo(
    () => (table ? familiesOf(result, table).map(({ whole }) => whole) : []),
    [result, table],
  );
  return (
    <>
      <section aria-label="Ablations" className="chart-group">
        <h2>What the parts do</h2>
        {table !== null && wholes.length === 0 ? (
          <p className="fine">
            No ablations here. “+ ablations” in a new evaluation adds variants with one part
            removed; duplicate a system to change anything else.
          </p>
        ) : (
          wholes.map((whole) => (
            <FamilyPart key={whole.id} id={id} whole={whole} result={result} known={known} />
          ))
        )}
      </section>
      <PartsPicture systems={result.systems} />
      <Signatures systems={result.systems} families={Object.values(families)} table={table} />
    </>
  );
};

/** Views of the result; the address names the current one. */
const Tabs = ({ view, show }: { view: EvaluateView; show: (view: EvaluateView) => void }) => (
  <div className="view-tabs" role="tablist" aria-label="Views of the evaluation">
    {VIEWS.map((one) => (
      <button
        key={one}
        type="button"
        role="tab"
        id={`tab-${one}`}
        aria-selected={one === view}
        aria-controls="evaluation-panel"
        className={one === view ? 'choice chosen' : 'choice'}
        onClick={() => show(one)}
      >
        {VIEW_NAMES[one]}
      </button>
    ))}
  </div>
);

interface PanelProps {
  id: string;
  result: EvaluationResult;
  /** Null while they are computed. */
  tables: readonly SystemsTable[] | null;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

interface HopsViewProps {
  result: EvaluationResult;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

/** How far systems get along the gold chain, and what was lost where. */
const HopsView = ({ result, address, change }: HopsViewProps) => {
  const rows = useMemo(() => survivalOf(result), [result]);
  const some = rows.some(({ hops }) => hops.length > 0);
  const { lost } = address;
  // In the address, the systems of a question and of a list share one field; a list has one system.
  const [system] = address.systems;
  return (
    <>
      <Survival
        systems={result.systems}
        rows={rows}
        empty={
          some
            ? null
            : result.rollouts.length > 0
              ? 'None of these questions has a known chain of passages.'
              : 'Appears with the first rollouts.'
        }
        onOpen={(of, at) => change({ systems: [of], lost: at })}
      />
      {lost !== null && system !== undefined ? (
        <LostList
          key={`${system} ${lost}`}
          result={result}
          system={system}
          at={lost}
          lost={lostAt(result, system, lost)}
          read={(question) => change({ view: 'questions', question, lost: null })}
          close={() => change({ systems: [], lost: null })}
        />
      ) : null}
    </>
  );
};

/** The current view. */
const Panel = (props: PanelProps) => {
  const { id, result, tables, address, change } = props;
  // Charts of all questions use the whole table, which is the first one.
  const whole = address.by === 'all' ? (tables?.[0] ?? null) : null;
  switch (address.view) {
    case 'table':
      return <TableView {...props} />;
    case 'cost':
      return <CostView result={result} table={whole} address={address} change={change} />;
    case 'questions':
      return <QuestionsView id={id} result={result} address={address} change={change} />;
    case 'hops':
      return <HopsView result={result} address={address} change={change} />;
    case 'systems':
      return <SystemsView id={id} result={result} table={whole} />;
    case 'compare':
      return <CompareEvaluations id={id} result={result} address={address} change={change} />;
  }
};

/** Says that all numbers below are preliminary until every rollout is done. */
const PartialNote = ({ record, made }: { record: EvaluationRecord; made: number }) =>
  record.status === 'finished' || made === 0 ? null : (
    <p className="fine" data-testid="partial">
      So far: every number here is of {formatCount(made)}
      {record.planned > made ? ` of ${formatCount(record.planned)}` : ''}{' '}
      {Math.max(record.planned, made) === 1 ? 'rollout' : 'rollouts'}.
    </p>
  );

/** An evaluation with results: its header, the view tabs, and one view. */
const Shown = ({ record, result }: { record: EvaluationRecord; result: EvaluationResult }) => {
  const search = useSearch();
  const [, go] = useLocation();
  const address = useMemo(() => parseEvaluateAddress(search), [search]);
  // Deferred: an arriving rollout must not delay a click.
  const drawn = useDeferredValue(result);
  const change = useCallback(
    (part: Partial<EvaluateAddress>) => {
      // Read again, so that `change` stays stable for memoised tables.
      const now = parseEvaluateAddress(location.search);
      // Another view, question or list is a history entry; another sort order is not.
      const replace =
        part.view === undefined && part.question === undefined && part.lost === undefined;
      go(formatEvaluateAddress(record.id, { ...now, ...part }), { replace });
    },
    [go, record.id],
  );
  // A missing row, such as in an old address, is not a reference.
  const reference = result.systems.find(({ id }) => id === address.reference)?.id;
  // Other views use all questions, even if the table was grouped before.
  const by = address.view === 'table' ? address.by : 'all';
  const request = useMemo(() => ({ by, reference }), [by, reference]);
  const { tables, problem } = useTables(record.id, request, result.rollouts.length);
  const [whole] = by === 'all' ? (tables ?? []) : [];
  const verdict = useMemo(
    () => (whole ? systemsVerdict(whole, drawn, record.status === 'running') : null),
    [whole, drawn, record.status],
  );
  return (
    <>
      <EvaluationHeader record={record} result={drawn} request={request} />
      <VerdictLine verdict={verdict} />
      <Tabs view={address.view} show={(view) => change({ view })} />
      <div
        className="evaluation-panel"
        id="evaluation-panel"
        role="tabpanel"
        aria-labelledby={`tab-${address.view}`}
      >
        <h2 className="visually-hidden">{VIEW_NAMES[address.view]}</h2>
        <PartialNote record={record} made={drawn.rollouts.length} />
        {problem === null ? null : (
          <p className="tone-bad" role="alert">
            ⚠ The table could not be computed: {problem}
          </p>
        )}
        <Panel
          id={record.id}
          result={drawn}
          tables={tables}
          address={{ ...address, by }}
          change={change}
        />
      </div>
    </>
  );
};

/** One evaluation, running or finished. */
export const EvaluationView = ({ record }: { record: EvaluationRecord }) => {
  const result = useEvaluate((state) => state.results[record.id]);
  const planned = record.hash !== null;
  useEffect(() => {
    // From the first opening the store collects rollouts as they arrive; earlier ones are loaded here.
    void openEvaluation(record.id);
  }, [record.id]);
  return result && result.systems.length > 0 ? (
    <Shown record={record} result={result} />
  ) : (
    <>
      <EvaluationHeader record={record} result={undefined} request={{}} />
      <p className="fine" role="status">
        {planned || record.status !== 'running'
          ? 'Reading the results …'
          : 'Planning the rollouts; the table appears with the first one.'}
      </p>
    </>
  );
};
