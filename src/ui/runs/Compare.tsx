import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import type { TrainStep } from '../../records/training.ts';
import { headlineOf } from '../../evaluate/held-out-scores.ts';
import { runsVerdict } from '../../evaluate/training-verdict.ts';
import { Chart } from '../kit/charts/Chart.tsx';
import { ChartTools } from '../kit/charts/ChartTools.tsx';
import { ChartsTogether } from '../kit/charts/charts-store.tsx';
import { VerdictLine } from '../kit/page/VerdictLine.tsx';
import { plural } from '../kit/words/format.ts';
import { openSteps } from '../train/store/train-actions.ts';
import { useTrain } from '../train/store/train-store.ts';
import { comparedCharts } from './compare-specs.ts';
import { differingRates, differingSettings, rateChangeText } from './differing.ts';
import { seedGroups } from './seed-bands.ts';
import { KeyBadge, keyOf } from './RunsTable.tsx';

type StepsOf = Readonly<Record<string, readonly TrainStep[] | undefined>>;

/**
 * Says that the runs have equal settings, as far as known: a changed learning rate is only visible in
 * the steps.
 */
const same = (runs: readonly RunRecord[], steps: StepsOf, known: boolean): string => {
  const settings = 'These runs have the same settings and seed';
  if (!known)
    return `${settings}. Changes of the learning rate are shown once the steps are loaded.`;
  const [first] = runs;
  const change = first && rateChangeText(first.settings, steps[first.id] ?? []);
  return change ? `${settings}; so is the change of the learning rate, ${change}.` : `${settings}.`;
};

/** Settings that differ, as a table of settings by runs; a dash if a run lacks one. */
const Differences = ({ runs, steps }: { runs: readonly RunRecord[]; steps: StepsOf }) => {
  // The steps of one run say nothing about the rate of others.
  const known = useTrain(({ reading }) =>
    runs.every(({ id, step }) => step === 0 || (steps[id] && !reading.includes(id))),
  );
  const rows = useMemo(() => {
    const settings = differingSettings(runs.map((run) => run.settings));
    const rates = known
      ? differingRates(runs.map((run) => ({ ...run, steps: steps[run.id] ?? [] })))
      : null;
    return rates ? [...settings, rates] : settings;
  }, [runs, steps, known]);
  const ids = runs.map(({ id }) => id);
  if (rows.length === 0) return <p className="fine">{same(runs, steps, known)}</p>;
  return (
    <div className="list-scroll plain" tabIndex={0} role="group" aria-label="Settings, table">
      <table className="differences">
        <thead>
          <tr>
            <th scope="col">setting</th>
            {runs.map((run) => {
              const key = keyOf(ids, run.id);
              return (
                <th key={run.id} scope="col">
                  {key ? <KeyBadge {...key} /> : null} <span className="wide-only">{run.name}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, values }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              {values.map((value, index) => (
                <td key={ids[index]}>{value ?? '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Runs on shared axes, and the settings that differ. */
export const Compare = ({ runs }: { runs: readonly RunRecord[] }) => {
  // Deferred, because steps arrive during training and ten charts must not delay a click.
  const steps = useDeferredValue(useTrain((state) => state.steps));
  const reading = useTrain((state) => runs.filter(({ id }) => state.reading.includes(id)).length);
  // Records change with every step, ids do not.
  const key = runs.map(({ id }) => id).join(' ');
  useEffect(() => {
    for (const id of key.split(' ')) if (id !== '') void openSteps(id);
  }, [key]);
  const [apart, setApart] = useState(false);
  const groups = useMemo(
    () => seedGroups(runs, (run) => rateChangeText(run.settings, steps[run.id] ?? [])),
    [runs, steps],
  );
  const seeds = groups.some(({ length }) => length > 1);
  const charts = useMemo(
    () =>
      comparedCharts(
        runs.map(({ id }, index) => ({
          id,
          letter: String.fromCharCode(65 + index),
          colour: index,
          steps: steps[id] ?? [],
        })),
        apart ? undefined : groups,
      ),
    [runs, steps, groups, apart],
  );
  const verdict = useMemo(
    () =>
      runsVerdict(runs.map(({ id, name }) => ({ name, headline: headlineOf(steps[id] ?? []) }))),
    [runs, steps],
  );
  const last = Math.max(1, ...runs.map(({ id, step }) => steps[id]?.at(-1)?.step ?? step));
  return (
    <>
      {reading > 0 ? null : <VerdictLine verdict={verdict} />}
      {runs.length > 1 ? (
        <section aria-label="Settings that differ" className="chart-group">
          <h2>Settings that differ</h2>
          <Differences runs={runs} steps={steps} />
        </section>
      ) : null}
      <section aria-label="Charts" className="chart-group">
        <h2>{runs.length > 1 ? 'Shared axes' : 'Only one run; choose another to compare'}</h2>
        {reading > 0 ? (
          <p className="fine" role="status">
            The steps of {plural(reading, 'run')} are still loading.
          </p>
        ) : null}
        {seeds ? (
          <p>
            <label>
              <input
                type="checkbox"
                checked={!apart}
                onChange={(event) => setApart(!event.currentTarget.checked)}
              />{' '}
              Merge runs that differ only in the seed: mean line with a band
            </label>
          </p>
        ) : null}
        <ChartsTogether>
          <ChartTools first={0} last={last} />
          <div className="chart-grid">
            {charts.map((spec) => (
              <Chart key={spec.id} spec={spec} />
            ))}
          </div>
        </ChartsTogether>
      </section>
    </>
  );
};
