import { Button } from '@mantine/core';
import { useMemo, useRef, useState, type DragEvent } from 'react';
import { useLocation, useSearch } from 'wouter';
import { UndoBar } from '../lib/UndoBar.tsx';
import { dismissRemoved, importRuns, restoreRun } from '../stores/train-actions.ts';
import { formatCompared, parseCompared } from '../stores/train-address.ts';
import { useTrain, visibleRuns } from '../stores/train-store.ts';
import { TrainProblem } from '../train/Problem.tsx';
import { Compare } from './Compare.tsx';
import { RunsTable } from './RunsTable.tsx';
import { StorageLine } from './StorageLine.tsx';

/** Deleted runs, as long as they can be brought back. */
const Undo = () => (
  <UndoBar
    removed={useTrain((state) => state.removed)}
    restore={(id) => void restoreRun(id)}
    note="It can be undone until the page is loaded again."
    hide={dismissRemoved}
  />
);

const ImportButton = () => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        multiple
        hidden
        aria-label="Run files"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          void importRuns(files);
        }}
      />
      <Button
        size="xs"
        variant="default"
        title="A file from “Export the run”; it may be dropped on this page too"
        onClick={() => input.current?.click()}
      >
        Import
      </Button>
    </>
  );
};

/** Files dropped anywhere on the page are imported. */
const useDrop = () => {
  const [over, setOver] = useState(false);
  const isFile = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isFile(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (event.currentTarget === event.target) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isFile(event)) return;
        event.preventDefault();
        void importRuns([...event.dataTransfer.files]);
      },
    },
  };
};

const Empty = ({ go }: { go: (path: string) => void }) => {
  const status = useTrain((state) => state.status);
  if (status === 'waiting') return <p role="status">Reading the runs …</p>;
  if (status === 'failed') return null;
  return (
    <section className="empty-place">
      <p>
        Every training run is kept here, with its curves, its checkpoints and the rollouts of its
        steps, in this browser only. There is none yet. Start one, or drop an exported run on this
        page.
      </p>
      <Button onClick={() => go('/train?new=1')}>Train the policy</Button>
    </section>
  );
};

/** Runs: all that were trained here, compared, exported, deleted. */
const RunsPage = () => {
  const [, go] = useLocation();
  const search = useSearch();
  const all = useTrain((state) => state.runs);
  const runs = useMemo(() => visibleRuns(all), [all]);
  const compared = useMemo(
    () => parseCompared(search).filter((id) => runs.some((run) => run.id === id)),
    [search, runs],
  );
  const chosen = useMemo(
    () => compared.flatMap((id) => runs.find((run) => run.id === id) ?? []),
    [compared, runs],
  );
  const compare = (ids: string[]) => go(formatCompared(ids), { replace: true });
  const drop = useDrop();
  return (
    <main
      className={drop.over ? 'page runs dropping' : 'page runs'}
      tabIndex={-1}
      {...drop.handlers}
    >
      <div className="runs-bar">
        <h1>Runs</h1>
        <StorageLine />
        <span className="grow" />
        {runs.length > 0 ? (
          <Button size="xs" onClick={() => go('/train?new=1')}>
            New run
          </Button>
        ) : null}
        <ImportButton />
      </div>
      <TrainProblem />
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
        <p className="fine">Choose two or more runs to see them on the same axes.</p>
      ) : null}
    </main>
  );
};

export default RunsPage;
