import { useCharts, useChartsStore } from './charts-store.tsx';

const STRONGEST = 0.95;

/** Smoothing, axis and step range of all charts of the page. */
export const ChartTools = ({ first, last }: { first: number; last: number }) => {
  const store = useChartsStore();
  const smoothing = useCharts(store, (state) => state.smoothing);
  const log = useCharts(store, (state) => state.log);
  const span = useCharts(store, (state) => state.span);
  const [from, to] = span ?? [first, last];
  const show = (low: number, high: number) => {
    if (!Number.isInteger(low) || !Number.isInteger(high) || low > high) return;
    store.setState({ span: low <= first && high >= last ? null : [low, high] });
  };
  return (
    <div className="chart-tools" role="group" aria-label="Chart settings">
      <label>
        Smoothing{' '}
        <input
          type="range"
          min={0}
          max={STRONGEST}
          step={0.05}
          value={smoothing}
          onChange={(event) => store.setState({ smoothing: event.currentTarget.valueAsNumber })}
        />{' '}
        <output className="figure">{smoothing.toFixed(2)}</output>
      </label>
      <label>
        <input
          type="checkbox"
          checked={log}
          onChange={(event) => store.setState({ log: event.currentTarget.checked })}
        />{' '}
        Log axis
      </label>
      <span className="chart-steps">
        <label>
          Steps{' '}
          <input
            type="number"
            min={first}
            max={to}
            value={from}
            onChange={(event) => show(event.currentTarget.valueAsNumber, to)}
          />
        </label>{' '}
        <label>
          to{' '}
          <input
            type="number"
            min={from}
            max={last}
            value={to}
            onChange={(event) => show(from, event.currentTarget.valueAsNumber)}
          />
        </label>{' '}
        <button
          type="button"
          className="link"
          disabled={span === null}
          onClick={() => store.setState({ span: null })}
        >
          all steps
        </button>
      </span>
      <span className="fine wide-only">
        Drag over a chart to zoom, or focus it and press + or −; 0 shows all.
      </span>
    </div>
  );
};
