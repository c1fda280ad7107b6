import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { PickButton } from '../kit/PickButton.tsx';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import { StorageLine } from '../lab/StorageLine.tsx';
import { NewEvaluation } from './chooser/NewEvaluation.tsx';
import { EvaluationsTable } from './EvaluationsTable.tsx';
import { DescribedList } from '../kit/page/DescribedList.tsx';
import { Term } from '../kit/words/explain/Term.tsx';
import { nameOfSpec } from './chooser/names.ts';
import { MeasuredSystems } from './MeasuredSystems.tsx';
import { ProblemBanner } from '../kit/page/ProblemBanner.tsx';
import { EvaluationView } from './result/EvaluationView.tsx';
import {
  dismissRemoved,
  readEvaluationFile,
  restoreEvaluation,
  startEvaluation,
  dismissProblem,
  reloadEvaluations,
} from './store/evaluate-actions.ts';
import {
  EVALUATE,
  NEW_EVALUATION,
  formatEvaluateAddress,
  VIEW_NAMES,
  VIEWS,
  type EvaluateView,
} from './store/evaluate-address.ts';
import { useEvaluateDraft, FIRST_SPEC } from './store/evaluate-draft.ts';
import {
  evaluationById,
  useEvaluate,
  visibleEvaluations,
  runningEvaluation,
  takenNames,
} from './store/evaluate-store.ts';
import './evaluate.css';
import './chooser/chooser.css';
import './pictures/pictures.css';
import './table/table.css';

/** Evaluations deleted since the page was loaded, with undo. */
const Undo = () => (
  <UndoBar
    removed={useEvaluate((state) => state.removed)}
    restore={(id) => void restoreEvaluation(id)}
    note={FREED_LATER}
    hide={dismissRemoved}
  />
);

/** Importing an exported evaluation fills the form; nothing runs before the user clicks Run. */
const ImportButton = () => {
  const [, go] = useLocation();
  const read = async (file: File | undefined) => {
    const found = file && (await readEvaluationFile(file));
    if (!found) return;
    // Name and spec of the file; the device is this browser's choice.
    useEvaluateDraft.setState(found);
    go(NEW_EVALUATION);
  };
  return (
    <PickButton
      field="An exported evaluation"
      accept="application/json,.json"
      size="xs"
      variant="default"
      title="A JSON file from “Export”; its settings are filled in, ready to run"
      onFiles={([file]) => void read(file)}
    >
      Import
    </PickButton>
  );
};

/** One click starts a small evaluation with real rollouts. */
const FirstButton = () => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const running = useEvaluate((state) => runningEvaluation(state) !== undefined);
  const device = useEvaluateDraft((state) => state.device);
  const start = async () => {
    setStarting(true);
    const name = nameOfSpec(FIRST_SPEC, new Date().toISOString(), takenNames());
    const id = await startEvaluation(FIRST_SPEC, name, device);
    setStarting(false);
    if (id !== null) go(formatEvaluateAddress(id));
  };
  return (
    <Button loading={starting} disabled={running} onClick={() => void start()}>
      Three systems on 20 questions
    </Button>
  );
};

/** What each tab of an evaluation shows. */
const ANSWERS: Record<EvaluateView, string> = {
  table: 'accuracy and cost of each system, with intervals, and which differences are significant',
  cost: 'which systems are beaten in both quality and cost',
  questions: 'which questions each got right; a cell opens the rollouts side by side',
  hops: 'at which hop each system lost the chain',
  systems: 'ablations of each system, next to the effects its paper expects',
  compare: 'two evaluations, question by question',
};

/** Shown instead of an empty list; nothing if loading failed, because the problem is shown above. */
const FirstView = () => {
  const status = useEvaluate((state) => state.status);
  if (status === 'waiting') return <p role="status">Reading the evaluations …</p>;
  if (status === 'failed') return null;
  return (
    <section className="empty-place">
      <div>
        <p>
          Compare systems on the same questions, with the same model, search and budget: a table
          with intervals, charts that show why, and every rollout one click away. Nothing has been
          evaluated in this browser yet. Start with plain search, naive <Term id="rag">RAG</Term>{' '}
          and no retrieval, or choose yourself.
        </p>
        <div className="editor-actions">
          <FirstButton />
          <Link href={NEW_EVALUATION}>Choose systems and questions</Link>
        </div>
        <DescribedList
          title="What an evaluation shows"
          entries={VIEWS.map((view) => [VIEW_NAMES[view], ANSWERS[view]])}
        />
      </div>
      <MeasuredSystems />
    </section>
  );
};

/** The last failure, until it is dismissed. */
const EvaluateProblem = () => {
  const problem = useEvaluate((state) => state.problem);
  const failed = useEvaluate((state) => state.status === 'failed');
  return (
    <ProblemBanner
      problem={problem}
      // Only where the list could not be read.
      retry={failed ? () => void reloadEvaluations() : null}
      dismiss={dismissProblem}
    />
  );
};

/** Evaluations of this browser. */
const List = () => {
  const [, go] = useLocation();
  const all = useEvaluate((state) => state.evaluations);
  const records = useMemo(() => visibleEvaluations(all), [all]);
  return (
    <>
      <div className="page-bar">
        <h1>Evaluate</h1>
        <StorageLine />
        <span className="grow" />
        {records.length > 0 ? (
          <Button size="xs" onClick={() => go(NEW_EVALUATION)}>
            New evaluation
          </Button>
        ) : null}
        <ImportButton />
      </div>
      <EvaluateProblem />
      <Undo />
      {records.length === 0 ? <FirstView /> : <EvaluationsTable records={records} />}
    </>
  );
};

/** For the address of a deleted or unknown evaluation; shown only after the list is loaded. */
const Missing = ({ id, deleted }: { id: string; deleted: boolean }) => {
  const status = useEvaluate((state) => state.status);
  return status === 'waiting' ? (
    <p role="status">Reading the evaluations …</p>
  ) : (
    <>
      <h1>{deleted ? 'This evaluation was deleted' : 'This evaluation is not here'}</h1>
      <p>
        {deleted
          ? 'It can be restored in the list for a few minutes, until you reload the page.'
          : `Evaluations are stored in the browser that ran them; none here has the id ${id}. Its exported JSON can be imported and run here.`}
      </p>
      <p>
        <Link href={EVALUATE}>Go to the evaluations</Link> ·{' '}
        <Link href={NEW_EVALUATION}>New evaluation</Link>
      </p>
    </>
  );
};

/** The evaluation of an address, or a note that it is not here. */
const One = ({ id }: { id: string }) => {
  const record = useEvaluate((state) => evaluationById(state, id));
  return (
    <>
      <EvaluateProblem />
      {record && record.deletedAt === null ? (
        // Keyed, so that view choices do not carry over to another evaluation.
        <EvaluationView key={id} record={record} />
      ) : (
        <Missing id={id} deleted={record !== undefined} />
      )}
    </>
  );
};

/** Evaluate: the list, the form of a new one, or one evaluation. */
const EvaluatePage = ({ id = null }: { id?: string | null }) => {
  const isNew = new URLSearchParams(useSearch()).has('new');
  return (
    // Scrolls to the top for another evaluation or the form.
    <main key={id ?? (isNew ? 'new' : 'list')} className="page work evaluate" tabIndex={-1}>
      {id !== null ? (
        <One id={id} />
      ) : isNew ? (
        <>
          <p className="fine">
            <Link href={EVALUATE}>All evaluations</Link>
          </p>
          <EvaluateProblem />
          <NewEvaluation />
        </>
      ) : (
        <List />
      )}
    </main>
  );
};

export default EvaluatePage;
