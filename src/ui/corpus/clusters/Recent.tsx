import type { ClusterOverview } from '../../../lab/contract/clusters.ts';
import { formatCount } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';

const HEADS: readonly Head[] = [
  ['t', 'figure'],
  ['query'],
  ['τ', 'figure wide-only'],
  ['candidates', 'figure wide-only'],
  ['results from'],
];

/** Clusters of a query that are named; the rest are counted. */
const NAMED = 3;

/** The last queries of the index, from any page, and the clusters of their results. */
export const Recent = ({
  overview,
  disabled,
  onAsk,
}: {
  overview: ClusterOverview;
  disabled: boolean;
  onAsk: (query: string) => void;
}) => {
  const { recent, queries } = overview.learning;
  if (recent.length === 0)
    return (
      <p className="fine">
        {queries > 0
          ? `None since the index was opened; ${formatCount(queries)} earlier queries trained its weights.`
          : overview.answers
            ? 'None yet. Search here or on Corpus, or run a question on Ask.'
            : 'None yet. Search above.'}
      </p>
    );
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Last queries">
      <Table className="plain-table cluster-table" heads={HEADS}>
        {recent.map(({ query, text, temperature, candidates, results, sources }) => (
          <tr key={query}>
            {/* Queries are counted from 0, people from 1. */}
            <td className="figure">{formatCount(query + 1)}</td>
            <td>
              <button
                type="button"
                className="link cluster-query"
                title="Search again"
                disabled={disabled}
                onClick={() => onAsk(text)}
              >
                {text}
              </button>
            </td>
            <td className="figure wide-only">{temperature.toFixed(2)}</td>
            <td className="figure wide-only">{formatCount(candidates)}</td>
            <td>
              {sources.slice(0, NAMED).map((one, i) => (
                <span key={one.cluster}>
                  {i > 0 ? ', ' : ''}
                  <b>{one.cluster}</b> <span className="fine">{one.results}</span>
                </span>
              ))}{' '}
              <span className="fine">of {results}</span>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
};
