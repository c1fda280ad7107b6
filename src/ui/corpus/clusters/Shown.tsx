import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { ClusterOverview, WithoutVectors } from '../../../lab/contract/clusters.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { plural } from '../../kit/words/format.ts';
import { changeSearch } from '../../setup/search-with.ts';
import { useGone, useNames } from '../search-words.ts';
import { localMethod } from '../../../retrieval/methods/list.ts';
import type { LocalMethod } from '../../../retrieval/methods/method.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** The source, its search method, and whether searches use this index. */

const idsOf = (local: LocalSpec): readonly string[] =>
  local.kind === 'collections' ? local.ids : [];

/** The search method; the built-in world always fuses its lexical and dense lists. */
const methodOf = (local: LocalSpec): LocalMethod =>
  localMethod(local.kind === 'built-in' ? 'hybrid' : local.method);

/** The source in one sentence. */
export const SourceLine = ({ local }: { local: LocalSpec }) => {
  const names = useNames(idsOf(local));
  return (
    <p>
      Runs search <b data-testid="cluster-source">{names || 'the built-in world'}</b> by{' '}
      <b data-testid="cluster-method">
        <Terms>{methodOf(local).name}</Terms>
      </b>
      . <Link href="/corpus">Choose passages and method on Corpus</Link>
    </p>
  );
};

/** What to do if a chosen collection was deleted. */
export const GoneNote = ({ local, failed }: { local: LocalSpec; failed: boolean }) => {
  if (!useGone(idsOf(local))) return null;
  return (
    <p role="alert" className="tone-bad">
      ⚠ A collection in use was deleted.{' '}
      {failed
        ? 'The rest cannot be opened without it.'
        : 'Its passages stay searchable until you reload.'}{' '}
      Restore it or <Link href="/corpus">choose others on Corpus</Link>.
    </p>
  );
};

/** Changes the search method everywhere, so that searches use this index. */
const ByClusters = () => (
  <Button size="compact-sm" variant="default" onClick={() => changeSearch({ method: 'cluster' })}>
    Search by clusters
  </Button>
);

/** Whether searches use this index. */
export const PartInSearch = ({
  local,
  overview: { answers, kept, method },
}: {
  local: LocalSpec;
  overview: ClusterOverview;
}) => {
  if (answers || method === 'cluster')
    return (
      <p data-testid="cluster-part">
        <b>In use: this index answers the searches</b> of Ask, training and this page, and learns
        from all of them; the figures below update.{' '}
        {kept
          ? 'The learned weights are stored in this browser for these passages, this encoder and these settings, so each run starts with them. Reset them to start fresh.'
          : 'The learned weights are lost when this tab closes.'}
      </p>
    );
  return (
    <p data-testid="cluster-part">
      <b>Searches do not use clusters</b> but <Terms>{localMethod(method).way}</Terms>. This index
      of the same passages is only for inspection; it learns from queries on this page until the tab
      closes or you choose other passages.{' '}
      {local.kind === 'collections' ? (
        <ByClusters />
      ) : (
        'The built-in world always uses this method; your own collections can use clusters.'
      )}
    </p>
  );
};

/** Why nothing can be clustered yet, and what to do. */
export const WithoutVectorsNote = ({
  local,
  without: { encoder, passages },
  onEncode,
}: {
  local: LocalSpec;
  without: WithoutVectors;
  onEncode: () => void;
}) => (
  <div className="cluster-empty" data-testid="cluster-without">
    {encoder === null ? (
      <p>
        The built-in world has no vectors, so there is nothing to cluster. Import your own passages
        and search them by clusters: <Link href="/corpus">Corpus</Link>.
      </p>
    ) : (
      <>
        <p>
          Searches use <Terms>{methodOf(local).way}</Terms>, so{' '}
          {plural(passages, 'passage has', 'passages have')} no vectors, which clusters need. The
          encoder chosen on Corpus, <b>{encoder}</b>, can compute them once; they are then stored.
        </p>
        <div className="cluster-actions">
          <Button size="compact-sm" onClick={onEncode}>
            Encode and cluster
          </Button>
          <ByClusters />
        </div>
      </>
    )}
  </div>
);
