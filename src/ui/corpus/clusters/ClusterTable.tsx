import { useMemo, useState } from 'react';
import type { ClusterOverview } from '../../../lab/contract/clusters.ts';
import { DASH, formatCount } from '../../kit/words/format.ts';

const ORDERS = ['size', 'weight', 'hits', 'cohesion'] as const;
type Order = (typeof ORDERS)[number];

/** Rows shown before the user asks for all. */
const SHOWN = 40;

/** All clusters, sortable by one of their numbers. */
export const ClusterTable = ({ overview }: { overview: ClusterOverview }) => {
  const [order, setOrder] = useState<Order>('size');
  const { clusters: rows, learning } = overview;
  const { weights, hits } = learning;
  // Learned values come as separate lists; the rows themselves do not change.
  const clusters = useMemo(
    () => rows.map((row, i) => ({ ...row, weight: weights[i] ?? 1, hits: hits[i] ?? 0 })),
    [rows, weights, hits],
  );
  const [all, setAll] = useState(false);
  const sorted = useMemo(
    () => clusters.toSorted((a, b) => b[order] - a[order] || a.cluster - b.cluster),
    [clusters, order],
  );
  // Bars are relative to the largest cluster.
  const largest = Math.max(1, ...clusters.map(({ size }) => size));
  return (
    <>
      <table className="plain-table cluster-table">
        <thead>
          <tr>
            <th scope="col" className="figure">
              cluster
            </th>
            {ORDERS.map((name) => (
              <th
                key={name}
                scope="col"
                className={name === 'cohesion' ? 'figure wide-only' : 'figure'}
                aria-sort={order === name ? 'descending' : 'none'}
              >
                <button type="button" className="link" onClick={() => setOrder(name)}>
                  {name}
                  {order === name ? ' ↓' : ''}
                </button>
              </th>
            ))}
            <th scope="col">nearest to its centre</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, all ? undefined : SHOWN).map((row) => (
            <tr key={row.cluster}>
              <td className="figure">{row.cluster}</td>
              <td className="figure">
                <span className="cluster-share" aria-hidden="true">
                  <i style={{ width: `${(row.size / largest) * 100}%` }} />
                </span>
                <span className="cluster-figure">{formatCount(row.size)}</span>
              </td>
              <td className="figure">{row.weight.toFixed(3)}</td>
              <td className="figure">{row.hits || DASH}</td>
              <td className="figure wide-only">{row.cohesion.toFixed(3)}</td>
              <td>{row.titles.join(' · ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > SHOWN && !all ? (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show all {formatCount(sorted.length)}
        </button>
      ) : null}
    </>
  );
};
