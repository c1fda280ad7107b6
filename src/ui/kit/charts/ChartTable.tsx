import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { allX, valueAt, type ChartSpec } from './series.ts';
import { formatValue } from './units.ts';

const ROW_HEIGHT = 22;

interface ChartTableProps {
  spec: ChartSpec;
  selected: number | null;
  onSelect: ((step: number) => void) | undefined;
}

/** The numbers of a chart, newest step first; only visible rows are rendered. */
export const ChartTable = ({ spec, selected, onSelect }: ChartTableProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const steps = useMemo(() => allX(spec.series).reverse(), [spec.series]);
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      className="chart-table"
      tabIndex={0}
      role="group"
      aria-label={`${spec.title}, table`}
    >
      <table aria-rowcount={steps.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="figure">
              {spec.axis ?? 'step'}
            </th>
            {spec.series.map(({ id, name }) => (
              <th key={id} scope="col" className="figure">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr aria-hidden="true" style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const step = steps[index];
            if (step === undefined) return null;
            return (
              <tr
                key={step}
                aria-rowindex={index + 2}
                className={step === selected ? 'chosen' : ''}
                style={{ height: ROW_HEIGHT }}
              >
                <th scope="row" className="figure">
                  {onSelect ? (
                    <button type="button" className="link" onClick={() => onSelect(step)}>
                      {step}
                    </button>
                  ) : (
                    step
                  )}
                </th>
                {spec.series.map(({ id, points }) => (
                  <td key={id} className="figure">
                    {formatValue(valueAt(points, step), spec.unit)}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 ? <tr aria-hidden="true" style={{ height: after }} /> : null}
        </tbody>
      </table>
    </div>
  );
};
