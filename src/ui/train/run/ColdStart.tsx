import { useMemo } from 'react';
import { coldStartFigures } from '../../../evaluate/cold-start-figures.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { ColdStartPoint } from '../../../records/training.ts';
import { Chart } from '../../kit/charts/Chart.tsx';
import { ChartsTogether } from '../../kit/charts/charts-store.tsx';
import type { ChartSpec, Series } from '../../kit/charts/series.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { formatCount, formatShare, plural } from '../../kit/words/format.ts';

/** The cold start of a run: how its evaluations went, as a sentence and as charts over its updates. */

type Points = readonly ColdStartPoint[];

const series = (
  points: Points,
  name: string,
  colour: number,
  of: (point: ColdStartPoint) => number | null | undefined,
): Series => ({
  id: name,
  name,
  colour,
  points: points.flatMap((point) => {
    const y = of(point);
    return y === null || y === undefined ? [] : [{ x: point.update, y }];
  }),
  sparse: true,
});

const chartOf = (
  spec: Pick<ChartSpec, 'id' | 'title' | 'note' | 'unit' | 'series'>,
): ChartSpec => ({
  ...spec,
  axis: 'update',
  kind: 'lines',
  series: spec.series.filter(({ points }) => points.length > 0),
  empty: 'Shows with the first evaluation.',
});

const chartsOf = (points: Points): ChartSpec[] =>
  [
    chartOf({
      id: 'cold-loss',
      title: 'Loss of the cold start',
      note: 'nats per token of the demonstrations: mean of the updates before it, and of those held out',
      unit: 'nats',
      series: [
        series(points, 'held out', 0, ({ heldOutLoss }) => heldOutLoss),
        series(points, 'trained', 1, ({ loss }) => loss),
      ],
    }),
    chartOf({
      id: 'cold-answers',
      title: 'Format, EM and F1',
      note: 'rollouts on held-out questions',
      unit: 'share',
      series: [
        series(points, 'format', 2, ({ answers }) => answers?.formatValid),
        series(points, 'EM', 0, ({ answers }) => answers?.em),
        series(points, 'F1', 4, ({ answers }) => answers?.f1),
      ],
    }),
    chartOf({
      id: 'cold-searches',
      title: 'Searches per question',
      note: 'rollouts on held-out questions',
      unit: 'number',
      series: [series(points, 'searches', 5, ({ answers }) => answers?.searches)],
    }),
  ].filter((spec) => spec.series.length > 0);

/** "After 60 of 381 updates: epoch 0.63, loss 0.412, held-out loss 0.398, format 81 %, searches 2.02, EM 0.188 …" */
const stateWords = (point: ColdStartPoint): string =>
  `After ${formatCount(point.update)} of ${plural(point.updates, 'update')}: ` +
  `${coldStartFigures(point)
    .map(({ name, value }) => `${name} ${value}`)
    .join(', ')}.`;

/** What changed since before the first update. */
const changeWords = (first: ColdStartPoint, last: ColdStartPoint): string => {
  const [a, b] = [first.answers, last.answers];
  const format = a && b ? [`format ${formatShare(a.formatValid)}`, `EM ${formatShare(a.em)}`] : [];
  const loss = first.heldOutLoss === null ? [] : [`held-out loss ${first.heldOutLoss.toFixed(3)}`];
  const before = [...loss, ...format];
  return before.length === 0 ? '' : ` Before it: ${before.join(', ')}.`;
};

export const ColdStart = ({ run }: { run: RunRecord }) => {
  const { coldStart = [] } = run;
  const charts = useMemo(() => chartsOf(coldStart), [coldStart]);
  const [first, last] = [coldStart[0], coldStart.at(-1)];
  if (!first || !last) return null;
  return (
    <section aria-label="Cold start" className="chart-group" data-testid="cold-start">
      <h2>Cold start</h2>
      <p>
        <Terms>{stateWords(last)}</Terms>
        {last === first ? '' : changeWords(first, last)}
        {last.reached ? ' It ended because the format rate was reached.' : ''}
      </p>
      <ChartsTogether>
        <div className="chart-grid">
          {charts.map((spec) => (
            <Chart key={spec.id} spec={spec} />
          ))}
        </div>
      </ChartsTogether>
    </section>
  );
};
