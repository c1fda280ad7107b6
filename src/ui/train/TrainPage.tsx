import { useEffect } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { parseTrainAddress, formatTrainAddress } from './store/train-address.ts';
import { runById, trainingRun, useTrain, visibleRuns } from './store/train-store.ts';
import { NewRun } from './form/NewRun.tsx';
import { TrainProblem } from './Problem.tsx';
import { StatusBadge } from './run/RunHeader.tsx';
import { RunView } from './run/RunView.tsx';
import { useNeeds } from '../lab/use-needs.ts';
import './train.css';
import './form/form.css';
import './run/run.css';

/** Runs that can go on, above the form of a new one. */
const Unfinished = () => {
  const runs = useTrain((state) => state.runs);
  const open = visibleRuns(runs)
    .filter(({ status, step, settings }) => status === 'running' || step < settings.steps)
    .slice(0, 3);
  if (open.length === 0) return null;
  return (
    <section className="unfinished" aria-label="Runs that can go on">
      {open.map((run) => (
        <Link key={run.id} href={formatTrainAddress({ run: run.id, step: null })}>
          <StatusBadge run={run} /> {run.name}{' '}
          <span className="fine">
            step {run.step} / {run.settings.steps}
          </span>
        </Link>
      ))}
    </section>
  );
};

const Missing = ({ id, deleted }: { id: string; deleted: boolean }) => {
  const status = useTrain((state) => state.status);
  return status === 'waiting' ? (
    <p role="status">Reading the runs …</p>
  ) : (
    <>
      <h1>{deleted ? 'This run was deleted' : 'This run is not here'}</h1>
      <p>
        {deleted
          ? 'It can be brought back on the runs page until the page is loaded again.'
          : `Runs are stored in the browser that trained them; none here has the id ${id}.`}
      </p>
      <p>
        <Link href="/runs">Go to the runs</Link> · <Link href="/train?new=1">New run</Link>
      </p>
    </>
  );
};

/** Train: the form of a new run, or one run. */
const TrainPage = () => {
  // A run has engines of its own, not those that answer questions.
  useNeeds('sources');
  const [, go] = useLocation();
  const search = useSearch();
  const address = parseTrainAddress(search);
  const run = useTrain((state) => runById(state, address.run));
  const active = useTrain((state) => trainingRun(state)?.id);
  const isNew = new URLSearchParams(search).has('new');
  // The bare address means whatever trains now.
  useEffect(() => {
    if (address.run === null && !isNew && active !== undefined)
      go(formatTrainAddress({ run: active, step: null }), { replace: true });
  }, [address.run, isNew, active, go]);
  const shown = run && run.deletedAt === null ? run : null;
  return (
    // Another run, or the form, begins at its top.
    <main
      key={shown?.id ?? 'form'}
      className={shown ? 'page work train' : 'page work train form'}
      tabIndex={-1}
    >
      <TrainProblem />
      {shown ? (
        <RunView key={shown.id} run={shown} step={address.step} />
      ) : address.run === null ? (
        <>
          <Unfinished />
          <NewRun />
        </>
      ) : (
        <Missing id={address.run} deleted={run !== undefined} />
      )}
    </main>
  );
};

export default TrainPage;
