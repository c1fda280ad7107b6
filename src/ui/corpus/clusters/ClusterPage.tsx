import { Button } from '@mantine/core';
import { useEffect, useState, useMemo } from 'react';
import type { LocalSpec } from '../../../records/setup.ts';
import { BUILD_DEFAULTS } from '../../../retrieval/cluster/options.ts';
import type { ClusterOverview, ClusterAnswer } from '../../../lab/contract/clusters.ts';
import { LoadingFailure, LoadingList } from '../../lab/Loading.tsx';
import { formatBytes, formatCount, formatMs, plural, DASH } from '../../kit/words/format.ts';
import { TimeLeft } from '../../kit/words/TimeLeft.tsx';
import { readCollections } from '../store/collections-actions.ts';
import { useNeeds } from '../../lab/use-needs.ts';
import { useSession } from '../../kit/session-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { Answer } from './Answer.tsx';
import { Asking, type ClusterQuery } from './Asking.tsx';
import { ChoiceChart, TemperatureChart } from './Curves.tsx';
import { GoneNote, PartInSearch, SourceLine, WithoutVectorsNote } from './Shown.tsx';
import { useClusters, type Clusters } from './use-clusters.ts';
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

import './clusters.css';
import { marksOfAnswer } from '../map/marks.ts';
import { PassageMapView } from '../map/PassageMapView.tsx';
import { useMap, usePlaces } from '../map/use-map.ts';

/** A shared empty list: a new one would reload the positions. Clusters have no web results. */
const NOTHING = [] as const;

/** The map of clusters, with the hits and misses of the last query. */
const ClusterMap = ({ local, answer }: { local: LocalSpec; answer: ClusterAnswer | null }) => {
  const opened = useMap(local, true);
  const places = usePlaces(local, opened.map, answer?.query ?? null, NOTHING);
  const marked = useMemo(
    () => (opened.map && answer && places ? marksOfAnswer(opened.map, answer, places) : null),
    [opened.map, answer, places],
  );
  return <PassageMapView local={local} opened={opened} marked={marked} />;
};

/** Size and memory of the index. */
const Facts = ({ overview }: { overview: ClusterOverview }) => {
  const { passages, clusters, bytes, vectorBytes, stored, openedMs, sampling } = overview;
  // Bytes per passage, tables and centroids included, so that both numbers are comparable.
  const each = (total: number): string => formatCount(Math.round(total / passages));
  return (
    <p className="fine" data-testid="cluster-facts">
      {plural(passages, 'passage')} of {overview.dimensions} dimensions in{' '}
      {plural(clusters.length, 'cluster')}
      {notesOf(overview)}; {overview.encoder}. Memory: {formatBytes(bytes)} instead of{' '}
      {formatBytes(vectorBytes)} of vectors, {each(bytes)} instead of {each(vectorBytes)} bytes per
      passage ({overview.subspaces} of code
      {overview.refineBits > 0 ? `, ${overview.refineBits} bits per dimension for reranking` : ''},
      the rest tables). {stored ? 'Read from storage' : 'Built'} in {formatMs(openedMs)}.
      {passages <= sampling.candidates
        ? ` A query may have ${formatCount(sampling.candidates)} candidates, so all passages are ranked here; clusters only save work for more passages.`
        : ''}
    </p>
  );
};

/** Notes on the number of clusters. */
const notesOf = ({ dissolved, choice }: ClusterOverview): string => {
  const notes = [
    dissolved > 0 ? `${dissolved} dissolved (too small)` : '',
    // A chart needs at least two candidates.
    choice?.scores.length === 1
      ? `${choice.clusters} tried; each needs at least ${BUILD_DEFAULTS.minimumDocuments} passages`
      : '',
  ].filter((note) => note !== '');
  return notes.length > 0 ? ` (${notes.join('; ')})` : '';
};

/** Progress of work on this page, or of opening the source. */
const Working = ({ clusters, what }: { clusters: Clusters; what: string }) => {
  const { progress } = clusters;
  return (
    <div className="cluster-opening" role="status">
      <span>
        {what}
        {progress ? `: ${progress.stage}` : ' …'}
        {progress && progress.total > 1
          ? ` ${formatCount(progress.done)} of ${formatCount(progress.total)}`
          : ''}
        {progress && progress.total > 1 ? (
          <TimeLeft of={progress.stage} share={progress.done / progress.total} />
        ) : null}
      </span>{' '}
      <Button size="compact-sm" variant="default" onClick={clusters.stop}>
        Stop
      </Button>
    </div>
  );
};

/** A failed search leaves the clusters unchanged; a failed build must be restarted. */
const Problem = ({ clusters }: { clusters: Clusters }) => (
  <p role="alert" className="tone-bad">
    ⚠ {clusters.error}{' '}
    {clusters.overview ? (
      'The clusters are unchanged.'
    ) : (
      <Button size="compact-sm" variant="default" onClick={clusters.build}>
        Build again
      </Button>
    )}
  </p>
);

const ORDERS = ['size', 'weight', 'hits', 'cohesion'] as const;
type Order = (typeof ORDERS)[number];

/** Rows shown before the user asks for all. */
const SHOWN = 40;

/** All clusters, sortable by one of their numbers. */
const ClusterTable = ({ overview }: { overview: ClusterOverview }) => {
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

/** The index, once it is there. */
const Index = (props: { local: LocalSpec; clusters: Clusters; overview: ClusterOverview }) => {
  const { local, clusters, overview } = props;
  const [clusterQuery, setClusterQuery] = useState<ClusterQuery>({ query: '', k: 10 });
  const { answer, busy } = clusters;
  const askAgain = (query: string) => {
    setClusterQuery({ ...clusterQuery, query });
    clusters.search(query, clusterQuery.k);
  };
  return (
    <>
      <Facts overview={overview} />
      <Asking clusters={clusters} clusterQuery={clusterQuery} onChange={setClusterQuery} />
      {busy === 'searching' && clusters.progress ? (
        <Working clusters={clusters} what="Vectors for the exact scan" />
      ) : null}
      {answer ? (
        <Answer answer={answer} overview={overview} />
      ) : (
        <p className="fine">
          Search to see which clusters the candidates come from, how many each cluster may give, and
          what an exact scan would find.
        </p>
      )}
      <ClusterMap local={local} answer={answer} />
      <div className="cluster-charts">
        <TemperatureChart overview={overview} />
        {overview.choice && overview.choice.scores.length > 1 ? (
          <ChoiceChart choice={overview.choice} />
        ) : null}
      </div>
      <h2>Last queries</h2>
      <Recent overview={overview} disabled={busy !== null} onAsk={askAgain} />
      <h2>All clusters</h2>
      <ClusterTable overview={overview} />
    </>
  );
};

/** One source; another one remounts it. */
const SourceClusters = ({ local }: { local: LocalSpec }) => {
  const { status } = useSession((state) => state.parts.retrieval);
  const clusters = useClusters(local, status === 'ready');
  const { overview, without, busy, error } = clusters;
  // The source itself is opening; clusters are built after that.
  const opens = status === 'loading' && local.kind === 'collections';
  return (
    <>
      <SourceLine local={local} />
      <GoneNote local={local} failed={status === 'failed'} />
      <LoadingFailure />
      <LoadingList />
      {opens ? <Working clusters={clusters} what="Opening the passages" /> : null}
      {busy === 'opening' && !overview && !opens ? (
        <Working clusters={clusters} what="Clustering the passages" />
      ) : null}
      {error ? <Problem clusters={clusters} /> : null}
      {without && busy === null && !error ? (
        <WithoutVectorsNote local={local} without={without} onEncode={clusters.build} />
      ) : null}
      {overview ? (
        <>
          <PartInSearch local={local} overview={overview} />
          <Index local={local} clusters={clusters} overview={overview} />
        </>
      ) : null}
    </>
  );
};

/** Collections may have been deleted on other pages and in other tabs. */
const useCollectionList = (): void => {
  useEffect(() => {
    const read = () => void readCollections();
    read();
    window.addEventListener('focus', read);
    return () => window.removeEventListener('focus', read);
  }, []);
};

/** The clusters of the searched passages, and the clusters that a query's candidates come from. */
const ClusterPage = () => {
  useNeeds('sources');
  useCollectionList();
  const local = useSetup(({ setup }) => setup.local);
  return (
    <main className="page wide">
      <h1>Clusters</h1>
      <p>
        The index of the cluster retriever: k-means clusters with product-quantized vectors. The
        candidates of a query are divided among the nearest clusters by learned weights, relevance
        and temperature.
      </p>
      {/* Keyed by its content: answers and progress of one source must not be shown for another. */}
      <SourceClusters key={JSON.stringify(local)} local={local} />
    </main>
  );
};

export default ClusterPage;
