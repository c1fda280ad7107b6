import { Button, NumberInput, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import type { ClusterOverview } from '../../runs/conductor/cluster-messages.ts';
import { LoadingFailure, LoadingList } from '../inspect/Loading.tsx';
import { formatBytes, formatCount, formatMs, plural } from '../lib/format.ts';
import { useLab } from '../stores/lab-store.ts';
import { Answer } from './Answer.tsx';
import { ClusterTable } from './ClusterTable.tsx';
import { ChoiceChart, TemperatureChart } from './Curves.tsx';
import { useClusters, type Clusters } from './use-clusters.ts';

/** Questions of the world that are asked at once to see the weights learn. */
const ASKED_AT_ONCE = 100;

/** What the index is, and what it takes. */
const Facts = ({ overview }: { overview: ClusterOverview }) => {
  const { passages, clusters, dissolved, bytes, vectorBytes, stored, openedMs } = overview;
  const each = (total: number): string => formatCount(Math.round(total / passages));
  return (
    <p className="fine" data-testid="cluster-facts">
      {plural(passages, 'passage')} of {overview.dimensions} dimensions in{' '}
      {plural(clusters.length, 'cluster')}
      {dissolved > 0 ? ` (${dissolved} too small, dissolved)` : ''}; {overview.encoder}. Memory:{' '}
      {formatBytes(bytes)} instead of {formatBytes(vectorBytes)} of vectors, {each(bytes)} instead
      of {each(vectorBytes)} bytes a passage ({overview.subspaces} of code
      {overview.refineBits > 0 ? `, ${overview.refineBits} bits a dimension to rank again` : ''},
      the rest tables). {stored ? 'Read from storage' : 'Built'} in {formatMs(openedMs)}.
    </p>
  );
};

const Opening = ({ clusters }: { clusters: Clusters }) => {
  const { progress } = clusters;
  return (
    <div className="cluster-opening" role="status">
      <span>
        Clustering the passages
        {progress ? `: ${progress.stage}` : ' …'}
        {progress && progress.total > 1
          ? ` ${formatCount(progress.done)} of ${formatCount(progress.total)}`
          : ''}
      </span>{' '}
      <Button size="compact-sm" variant="default" onClick={clusters.stop}>
        Stop
      </Button>
    </div>
  );
};

const Problem = ({ clusters }: { clusters: Clusters }) => (
  <p role="alert" className="tone-bad">
    ⚠ {clusters.error}{' '}
    {clusters.overview ? (
      'The clusters are as they were.'
    ) : (
      <Button size="compact-sm" variant="default" onClick={clusters.open}>
        Build again
      </Button>
    )}
  </p>
);

const Asking = ({ clusters }: { clusters: Clusters }) => {
  const questions = useLab((state) => state.questions);
  const [query, setQuery] = useState('');
  const [k, setK] = useState(10);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    clusters.search(query.trim(), k);
  };
  const texts = questions.slice(0, ASKED_AT_ONCE).map(({ text }) => text);
  const busy = clusters.busy !== null;
  return (
    <form className="corpus-form" onSubmit={onSubmit}>
      <TextInput
        className="grow"
        label="Query"
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <NumberInput
        className="narrow"
        label="Passages"
        min={1}
        max={100}
        value={k}
        onChange={(value) => typeof value === 'number' && setK(value)}
      />
      <Button type="submit" disabled={busy || query.trim() === ''}>
        Search
      </Button>
      <Button
        variant="default"
        disabled={busy || texts.length === 0}
        onClick={() => clusters.learn(texts, k)}
      >
        Ask {texts.length} questions
      </Button>
      <Button
        variant="default"
        disabled={busy || clusters.overview?.queries === 0}
        onClick={clusters.forget}
      >
        Forget what was learned
      </Button>
    </form>
  );
};

/** The clusters of the local corpus, and where a query's candidates come from. */
const ClusterPage = () => {
  const ready = useLab((state) => state.parts.retrieval.status === 'ready');
  const clusters = useClusters(ready);
  const { overview, answer, busy, error } = clusters;
  return (
    <main className="page wide">
      <h1>Clusters</h1>
      <p>
        The local passages as the cluster retriever sees them: k-means clusters with
        product-quantized vectors. A query shares its candidates out over the clusters near it, by
        learned weights, relevance and temperature. <Link href="/corpus">Search the corpus</Link>
      </p>
      <LoadingFailure />
      <LoadingList />
      {busy === 'opening' ? <Opening clusters={clusters} /> : null}
      {error ? <Problem clusters={clusters} /> : null}
      {overview ? (
        <>
          <Facts overview={overview} />
          <Asking clusters={clusters} />
          {answer ? (
            <Answer answer={answer} overview={overview} />
          ) : (
            <p className="fine">
              Search for something to see which clusters its candidates come from, how many each may
              give, and what the exact scan would have found.
            </p>
          )}
          <div className="cluster-charts">
            <TemperatureChart overview={overview} />
            {overview.choice ? <ChoiceChart choice={overview.choice} /> : null}
          </div>
          <h2>All clusters</h2>
          <ClusterTable clusters={overview.clusters} />
        </>
      ) : null}
    </main>
  );
};

export default ClusterPage;
