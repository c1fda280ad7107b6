import { Button, TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import { parseSweep, sweepable, valueText, type SweepAxis } from '../../../evaluate/sweep/axes.ts';
import { MOST_CELLS, planSweep, type SweepCell } from '../../../evaluate/sweep/cells.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import { checkTrainable } from '../../../learn/rl/trainable.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { plural } from '../../kit/words/format.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { startSweep } from '../store/sweep-actions.ts';
import { startOf, useStartRun } from './fields/start-from.ts';
import { formatSweepAddress } from '../store/train-address.ts';
import { readPath, useTrainForm, editDraft } from '../store/train-draft.ts';
import { trainApi, useTrain } from '../store/train-store.ts';

/** What is swept most, by path; the words of the form. */
const OFTEN: Readonly<Record<string, string>> = {
  'optimizer.learningRate': 'learning rate',
  groupSize: 'rollouts per question',
  questions: 'questions per step',
  temperature: 'temperature',
  seed: 'seed',
  'objective.kl.coefficient': 'KL coefficient',
  'adapter.rank': 'rank of the adapter',
  updates: 'updates per step',
};

/** Path of a reward’s factor: its stage from 0, and its clause. */
const WEIGHT = /^stages\.(\d+)\.weights\.(.+)$/;

/** A setting as text, where the form has some; else its path. */
const labelOf = (path: string): string => {
  const [, stage, clause] = WEIGHT.exec(path) ?? [];
  if (stage !== undefined) return `weight of ${clause} in the reward of stage ${Number(stage) + 1}`;
  return OFTEN[path] ?? path;
};

/**
 * What these settings can be swept over: what is swept most, then all else.
 * @param chosen stay in the list though they do nothing any more; why is below
 */
const choicesOf = (settings: TrainSettings, chosen: readonly string[]) => {
  const can = sweepable(settings);
  const paths = [...can, ...chosen.filter((path) => path !== '' && !can.includes(path))];
  const often = [
    ...Object.keys(OFTEN).filter((path) => paths.includes(path)),
    ...paths.filter((path) => WEIGHT.test(path)),
  ];
  const items = (of: readonly string[]) => of.map((value) => ({ value, label: labelOf(value) }));
  return [
    { group: 'Often', items: items(often) },
    { group: 'Every setting', items: items(paths.filter((path) => !often.includes(path))) },
  ];
};

/** Values to begin with: the run's own, and one beside it. */
const suggested = (settings: TrainSettings, path: string): string => {
  const own: unknown = readPath(settings, path);
  if (typeof own === 'boolean') return 'false, true';
  if (typeof own !== 'number') return typeof own === 'string' ? own : '0.1, 0.3';
  const other = path === 'seed' ? own + 1 : own === 0 ? 0.01 : Number((own * 2).toPrecision(3));
  return [own, other].map(valueText).join(', ');
};

/** An axis as it is written: the path of its setting, and its values as text. */
interface AxisDraft {
  /** Empty: no second axis. */
  path: string;
  text: string;
}

/** One side of the grid. Another setting brings values to begin with. */
const Axis = (props: {
  name: string;
  axis: AxisDraft;
  choices: ReturnType<typeof choicesOf>;
  optional: boolean;
  settings: TrainSettings;
  change: (axis: AxisDraft) => void;
}) => {
  const { name, axis, choices, optional, settings, change } = props;
  return (
    <div className="sweep-axis">
      <Select
        size="xs"
        label={name}
        value={axis.path}
        data={optional ? [{ value: '', label: '(only one setting)' }, ...choices] : choices}
        onChange={({ currentTarget: { value } }) =>
          change({ path: value, text: value === '' ? '' : suggested(settings, value) })
        }
      />
      <TextInput
        size="xs"
        label={`Values by ${name === 'Rows' ? 'row' : 'column'}`}
        placeholder="separated by commas"
        disabled={axis.path === ''}
        value={axis.text}
        onChange={({ currentTarget: { value } }) => change({ ...axis, text: value })}
      />
    </div>
  );
};

/** The runs of the grid, or why there is none. */
type Planned =
  | { axes: SweepAxis[]; cells: SweepCell[]; problem: null }
  | { axes: null; cells: null; problem: string };

/** @param summarizer whether the run has one: what asks for summaries is refused without */
const planned = (
  settings: TrainSettings,
  drafts: readonly AxisDraft[],
  summarizer: boolean,
): Planned => {
  try {
    const axes = drafts
      .filter(({ path }) => path !== '')
      // The syntax of the command line (`--sweep`), so that both take the same values.
      .flatMap(({ path, text }) => parseSweep(`${path}=${text.replaceAll(';', ',')}`));
    const cells = planSweep(settings, axes, (one) => checkTrainable(one, { summarizer }));
    return { axes, cells, problem: null };
  } catch (error) {
    return { axes: null, cells: null, problem: messageOf(error).replace(/^sweep: |\.$/g, '') };
  }
};

/** Wait for the panel to rest before the lab is asked. */
const REST_MS = 400;

/** Seconds of all runs as the lab estimates each; null while it does, or where it cannot. */
const useCost = (cells: readonly SweepCell[] | null, device: DeviceChoice): number | null => {
  const [cost, setCost] = useState<{
    of: readonly SweepCell[];
    measured: number;
    seconds: number;
  } | null>(null);
  const measured = useTrain((state) => state.measured);
  const setup = useSetup((state) => state.setup);
  useEffect(() => {
    if (!cells) return undefined;
    let live = true;
    const ask = async () => {
      let seconds = 0;
      // One after another, so that the worker answers other calls in between.
      for (const { settings } of cells) {
        if (!live) return;
        const one = await trainApi().estimate(settings, device, setup);
        // Without a measurement nothing is said.
        if (!one.time) return;
        seconds += one.time.secondsBefore + one.time.secondsPerStep * settings.steps;
      }
      if (live) setCost({ of: cells, measured, seconds });
    };
    // Without an estimate the sweep may start all the same; the run's own line says why there is none.
    const timer = setTimeout(() => void ask().catch(() => undefined), REST_MS);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [cells, device, setup, measured]);
  return cost?.of === cells && cost.measured === measured ? cost.seconds : null;
};

interface SweepPanelProps {
  settings: TrainSettings;
  /** Trajectories for a warm-up or for stages that learn from stored ones, where the settings want some. */
  demonstrations: File | null;
  /** Why no run can start now. */
  blocked: boolean;
}

/** A grid of runs over one or two of the settings above, one run after another. */
export const SweepPanel = ({ settings, demonstrations, blocked }: SweepPanelProps) => {
  const startRun = useStartRun();
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const { device, name } = useTrainForm(({ draft }) => draft);
  const [rows, setRows] = useState<AxisDraft>(() => ({
    path: 'optimizer.learningRate',
    text: suggested(settings, 'optimizer.learningRate'),
  }));
  const [columns, setColumns] = useState<AxisDraft>(() => ({
    path: 'groupSize',
    text: suggested(settings, 'groupSize'),
  }));
  const summarizer = useSetup(({ setup }) => setup.summarizer.kind !== 'off');
  const choices = useMemo(
    () => choicesOf(settings, [...new Set([rows.path, columns.path])]),
    [settings, rows.path, columns.path],
  );
  const plan = useMemo(
    () => planned(settings, [rows, columns], summarizer),
    [settings, rows, columns, summarizer],
  );
  const cost = useCost(plan.cells, device);
  const start = async () => {
    if (!plan.axes) return;
    setStarting(true);
    const id = await startSweep({
      name,
      axes: plan.axes,
      settings,
      device,
      demonstrations,
      startFrom: startOf(startRun),
    });
    setStarting(false);
    if (id === null) return;
    editDraft({ name: '' });
    go(formatSweepAddress(id));
  };
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // It opens above the button that was pressed, and may be out of sight.
    box.current?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <section className="sweep-panel" aria-label="Sweep" ref={box}>
      <h2>Sweep: a run for each pair of values</h2>
      <Axis
        name="Rows"
        axis={rows}
        choices={choices}
        optional={false}
        settings={settings}
        change={setRows}
      />
      <Axis
        name="Columns"
        axis={columns}
        choices={choices}
        optional
        settings={settings}
        change={setColumns}
      />
      <p className="fine" role="status" data-testid="sweep-cost">
        {plan.cells ? (
          <>
            {plural(plan.cells.length, 'run')} of {plural(settings.steps, 'step')}, one after
            another
            {cost === null ? '; how long they take shows once this device is measured' : ''}
            {cost === null ? null : (
              <>
                : <b>≈ {formatDuration(cost)}</b> together, ≈{' '}
                {formatDuration(cost / plan.cells.length)} each
              </>
            )}
            . They continue while other pages are open and pause when this tab is closed, until you
            continue them. At most {MOST_CELLS} runs.
          </>
        ) : (
          <span className="tone-bad">⚠ {plan.problem}.</span>
        )}
      </p>
      <div>
        <Button
          size="sm"
          loading={starting}
          disabled={blocked || !plan.cells}
          onClick={() => void start()}
        >
          {plan.cells ? `Start ${plural(plan.cells.length, 'run')}` : 'Start the sweep'}
        </Button>
      </div>
    </section>
  );
};
