import { useEffect, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { groupBy } from '../../base/items.ts';
import { plural } from '../kit/words/format.ts';
import {
  formatSweepAddress,
  formatTrainAddress,
  parseSweepAddress,
  parseTrainAddress,
} from './store/train-address.ts';
import { runById, trainingRun, useTrain, visibleRuns } from './store/train-store.ts';
import { NewRun } from './form/NewRun.tsx';
import { TrainProblem } from './Problem.tsx';
import { StatusBadge } from './run/RunHeader.tsx';
import { RunView } from './run/RunView.tsx';
import { SweepView } from './sweep/SweepView.tsx';
import { useNeeds } from '../lab/use-needs.ts';
import './train.css';
import './form/form.css';
import './form/start.css';
import './form/beside.css';
import './run/run.css';

/** Runs that can continue, above the form of a new one. */
const Unfinished = () => {
  const runs = useTrain((state) => state.runs);
  const unfinished = visibleRuns(runs).filter(
    ({ status, step, settings }) => status === 'running' || step < settings.steps,
  );
  // The runs of a sweep continue together.
  const open = unfinished.filter(({ sweep }) => !sweep).slice(0, 3);
  const sweeps = [...groupBy(unfinished, ({ sweep }) => sweep?.id)].flatMap(([id, of]) =>
    id === undefined ? [] : [{ id, name: of[0]?.sweep?.name ?? '', left: of.length }],
  );
  if (open.length + sweeps.length === 0) return null;
  return (
    <section className="unfinished" aria-label="Runs that can go on">
      {sweeps.slice(0, 3).map(({ id, name, left }) => (
        <Link key={id} href={formatSweepAddress(id)}>
          {name} <span className="fine">{plural(left, 'run')} of the sweep left</span>
        </Link>
      ))}
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

/** For an address whose run or sweep was deleted, or trained elsewhere; says neither before the list was read. */
const Missing = ({ id, deleted }: { id: string; deleted: boolean }) => {
  const status = useTrain((state) => state.status);
  return status === 'waiting' ? (
    <p role="status">Reading the runs …</p>
  ) : (
    <>
      <h1>{deleted ? 'This run was deleted' : 'This run is not here'}</h1>
      <p>
        {deleted
          ? 'It can be brought back on the Runs page for a few minutes after the deletion, until the page is loaded again.'
          : `Runs are stored in the browser that trained them; none here has the id ${id}.`}
      </p>
      <p>
        <Link href="/runs">Go to the runs</Link> · <Link href="/train?new=1">New run</Link>
      </p>
    </>
  );
};

/** Train: the form of a new run, one run, or a sweep of them. */
const TrainPage = () => {
  // A run has engines of its own, not those that answer questions.
  useNeeds('sources');
  const [, go] = useLocation();
  const search = useSearch();
  const address = parseTrainAddress(search);
  const run = useTrain((state) => runById(state, address.run));
  const active = useTrain((state) => trainingRun(state)?.id);
  const sweepId = parseSweepAddress(search);
  const all = useTrain((state) => state.runs);
  const cells = useMemo(() => all.filter(({ sweep }) => sweep?.id === sweepId), [all, sweepId]);
  // A sweep has no record of its own: each of its runs has it.
  const sweep = sweepId === null ? undefined : cells[0]?.sweep;
  // The form was asked for though a run trains.
  const isNew = new URLSearchParams(search).has('new');
  // The bare address means whatever trains now.
  useEffect(() => {
    if (address.run === null && sweepId === null && !isNew && active !== undefined)
      go(formatTrainAddress({ run: active, step: null }), { replace: true });
  }, [address.run, sweepId, isNew, active, go]);
  const shown = run && run.deletedAt === null ? run : null;
  return (
    // Another run, or the form, begins at its top.
    <main
      key={shown?.id ?? sweep?.id ?? 'form'}
      className={shown || sweep ? 'page work train' : 'page work train form'}
      tabIndex={-1}
    >
      <TrainProblem />
      {shown ? (
        <RunView key={shown.id} run={shown} step={address.step} />
      ) : sweep ? (
        <SweepView sweep={sweep} runs={cells} />
      ) : sweepId !== null ? (
        <Missing id={sweepId} deleted={false} />
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
