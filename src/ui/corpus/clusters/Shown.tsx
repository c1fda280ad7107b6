import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { ClusterOverview, WithoutVectors } from '../../../lab/contract/clusters.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { plural } from '../../kit/words/format.ts';
import { changeSearch } from '../../setup/search-with.ts';
import { useGone, useNames } from '../search/search-words.ts';
import { localMethod } from '../../../retrieval/methods/list.ts';
import type { LocalMethod } from '../../../retrieval/methods/method.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** Which source is shown, how it is searched, and whether the index that is shown has a part in it. */

const idsOf = (local: LocalSpec): readonly string[] =>
  local.kind === 'collections' ? local.ids : [];

/** How the source is searched; the built-in world always by its lexical and dense lists together. */
const methodOf = (local: LocalSpec): LocalMethod =>
  localMethod(local.kind === 'built-in' ? 'hybrid' : local.method);

/** The source in a sentence. */
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

/** What to do where a chosen collection was deleted. */
export const GoneNote = ({ local, failed }: { local: LocalSpec; failed: boolean }) => {
  if (!useGone(idsOf(local))) return null;
  return (
    <p role="alert" className="tone-bad">
      ⚠ A collection that runs search was deleted.{' '}
      {failed
        ? 'What is left cannot be opened with it.'
        : 'Its passages are still in memory and answer searches until this page is loaded again.'}{' '}
      Bring it back or <Link href="/corpus">choose others on Corpus</Link>.
    </p>
  );
};

/** Changes the method of search for all places, which makes this index the one that answers. */
const ByClusters = () => (
  <Button size="compact-sm" variant="default" onClick={() => changeSearch({ method: 'cluster' })}>
    Search by clusters
  </Button>
);

/** Whether searches and this index have to do with one another. */
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
        <b>This index answers the searches</b> of questions, training and this page, and learns from
        all of them; the figures below follow.{' '}
        {kept
          ? 'What it learned stays in this browser for these passages, this encoder and these settings, so a run begins with what those before it taught; forget it to begin anew.'
          : 'What it learned goes when this tab is closed.'}
      </p>
    );
  return (
    <p data-testid="cluster-part">
      <b>Searches are not answered by clusters</b> but by <Terms>{localMethod(method).way}</Terms>.
      This index is built over the same passages to be looked at; it learns from queries that are
      asked here, and forgets them when the tab is closed or other passages are chosen.{' '}
      {local.kind === 'collections' ? (
        <ByClusters />
      ) : (
        'The built-in world is always searched so; collections of one’s own can be searched by clusters.'
      )}
    </p>
  );
};

/** Nothing can be clustered yet, and what would do it. */
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
        The built-in world was made without vectors, so there is nothing to cluster. Import passages
        of your own and search them by clusters: <Link href="/corpus">Corpus</Link>.
      </p>
    ) : (
      <>
        <p>
          Searches are answered by <Terms>{methodOf(local).way}</Terms>, so{' '}
          {plural(passages, 'passage has', 'passages have')} no vectors, and without them there are
          no clusters. The encoder chosen on Corpus, <b>{encoder}</b>, can make them: once, then
          they are read from storage.
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
