import { Checkbox, TextInput } from '@mantine/core';
import { Fragment, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { coldStartFigures } from '../../evaluate/cold-start-figures.ts';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import { DASH, formatCount, formatDayTime, formatShare, plural } from '../kit/words/format.ts';
import { PickField } from '../kit/PickField.tsx';
import { BelowRow, ListTable, RowActions } from '../kit/ListTable.tsx';
import { removeRun } from '../train/store/train-actions.ts';
import {
  formatSweepAddress,
  formatTrainAddress,
  MOST_COMPARED,
} from '../train/store/train-address.ts';
import { useTrain } from '../train/store/train-store.ts';
import { useAllSteps } from '../train/store/use-all-steps.ts';
import { StatusBadge } from '../train/run/RunHeader.tsx';
import { Sparkline } from '../train/charts/Sparkline.tsx';
import { curveOf, figuresOf } from './figures.ts';
import {
  FIRST_ORDER,
  firstOf,
  isSortName,
  matching,
  ordered,
  pressed,
  SORT_NAMES,
} from './list-order.ts';
import { RunEditor } from './RunEditor.tsx';

/** Letter and colour of a run in the comparison charts. */
export interface RunKey {
  letter: string;
  colour: number;
}

/**
 * The key of a run; null if it is not compared.
 * @param compared ids in order of selection: the first one is A, whatever the order of the table
 */
export const keyOf = (compared: readonly string[], id: string): RunKey | null => {
  const index = compared.indexOf(id);
  return index < 0 ? null : { letter: String.fromCharCode(65 + index), colour: index };
};

/** The letter on the colour of the run’s lines. */
export const KeyBadge = ({ letter, colour }: RunKey) => (
  <b className="run-key" style={{ background: `var(--series-ink-${colour})` }}>
    {letter}
  </b>
);

/** Last EM and held-out EM, first and last. Empty while only some steps are loaded. */
const Figures = ({ run }: { run: RunRecord }) => {
  const steps = useTrain((state) => state.steps[run.id]);
  const reading = useTrain((state) => state.reading.includes(run.id));
  const { lastEm, heldOut } = figuresOf(steps ?? []);
  const curve = curveOf(steps ?? []);
  // Numbers of some steps would look like those of the run.
  if (reading)
    return (
      <>
        <td className="figure wide-only">…</td>
        <td className="figure" title="Loading the steps">
          …
        </td>
        <td />
      </>
    );
  return (
    <>
      <td className="figure wide-only">{formatShare(lastEm)}</td>
      <td
        className="figure"
        data-label="held-out EM"
        title={heldOut ? `${heldOut.n} questions, last scored at step ${heldOut.step}` : undefined}
      >
        {heldOut === null ? (
          DASH
        ) : heldOut.first === heldOut.last ? (
          formatShare(heldOut.last)
        ) : (
          <>
            <span className="fine">{formatShare(heldOut.first)} →</span> {formatShare(heldOut.last)}
          </>
        )}
      </td>
      <td title={curve.name}>
        <Sparkline points={curve.points} name={curve.name} />
      </td>
    </>
  );
};

interface RowProps {
  run: RunRecord;
  compared: readonly string[];
  compare: (ids: string[]) => void;
  open: boolean;
  toggle: () => void;
}

/** A row of the list; selected runs are added to the charts below. The selection is in the address. */
const RunRow = ({ run, compared, compare, open, toggle }: RowProps) => {
  const key = keyOf(compared, run.id);
  const coldStart = run.coldStart?.at(-1);
  const full = key === null && compared.length >= MOST_COMPARED;
  return (
    <tr className={key ? 'chosen' : ''} data-run={run.id}>
      <td>
        <Checkbox
          size="xs"
          aria-label={`Compare ${run.name}`}
          checked={key !== null}
          disabled={full}
          title={full ? `At most ${MOST_COMPARED} runs can be compared` : undefined}
          onChange={() =>
            compare(key ? compared.filter((id) => id !== run.id) : [...compared, run.id])
          }
        />
      </td>
      <td className="row-name">
        {key ? (
          <>
            <KeyBadge {...key} />{' '}
          </>
        ) : null}
        <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link>
        <div>
          {run.sweep ? (
            <Link className="fine" href={formatSweepAddress(run.sweep.id)}>
              its sweep
            </Link>
          ) : null}
          {run.tags.map((tag) => (
            <span key={tag} className="badge">
              {tag}
            </span>
          ))}
        </div>
        {coldStart ? (
          <div className="fine">
            Cold start {formatCount(coldStart.update)} / {formatCount(coldStart.updates)}:{' '}
            {coldStartFigures(coldStart)
              .filter(({ name }) => name !== 'epoch' && name !== 'tokens/s')
              .map(({ name, value }) => `${name} ${value}`)
              .join(', ')}
          </div>
        ) : null}
        {run.notes && !open ? <div className="fine run-notes">{run.notes}</div> : null}
      </td>
      <td>
        <StatusBadge run={run} />
      </td>
      <td className="wide-only">{run.settings.preset}</td>
      <td className="figure" data-label="steps">
        {formatCount(run.step)} / {formatCount(run.settings.steps)}
      </td>
      <Figures run={run} />
      <td className="wide-only fine">
        <time dateTime={run.createdAt}>{formatDayTime(run.createdAt)}</time>
      </td>
      <td>
        <RowActions
          name={run.name}
          open={open}
          toggle={toggle}
          remove={() => void removeRun(run.id)}
        />
      </td>
    </tr>
  );
};

/** Table columns; those that do not fit on a narrow screen are hidden first. */
const HEADS = [
  ['compare', 'visually'],
  ['name', ''],
  ['status', ''],
  ['recipe', 'wide-only'],
  ['steps', 'figure'],
  ['last EM', 'figure wide-only'],
  ['held-out EM', 'figure'],
  ['curve', ''],
  ['created', 'wide-only'],
  ['actions', 'visually'],
] as const;

interface RunsTableProps {
  runs: readonly RunRecord[];
  compared: readonly string[];
  compare: (ids: string[]) => void;
}

/**
 * All stored runs that match the filter, newest first unless sorted. One can be open for its name,
 * notes and exports.
 */
export const RunsTable = ({ runs, compared, compare }: RunsTableProps) => {
  const [opened, setOpened] = useState<string | null>(null);
  const [order, setOrder] = useState(FIRST_ORDER);
  const [filter, setFilter] = useState('');
  const steps = useTrain((state) => state.steps);
  // Every run’s numbers and curve are computed from its steps.
  useAllSteps(runs.map(({ id }) => id));
  const shown = useMemo(
    () => ordered(matching(runs, filter), order, steps),
    [runs, filter, order, steps],
  );
  const sorting = {
    names: SORT_NAMES,
    ...order,
    sort: (name: string) => {
      if (isSortName(name)) setOrder(pressed(order, name));
    },
  };
  return (
    <>
      {runs.length > 1 ? (
        <div className="runs-filter">
          <TextInput
            size="xs"
            type="search"
            aria-label="Filter the runs"
            placeholder="name, recipe, tag, state …"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <PickField
            className="runs-order"
            aria-label="Order of the runs"
            values={SORT_NAMES}
            names={Object.fromEntries(SORT_NAMES.map((name) => [name, `by ${name}`]))}
            value={order.by}
            onPick={(name) => isSortName(name) && setOrder(firstOf(name))}
          />
          <span className="fine" role="status">
            {filter.trim() === '' ? '' : `${shown.length} of ${plural(runs.length, 'run')}`}
          </span>
        </div>
      ) : null}
      <ListTable name="Runs" heads={HEADS} sorting={sorting}>
        {shown.map((run) => (
          <Fragment key={run.id}>
            <RunRow
              run={run}
              compared={compared}
              compare={compare}
              open={opened === run.id}
              toggle={() => setOpened(opened === run.id ? null : run.id)}
            />
            {opened === run.id ? (
              <BelowRow heads={HEADS}>
                <RunEditor run={run} />
              </BelowRow>
            ) : null}
          </Fragment>
        ))}
      </ListTable>
    </>
  );
};
