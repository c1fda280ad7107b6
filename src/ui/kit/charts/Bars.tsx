import { useElementSize } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { formatCount, formatShare } from '../words/format.ts';
import { fitted } from './fitted.ts';
import { Terms } from '../words/explain/Term.tsx';
import { SaveChart } from './picture/SaveChart.tsx';

interface Bar {
  key: string;
  name: string;
  count: number;
  /** Its meaning, shown on hover. */
  note: string;
  /** Index of the colour; see `--series-0`. */
  colour: number;
}

interface BarsProps {
  id: string;
  title: string;
  note: string;
  bars: readonly Bar[];
  /** The total for shares. */
  total: number;
  empty: string;
  /** Opens the cases of a bar. */
  onPick: (key: string) => void;
}

const ROW = 22;
/** Share of the width for names. */
const NAME = 0.56;

/** The drawing; buttons that open cases are above it. */
const Drawing = ({ bars, width }: Pick<BarsProps, 'bars'> & { width: number }) => {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const from = Math.round(Math.min(230, width * NAME));
  const room = Math.max(10, width - from - 46);
  return (
    <svg width={width} height={bars.length * ROW} aria-hidden="true">
      {bars.map(({ key, name, count, colour }, i) => (
        <g key={key} transform={`translate(0 ${i * ROW})`}>
          <text x={from - 8} y={15} textAnchor="end" className="bar-name">
            {fitted(name, from - 8)}
          </text>
          <rect
            x={from}
            y={4}
            width={Math.max(count > 0 ? 1.5 : 0, (count / most) * room)}
            height={14}
            rx={2}
            style={{ fill: `var(--series-${colour % 8})` }}
          />
          <text x={from + (count / most) * room + 5} y={15} className="bar-count">
            {formatCount(count)}
          </text>
        </g>
      ))}
    </svg>
  );
};

const Table = ({ bars, total, title, onPick }: BarsProps) => (
  <table className="bars-table" aria-label={title}>
    <tbody>
      {bars.map(({ key, name, count, note }) => (
        <tr key={key}>
          <th scope="row">
            <button type="button" className="link" onClick={() => onPick(key)}>
              {name}
            </button>
            <p className="fine">{note}</p>
          </th>
          <td className="figure">{formatCount(count)}</td>
          <td className="figure fine">{formatShare(total === 0 ? null : count / total)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** Counts by kind as bars that open their cases, and as a table. */
export const Bars = (props: BarsProps) => {
  const { id, title, note, bars, total, empty, onPick } = props;
  const [asTable, setAsTable] = useState(false);
  const { ref, width } = useElementSize();
  const box = useRef<HTMLElement>(null);
  return (
    <section className="chart bars" aria-label={title} data-chart={id} ref={box}>
      <header>
        <h3 title={note}>
          <Terms>{title}</Terms>
        </h3>
        <span className="grow" />
        {bars.length === 0 ? null : (
          <>
            {asTable ? null : <SaveChart box={box} title={title} />}
            <button
              type="button"
              className="link"
              aria-label={`${title}: ${asTable ? 'chart' : 'table'}`}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? 'chart' : 'table'}
            </button>
          </>
        )}
      </header>
      {bars.length === 0 ? (
        <p className="fine chart-empty">{empty}</p>
      ) : asTable ? (
        <Table {...props} />
      ) : (
        <div ref={ref} className="bars-box" style={{ height: bars.length * ROW }}>
          {width > 0 ? <Drawing bars={bars} width={width} /> : null}
          {bars.map(({ key, name, count, note: what }, i) => (
            <button
              key={key}
              type="button"
              className="bar-button"
              style={{ top: i * ROW, height: ROW }}
              title={`${what} ${formatShare(total === 0 ? null : count / total)} of ${formatCount(total)}.`}
              aria-label={`${name}: ${count}. Open these`}
              onClick={() => onPick(key)}
            />
          ))}
        </div>
      )}
    </section>
  );
};
