import { useElementSize } from '@mantine/hooks';
import { useMemo, type ReactNode } from 'react';
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
import { plural } from '../../kit/words/format.ts';
import { temperatureCurve } from './curves.ts';

/** CSS pixels, of the charts on the training page too. */
const HEIGHT = 168;
const TICK = { fill: 'var(--dim)', fontSize: 11 };
const MARGIN = { top: 10, right: 14, bottom: 0, left: 0 };

/**
 * A small chart with its title and a line below. Recharts needs a width in pixels, so it is drawn
 * once the box has one; `label` says in words what the picture shows.
 */
const Frame = (props: {
  title: string;
  note: ReactNode;
  label: string;
  children: (width: number) => ReactNode;
}) => {
  const { ref, width } = useElementSize();
  return (
    <section className="chart" aria-label={props.title}>
      <header>
        <h3>{props.title}</h3>
      </header>
      <div
        ref={ref}
        className="cluster-plot"
        role="img"
        aria-label={props.label}
        style={{ height: HEIGHT }}
      >
        {width > 0 ? props.children(width) : null}
      </div>
      <div className="chart-foot">
        <span className="fine">{props.note}</span>
      </div>
    </section>
  );
};

/** τ by the number of queries, and where it stands. */
export const TemperatureChart = ({ overview }: { overview: ClusterOverview }) => {
  const { sampling, learning } = overview;
  const { queries } = learning;
  const curve = useMemo(() => temperatureCurve(sampling), [sampling]);
  const now = temperature(queries, sampling);
  return (
    <Frame
      title="Temperature τ"
      label={`Temperature by queries: ${now.toFixed(2)} after ${queries}`}
      note={`now ${now.toFixed(2)} after ${plural(queries, 'query', 'queries')}; held at ${sampling.initialTemperature} for ${sampling.heldQueries}, then annealed to ${sampling.minimumTemperature}`}
    >
      {(width) => (
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
          <ReferenceDot x={queries} y={now} r={4.5} fill="var(--series-1)" stroke="var(--panel)" />
        </LineChart>
      )}
    </Frame>
  );
};

/** The measures by which the number of clusters is chosen, with their colours. */
const LINES = [
  { key: 'elbow', name: 'elbow', colour: 'var(--series-1)' },
  { key: 'silhouette', name: 'silhouette', colour: 'var(--series-2)' },
  { key: 'score', name: 'score', colour: 'var(--series-0)' },
] as const;

/** Elbow, silhouette and their combination, by the number of clusters that was tried. */
export const ChoiceChart = ({ choice }: { choice: NonNullable<ClusterOverview['choice']> }) => (
  <Frame
    title="Number of clusters"
    label={`${choice.clusters} clusters were chosen; tried: ${choice.scores
      .map((one) => `${one.clusters} with score ${one.score.toFixed(2)}`)
      .join(', ')}`}
    note={
      <>
        {LINES.map(({ key, name, colour }) => (
          <span key={key} className="cluster-key">
            <i style={{ background: colour }} /> {name}
          </span>
        ))}
        {choice.clusters} chosen of {choice.scores.map(({ clusters }) => clusters).join(', ')}
      </>
    }
  >
    {(width) => (
      <LineChart width={width} height={HEIGHT} data={choice.scores} margin={MARGIN}>
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis
          dataKey="clusters"
          type="number"
          scale="log"
          domain={['dataMin', 'dataMax']}
          ticks={choice.scores.map(({ clusters }) => clusters)}
          tick={TICK}
        />
        <YAxis
          tick={TICK}
          width={38}
          domain={['auto', 'auto']}
          tickFormatter={(value: number) => value.toFixed(2)}
        />
        <ReferenceLine x={choice.clusters} stroke="var(--dim)" strokeDasharray="3 3" />
        {LINES.map(({ key, colour }) => (
          <Line
            key={key}
            dataKey={key}
            stroke={colour}
            dot={{ r: 2.5, strokeWidth: 0, fill: colour }}
            activeDot={false}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    )}
  </Frame>
);
