import { Button } from '@mantine/core';
import { useMemo, useEffect, useState } from 'react';
import { useLocation, useSearch, Link } from 'wouter';
import { DescribedList } from '../kit/page/DescribedList.tsx';
import { PickButton } from '../kit/PickButton.tsx';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';
import { useFileDrop } from '../kit/use-file-drop.ts';
import {
  adoptPicked,
  takeDrop,
  takeFiles,
  cancelAdopting,
  dismissAdopted,
} from '../train/store/adopt-actions.ts';
import {
  dismissRemoved,
  restoreRun,
  readOlderRuns,
  removeOlderRuns,
} from '../train/store/train-actions.ts';
import { formatCompared, parseCompared, formatTrainAddress } from '../train/store/train-address.ts';
import { useTrain, visibleRuns } from '../train/store/train-store.ts';
import { TrainProblem } from '../train/Problem.tsx';
import { Compare } from './Compare.tsx';
import { MeasuredRuns } from './MeasuredRuns.tsx';
import { RunsTable } from './RunsTable.tsx';
import { StorageLine } from '../lab/StorageLine.tsx';
import type { OlderRun } from '../../lab/contract/training.ts';
import { plural, formatCount } from '../kit/words/format.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';

/** Progress of the folder that is imported. */
const Reading = () => {
  const { reading, waiting } = useTrain(({ adopting }) => adopting);
  if (!reading) return null;
  const { name, done, total, cancelling } = reading;
  return (
    <p className="note">
      Reading “{name}”
      {total > 0 ? `: step ${formatCount(done)} of ${formatCount(total)} stored` : ' …'}
      {total > 0 ? <TimeLeft of={name} share={done / total} /> : null}
      {waiting.length > 0 ? ` · ${plural(waiting.length, 'more waits', 'more wait')}` : null}{' '}
      <progress
        className="bar thin"
        aria-label="Steps stored"
        {...(total > 0 && { max: total, value: done })}
      />{' '}
      <button
        type="button"
        className="link"
        disabled={cancelling}
        onClick={() => void cancelAdopting()}
      >
        {cancelling ? 'Stopping …' : 'Cancel'}
      </button>
    </p>
  );
};

const Hide = () => (
  <button type="button" className="link" aria-label="Hide this message" onClick={dismissAdopted}>
    ✕
  </button>
);

/** Imports of cluster folders: the current one, the last result with what it lacks, and cancelled ones. */
export const Adopting = () => {
  const { taken, cancelled } = useTrain(({ adopting }) => adopting);
  return (
    <div role="status">
      <Reading />
      {taken.length > 0 || cancelled !== null ? (
        <div className="note adopted">
          {taken.map((run, at) => (
            <div key={run.id}>
              <p>
                <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link> is
                here now. {at === 0 ? <Hide /> : null}
              </p>
              {run.notice === null ? null : <p className="fine">{run.notice}</p>}
            </div>
          ))}
          {cancelled === null ? null : (
            <p>
              {cancelled} {taken.length === 0 ? <Hide /> : null}
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
};

/** Runs named one by one; the others are counted. */
const NAMED = 5;

/** Runs from another version of Forage: their names, and how to delete them. */
export const OlderRunsNote = ({
  runs,
  remove,
}: {
  runs: readonly OlderRun[];
  remove: () => void;
}) => {
  if (runs.length === 0) return null;
  const names = runs.slice(0, NAMED).map(({ name }) => `“${name}”`);
  const more = runs.length - names.length;
  return (
    <p className="note" role="status" data-testid="older-runs">
      {plural(runs.length, 'run', 'runs')} from another version of Forage cannot be opened here:{' '}
      {names.join(', ')}
      {more > 0 ? ` and ${more} more` : ''}. Train again to compare; deleting cannot be undone.{' '}
      <button type="button" className="link" onClick={remove}>
        Delete {runs.length === 1 ? 'it' : 'them'}
      </button>
    </p>
  );
};

const OlderRuns = () => {
  const status = useTrain((state) => state.status);
  const [runs, setRuns] = useState<readonly OlderRun[]>([]);
  useEffect(() => {
    if (status === 'ready') void readOlderRuns().then(setRuns);
  }, [status]);
  return <OlderRunsNote runs={runs} remove={() => void removeOlderRuns().then(setRuns)} />;
};

import './runs.css';

/** What a run stores, and what it is for. */
const KEPT = [
  [
    'Curves',
    'reward, held-out scores and loss statistics, one point per step; several runs on the same axes',
  ],
  ['Snapshots', 'the adapter at several steps, usable on Ask and in evaluations'],
  ['Rollouts', 'the rollouts of each step, with tokens, advantages and rewards'],
  ['Settings', 'everything needed to continue or repeat the run, or to take it to a cluster'],
] as const;

/** Deleted runs that can be restored. */
const Undo = () => (
  <UndoBar
    removed={useTrain((state) => state.removed)}
    restore={(id) => void restoreRun(id)}
    note={FREED_LATER}
    hide={dismissRemoved}
  />
);

/** Files of exported runs, or archives of a cluster’s folder. */
const ImportButton = () => (
  <PickButton
    field="Run files"
    accept="application/json,.json,.tar,.gz,.tgz,.zip"
    size="xs"
    variant="default"
    title="A file from “Export the run”, or an archive of a cluster’s result folder; you can also drop it on this page"
    onFiles={(files) => void takeFiles(files)}
  >
    Import
  </PickButton>
);

/** The folder, as the browser provides it: all files below it. */
const ClusterButton = () => (
  <PickButton
    field="Folder from a cluster"
    folder
    size="xs"
    variant="default"
    title="The folder from “Take it to a cluster” after TRL or verl has trained in it; you can also drop it on this page"
    onFiles={(files) => void adoptPicked(files)}
  >
    From a cluster
  </PickButton>
);

/** Shown instead of an empty list; nothing if loading failed, because the problem is shown above. */
const Empty = ({ go }: { go: (path: string) => void }) => {
  const status = useTrain((state) => state.status);
  if (status === 'waiting') return <p role="status">Reading the runs …</p>;
  if (status === 'failed') return null;
  return (
    <section className="empty-place">
      <div>
        <p>
          No training runs yet. Start one, or drop an exported run or a result folder from a cluster
          on this page. Runs are stored only in this browser, with curves, snapshots and rollouts.
        </p>
        <Button onClick={() => go('/train?new=1')}>Train the model</Button>
        <DescribedList title="What is stored per run" entries={KEPT} />
      </div>
      <MeasuredRuns />
    </section>
  );
};

/** All training runs: compare, export, delete. */
const RunsPage = () => {
  const [, go] = useLocation();
  const search = useSearch();
  const all = useTrain((state) => state.runs);
  const runs = useMemo(() => visibleRuns(all), [all]);
  const compared = useMemo(
    // An address may name runs of another browser, or deleted ones.
    () => parseCompared(search).filter((id) => runs.some((run) => run.id === id)),
    [search, runs],
  );
  const chosen = useMemo(
    () => compared.flatMap((id) => runs.find((run) => run.id === id) ?? []),
    [compared, runs],
  );
  // Replaces the history entry: “back” leaves the page instead of undoing one selection after the other.
  const compare = (ids: string[]) => go(formatCompared(ids), { replace: true });
  const drop = useFileDrop((dropped) => void takeDrop(dropped));
  return (
    <main
      className={drop.over ? 'page work dropping' : 'page work'}
      tabIndex={-1}
      {...drop.handlers}
    >
      <div className="page-bar">
        <h1>Runs</h1>
        <StorageLine />
        <span className="grow" />
        {runs.length > 0 ? (
          <Button size="xs" onClick={() => go('/train?new=1')}>
            New run
          </Button>
        ) : null}
        <ClusterButton />
        <ImportButton />
      </div>
      <TrainProblem />
      <Adopting />
      <OlderRuns />
      <Undo />
      {runs.length === 0 ? (
        <Empty go={go} />
      ) : (
        <RunsTable runs={runs} compared={compared} compare={compare} />
      )}
      {chosen.length > 0 ? (
        <>
          <p>
            <button type="button" className="link" onClick={() => compare([])}>
              Clear the comparison
            </button>
          </p>
          <Compare runs={chosen} />
        </>
      ) : runs.length > 1 ? (
        <p className="fine">Select two or more runs to compare them on the same axes.</p>
      ) : null}
    </main>
  );
};

export default RunsPage;
