import { shareInterval } from '../../../base/statistics.ts';
import { Button } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { headlineOf } from '../../../evaluate/held-out-scores.ts';
import { SWEEP_METRICS } from '../../../evaluate/sweep/matrix.ts';
import type { RunRecord, RunSweep } from '../../../lab/contract/records/runs.ts';
import type { TrainStep } from '../../../records/training.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { Icon } from '../../kit/Icon.tsx';
import { Table } from '../../kit/Table.tsx';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatShare, plural } from '../../kit/words/format.ts';
import { StatusBadge } from '../run/RunHeader.tsx';
import { StopMenu, type StopChoice } from '../run/StopMenu.tsx';
import { FREED_LATER, useUndoable } from '../../kit/UndoBar.tsx';
import { bringBack, dropRest, goOnWithSweep, stopSweep } from '../store/sweep-actions.ts';
import { pauseRun } from '../store/train-actions.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import { trainingRun, useTrain } from '../store/train-store.ts';
import { useAllSteps } from '../store/use-all-steps.ts';
import { HeatMap } from './HeatMap.tsx';
import { leftOf, metricOf, sweepGrid, type Grid, type GridCell } from './sweep-grid.ts';
import './sweep.css';

/** The score of a run with its interval, as a cell says it. */
const scoreWords = (steps: readonly TrainStep[] | undefined): string => {
  const last = headlineOf(steps ?? [])?.last;
  if (!last) return 'no held-out score';
  const [low, high] = shareInterval(last.score.em, last.score.n);
  return `held-out EM ${formatShare(last.score.em)} of ${plural(last.score.n, 'question')} after step ${last.step}, 95 % interval ${formatShare(low)} to ${formatShare(high)}`;
};

/** What a run does, after its name. */
const STATES: Record<GridCell['state'], string> = {
  waiting: 'waits',
  running: 'trains',
  finished: 'finished',
  stopped: 'was stopped',
  failed: 'failed',
  dropped: 'was dropped',
};

/** Ways to end a sweep, each with what it costs. */
const choicesOf = (
  sweepId: string,
  run: RunRecord,
  waiting: number,
  dropped: (ids: string[]) => void,
): StopChoice[] => {
  const rest =
    waiting === 0 ? '' : ` ${plural(waiting, 'run')} that wait${waiting === 1 ? 's' : ''}`;
  const drop = async (ids: Promise<string[]>) => dropped(await ids);
  return [
    {
      name: 'Pause after this step',
      says: `“${run.name}” stores its step with a snapshot: nothing is lost.${rest === '' ? '' : ` The${rest} stay.`} The sweep can go on from there.`,
      act: () => void pauseRun(run.id),
    },
    ...(waiting > 0
      ? [
          {
            name: 'Finish this run and drop the rest',
            says: `“${run.name}” trains to its end. The${rest} will not be made; this can be undone.`,
            act: () => void drop(dropRest(sweepId)),
          },
        ]
      : []),
    {
      name: 'Stop now and drop the rest',
      says: `“${run.name}” ends with its last whole step; the step under way is lost.${rest === '' ? '' : ` The${rest} will not be made; this can be undone.`}`,
      act: () => void drop(stopSweep(sweepId, run.id)),
    },
  ];
};

/**
 * Ways to end the sweep while a run of it trains, or to continue with those that wait.
 * @param props.dropped told what can be undone
 */
const Controls = (props: { sweep: RunSweep; grid: Grid; dropped: (ids: string[]) => void }) => {
  const { sweep, grid, dropped } = props;
  const other = useTrain((state) => trainingRun(state));
  const here = useTrain((state) => state.sweep === sweep.id);
  const waiting = grid.cells.filter(({ state }) => state === 'waiting').length;
  const running = grid.cells.find(({ state }) => state === 'running')?.run;
  if (running) return <StopMenu choices={choicesOf(sweep.id, running, waiting, dropped)} />;
  // `here` without a run that trains: the next one is about to begin.
  if (waiting === 0 || here) return null;
  return (
    <>
      <Button
        size="xs"
        leftSection={<Icon name="play" size={12} />}
        disabled={other !== undefined}
        title={other ? `“${other.name}” is training; one run at a time` : undefined}
        onClick={() => void goOnWithSweep(sweep.id)}
      >
        Go on: {plural(waiting, 'run')} left
      </Button>
      <button type="button" className="link" onClick={() => void dropRest(sweep.id).then(dropped)}>
        Drop what waits
      </button>
    </>
  );
};

/** Name, progress over all runs and the time to go, what trains now, and what can be done. */
const Head = ({ sweep, grid }: { sweep: RunSweep; grid: Grid }) => {
  const [dropped, setDropped] = useState<{ ids: string[]; at: number } | null>(null);
  const [gone] = useUndoable(dropped ? [dropped] : []);
  const setGone = (ids: string[]): void => setDropped({ ids, at: Date.now() });
  const steps = useTrain((state) => state.steps);
  const progress = useTrain((state) => state.progress);
  const left = useMemo(() => leftOf(grid.cells, { steps, progress }), [grid, steps, progress]);
  const kept = grid.cells.filter(({ state }) => state !== 'dropped');
  const over = kept.filter(({ state }) => !['waiting', 'running'].includes(state)).length;
  const running = kept.find(({ state }) => state === 'running')?.run;
  return (
    <header className="run-head">
      <div className="run-title">
        <h1>{sweep.name}</h1>
        <span className="fine">
          sweep over {sweep.axes.map(({ path }) => path).join(' × ')} ·{' '}
          {plural(grid.cells.length, 'run')}
        </span>
        <span className="grow" />
        <Link href="/train?new=1">New run</Link>
      </div>
      <div className="run-progress-row">
        <span className="progress-name">
          <b>{over}</b> of {plural(kept.length, 'run')} ended
        </span>
        <progress
          className="bar"
          max={Math.max(1, kept.length)}
          value={over}
          aria-label="Runs ended"
        />
        <span className="fine" role="status">
          {over === kept.length
            ? ''
            : left === null
              ? 'Time left appears after step 1'
              : `≈ ${formatDuration(left)} left`}
        </span>
      </div>
      {running ? (
        <p className="fine sweep-now">
          Trains now:{' '}
          <Link href={formatTrainAddress({ run: running.id, step: null })}>{running.name}</Link>,
          step {running.step} / {running.settings.steps}
        </p>
      ) : null}
      <div className="run-buttons">
        <Controls sweep={sweep} grid={grid} dropped={setGone} />
        {gone && gone.ids.length > 0 ? (
          <span role="status">
            {plural(gone.ids.length, 'run')} dropped.{' '}
            <button
              type="button"
              className="link strong"
              onClick={() => {
                setDropped(null);
                void bringBack(gone.ids);
              }}
            >
              Undo
            </button>{' '}
            <span className="fine">{FREED_LATER}</span>
          </span>
        ) : null}
      </div>
    </header>
  );
};

/** The runs one below the other, each with its state and its last held-out score. */
const CellTable = ({ grid, says, value }: { grid: Grid; says: string; value: string }) => {
  const steps = useTrain((state) => state.steps);
  return (
    <Table className="plain-table" heads={[['run'], ['state'], [value, 'figure'], [says]]}>
      {grid.cells.map((cell) => (
        <tr key={cell.name}>
          <th scope="row">
            {cell.run && cell.state !== 'dropped' ? (
              <Link href={formatTrainAddress({ run: cell.run.id, step: null })}>{cell.name}</Link>
            ) : (
              cell.name
            )}
          </th>
          <td>
            {cell.run && cell.state !== 'dropped' ? <StatusBadge run={cell.run} /> : 'dropped'}
          </td>
          <td className="figure">
            {cell.best ? '★ ' : ''}
            {cell.text}
          </td>
          <td className="fine">{cell.run ? scoreWords(steps[cell.run.id]) : ''}</td>
        </tr>
      ))}
    </Table>
  );
};

/** A sweep: how far it is, what it came to, and the way into each of its runs. */
export const SweepView = ({ sweep, runs }: { sweep: RunSweep; runs: readonly RunRecord[] }) => {
  const [, go] = useLocation();
  const [metricId, setMetric] = useState('em');
  const steps = useTrain((state) => state.steps);
  // Numbers are read off the steps; a run that has made none has nothing to read.
  useAllSteps(runs.filter(({ step }) => step > 0).map(({ id }) => id));
  const metric = metricOf(metricId);
  const grid = useMemo(
    () => sweepGrid(runs, sweep.axes, steps, metric),
    [runs, sweep.axes, steps, metric],
  );
  const says = ({ name, state, run }: GridCell): string =>
    `${name} ${STATES[state]}${run && state !== 'dropped' && state !== 'waiting' ? `: ${scoreWords(steps[run.id])}` : ''}.`;
  const open = ({ run, state }: GridCell): void => {
    if (run && state !== 'dropped') go(formatTrainAddress({ run: run.id, step: null }));
  };
  const title = metric.title.charAt(0).toUpperCase() + metric.title.slice(1);
  return (
    <>
      <Head sweep={sweep} grid={grid} />
      <Picture
        id="sweep"
        heading="h2"
        className="sweep-picture"
        title={title}
        note="One seed per cell unless the seed is swept: two cells whose intervals overlap cannot be distinguished."
        empty={null}
        controls={
          <Select
            size="xs"
            className="sweep-metric"
            label="Number"
            value={metric.id}
            data={SWEEP_METRICS.map(({ id, title: label }) => ({ value: id, label }))}
            onChange={(event) => setMetric(event.currentTarget.value)}
          />
        }
        renderPicture={(width) => <HeatMap grid={grid} width={width} says={says} open={open} />}
        renderTable={() => (
          <CellTable grid={grid} value={metric.title} says="held-out EM with its interval" />
        )}
      />
    </>
  );
};
