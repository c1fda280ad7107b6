import type { ClusterAnswer, ClusterOverview } from '../../../lab/contract/clusters.ts';
import { DASH, formatCount, formatMs, formatShare, plural } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';

/**
 * q·c similarity to the centre, ρ relevance, w learned weight, p share of the candidates, n
 * candidates.
 */
const SHARE_HEADS: readonly Head[] = [
  ['cluster'],
  ['size', 'figure'],
  ['q·c', 'figure'],
  ['ρ', 'figure wide-only'],
  ['w', 'figure wide-only'],
  ['share p', 'figure'],
  ['n', 'figure'],
  ['kept', 'figure'],
];

/** "exact" is the rank in a scan of all passages; a rank better than the row’s own is a miss of the clusters. */
const HIT_HEADS: readonly Head[] = [
  ['rank', 'figure'],
  ['exact', 'figure'],
  ['q·x̂', 'figure wide-only'],
  ['cluster', 'figure'],
  ['passage'],
];

/** Which clusters gave the candidates of a query, and the results next to those of the exact scan. */
export const Answer = ({
  answer,
  overview,
}: {
  answer: ClusterAnswer;
  overview: ClusterOverview;
}) => (
  <section aria-label="Answer">
    <Summary answer={answer} />
    <h2>Clusters that gave candidates</h2>
    <Shares answer={answer} overview={overview} />
    <h2>What was found</h2>
    <Hits answer={answer} />
  </section>
);

/** Summary of the search: passages scanned and kept, and recall against the exact scan. */
const Summary = ({
  answer: { query, trace, hits, missed, clusterMs, exactMs },
}: {
  answer: ClusterAnswer;
}) => {
  const exactCount = hits.length + missed.length;
  // Recall at k of the clusters against the exact scan.
  const kept = hits.filter(({ exactRank }) => exactRank !== null && exactRank <= hits.length);
  return (
    <p role="status">
      “{query}”: {plural(trace.scanned, 'passage')} scanned by their codes,{' '}
      {formatCount(trace.candidates)} kept as candidates and reranked, {hits.length} given
      {trace.random > 0 ? `; ${trace.random} drawn at random for empty clusters` : ''}.{' '}
      <b>
        {kept.length} of the {hits.length} best of the exact scan
      </b>
      {exactCount === hits.length ? '' : `, ${missed.length} missed`}. Clusters{' '}
      {formatMs(clusterMs)}, exact scan {formatMs(exactMs)}; τ {trace.temperature.toFixed(2)}, query{' '}
      {formatCount(trace.query + 1)}.
    </p>
  );
};

/**
 * How the candidates were divided among the clusters. Clusters without candidates are greyed, not
 * omitted: what was not searched is the point of the table.
 */
const Shares = ({
  answer: { trace },
  overview,
}: {
  answer: ClusterAnswer;
  overview: ClusterOverview;
}) => {
  const { sampling, clusters } = overview;
  // In candidates actually divided: the floor is a share of them.
  const least =
    trace.clusters.reduce((sum, { candidates }) => sum + candidates, 0) * sampling.minimumShare;
  // A query divides its candidates only among the nearest clusters; the trace has no others.
  const rest = overview.clusters.length - trace.clusters.length;
  return (
    <>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Shares of the clusters">
        <Table className="plain-table cluster-table" heads={SHARE_HEADS}>
          {trace.clusters.map((share) => (
            <tr key={share.cluster} className={share.candidates === 0 ? 'quiet' : undefined}>
              <td>
                <b>{share.cluster}</b>{' '}
                <span className="fine">{clusters[share.cluster]?.titles[0]}</span>
              </td>
              <td className="figure">{formatCount(share.size)}</td>
              <td className="figure">{share.similarity.toFixed(3)}</td>
              <td className="figure wide-only">{share.relevance.toFixed(3)}</td>
              <td className="figure wide-only">{share.weight.toFixed(3)}</td>
              <td className="figure">
                <span className="cluster-share" aria-hidden="true">
                  <i style={{ width: `${Math.min(1, share.share) * 100}%` }} />
                </span>
                <span className="cluster-figure">{formatShare(share.share)}</span>
              </td>
              <td className="figure">
                {formatCount(share.candidates)}
                {/* All passages of the cluster. */}
                {share.candidates === share.size ? <span className="fine"> all</span> : null}
              </td>
              <td className="figure">{share.results || DASH}</td>
            </tr>
          ))}
        </Table>
      </div>
      <p className="fine">
        n is the number of candidates allotted, never above the cluster’s size. The floor is{' '}
        {(100 * sampling.minimumShare).toFixed(3)} % a cluster, {least.toFixed(2)} candidates,
        before rounding.{' '}
        {rest > 0
          ? `${plural(rest, 'farther cluster')} not considered (the ${sampling.considered} nearest are).`
          : 'Every cluster was considered.'}
      </p>
    </>
  );
};

/** The results with their rank in the exact scan, and those that the clusters missed. */
const Hits = ({ answer: { hits, missed } }: { answer: ClusterAnswer }) => (
  <>
    <Table className="plain-table" heads={HIT_HEADS}>
      {hits.map((hit, index) => (
        <tr key={index}>
          <td className="figure">{index + 1}</td>
          <td className={hit.exactRank === index + 1 ? 'figure' : 'figure tone-hint'}>
            {hit.exactRank ?? 'below 1,000'}
          </td>
          <td className="figure wide-only">{hit.similarity.toFixed(3)}</td>
          <td className="figure">{hit.cluster}</td>
          <td>
            <b>{hit.title}</b>
            <div className="cluster-text">{hit.text}</div>
          </td>
        </tr>
      ))}
    </Table>
    {missed.length > 0 ? (
      <p className="fine">
        Missed:{' '}
        {missed
          .map(
            ({ title, exactRank, cluster }) =>
              `${title} (exact rank ${exactRank}, cluster ${cluster})`,
          )
          .join('; ')}
        .
      </p>
    ) : null}
  </>
);
