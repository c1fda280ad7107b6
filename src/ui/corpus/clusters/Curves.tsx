import { useMemo } from 'react';
import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceDot,
  ReferenceLine,
  XAxis,
  YAxis,
} from 'recharts';
import { temperature } from '../../../retrieval/cluster/sampling.ts';
import type { ClusterOverview } from '../../../lab/contract/clusters.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { formatCount, plural } from '../../kit/words/format.ts';
import type { SamplingOptions } from '../../../retrieval/cluster/options.ts';

/** τ after a number of queries. */
interface CurvePoint {
  query: number;
  temperature: number;
}

/** Points of the curve; it bends little between them. */
const STEPS = 60;

/** τ over queries, from the start to slightly after the end of annealing. */
export function temperatureCurve(sampling: SamplingOptions): CurvePoint[] {
  const last = Math.round(sampling.annealingQueries * 1.1);
  const at = Array.from({ length: STEPS + 1 }, (_, i) => Math.round((i / STEPS) * last));
  // The held part ends in a corner.
  const queries = [...new Set([...at, sampling.heldQueries])].sort((a, b) => a - b);
  return queries.map((query) => ({ query, temperature: temperature(query, sampling) }));
}

/** CSS pixels, as for the training charts. */
const HEIGHT = 168;
/** The chart library takes styles as values; colours are CSS variables, so they follow the theme. */
const TICK = { fill: 'var(--dim)', fontSize: 11 };
const MARGIN = { top: 10, right: 14, bottom: 0, left: 0 };
/** Room for the names of the lines. */
const NAMES = 64;

const CURVE_HEADS: readonly Head[] = [
  ['queries', 'figure'],
  ['τ', 'figure'],
];

/** τ by the number of queries, with its current value. */
export const TemperatureChart = ({ overview }: { overview: ClusterOverview }) => {
  const { sampling, learning } = overview;
  const { queries } = learning;
  const curve = useMemo(() => temperatureCurve(sampling), [sampling]);
  const now = temperature(queries, sampling);
  return (
    <Picture
      id="temperature"
      title="Temperature τ"
      empty={null}
      renderPicture={(width) => (
        <div
          className="cluster-plot"
          role="img"
          aria-label={`Temperature by queries: ${now.toFixed(2)} after ${queries}`}
        >
          <LineChart width={width} height={HEIGHT} data={curve} margin={MARGIN}>
            <CartesianGrid stroke="var(--line)" vertical={false} />
            <XAxis dataKey="query" type="number" domain={['dataMin', 'dataMax']} tick={TICK} />
            <YAxis tick={TICK} width={38} domain={[0, sampling.initialTemperature]} />
            <Line
              dataKey="temperature"
              stroke="var(--series-0)"
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
            <ReferenceDot
              x={queries}
              y={now}
              r={4.5}
              fill="var(--series-1)"
              stroke="var(--panel)"
            />
          </LineChart>
        </div>
      )}
      renderTable={() => (
        <Table className="plain-table" heads={CURVE_HEADS}>
          {curve.map((point) => (
            <tr key={point.query}>
              <td className="figure">{formatCount(point.query)}</td>
              <td className="figure">{point.temperature.toFixed(3)}</td>
            </tr>
          ))}
        </Table>
      )}
      foot={
        <p className="fine" data-legend="">
          By queries. Dot: now {now.toFixed(2)} after {plural(queries, 'query', 'queries')}; held at{' '}
          {sampling.initialTemperature} for {sampling.heldQueries}, then annealed to{' '}
          {sampling.minimumTemperature}
        </p>
      }
    />
  );
};

/** The scores used to choose the number of clusters, with their colours. */
const LINES = [
  { key: 'elbow', colour: 1 },
  { key: 'silhouette', colour: 2 },
  { key: 'score', colour: 0 },
] as const;

const CHOICE_HEADS: readonly Head[] = [
  ['clusters', 'figure'],
  ...LINES.map(({ key }): Head => [key, 'figure']),
];

/** Elbow, silhouette and their combination, by the number of clusters tried. */
export const ChoiceChart = ({ choice }: { choice: NonNullable<ClusterOverview['choice']> }) => {
  const { clusters: chosen, scores } = choice;
  const tried = scores.map(({ clusters }) => clusters);
  return (
    <Picture
      id="clusters"
      title="Number of clusters"
      empty={null}
      renderPicture={(width) => (
        <div
          className="cluster-plot"
          role="img"
          aria-label={`${chosen} clusters were chosen; tried: ${scores
            .map((one) => `${one.clusters} with score ${one.score.toFixed(2)}`)
            .join(', ')}`}
        >
          <LineChart
            width={width}
            height={HEIGHT}
            data={scores}
            margin={{ ...MARGIN, right: NAMES }}
          >
            <CartesianGrid stroke="var(--line)" vertical={false} />
            <XAxis
              dataKey="clusters"
              type="number"
              // Kneedle looks for the elbow over log k, so the axis is logarithmic.
              scale="log"
              domain={['dataMin', 'dataMax']}
              ticks={tried}
              tick={TICK}
            />
            <YAxis
              tick={TICK}
              width={38}
              domain={['auto', 'auto']}
              tickFormatter={(value: number) => value.toFixed(2)}
            />
            <ReferenceLine x={chosen} stroke="var(--dim)" strokeDasharray="3 3" />
            {LINES.map(({ key, colour }) => (
              <Line
                key={key}
                dataKey={key}
                stroke={`var(--series-${colour})`}
                dot={{ r: 2.5, strokeWidth: 0, fill: `var(--series-${colour})` }}
                activeDot={false}
                isAnimationActive={false}
              />
            ))}
          </LineChart>
          {/* Names are next to the plot in the colour of their line, ordered from the top. */}
          <div className="chart-labels" aria-hidden="true">
            {LINES.map(({ key, colour }, i) => (
              <span key={key} style={{ top: 16 + 14 * i, color: `var(--series-ink-${colour})` }}>
                {key}
              </span>
            ))}
          </div>
        </div>
      )}
      renderTable={() => (
        <Table className="plain-table" heads={CHOICE_HEADS}>
          {scores.map((one) => (
            <tr key={one.clusters}>
              <td className="figure">{formatCount(one.clusters)}</td>
              {LINES.map(({ key }) => (
                <td key={key} className="figure">
                  {one[key].toFixed(3)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      foot={
        <p className="fine" data-legend="">
          Dashed: {chosen} chosen of {tried.join(', ')}
        </p>
      }
    />
  );
};
