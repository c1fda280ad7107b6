import { Button, NumberInput, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { plural } from '../../kit/words/format.ts';
import { useSession } from '../../kit/session-store.ts';
import type { Clusters } from './use-clusters.ts';

/** Questions that are asked in one batch to show how the weights learn. */
const ASKED_AT_ONCE = 100;

/** The form's fields; kept in the parent, because the list below sets the query. */
export interface ClusterQuery {
  query: string;
  /** Passages. */
  k: number;
}

/** Searches the index, and resets its learned weights. */
export const Asking = ({
  clusters,
  clusterQuery,
  onChange,
}: {
  clusters: Clusters;
  clusterQuery: ClusterQuery;
  onChange: (clusterQuery: ClusterQuery) => void;
}) => {
  const questions = useSession((state) => state.questions);
  const { query, k } = clusterQuery;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    clusters.search(query.trim(), k);
  };
  const texts = questions.slice(0, ASKED_AT_ONCE).map(({ text }) => text);
  const busy = clusters.busy !== null;
  const learning = clusters.overview?.learning;
  return (
    <form className="form-line" onSubmit={onSubmit}>
      <TextInput
        className="grow"
        label="Query"
        value={query}
        onChange={(event) => onChange({ k, query: event.currentTarget.value })}
      />
      <NumberInput
        className="narrow"
        label="Passages"
        min={1}
        max={100}
        value={k}
        onChange={(value) => typeof value === 'number' && onChange({ query, k: value })}
      />
      <Button type="submit" disabled={busy || query.trim() === ''}>
        Search
      </Button>
      <Button
        variant="default"
        disabled={busy || texts.length === 0}
        onClick={() => clusters.learn(texts, k)}
      >
        Ask {plural(texts.length, 'question')}
      </Button>
      <Button variant="default" disabled={busy || !learning?.queries} onClick={clusters.forget}>
        Reset the learned weights
      </Button>
      {/* No confirmation: a reset can be undone until the next one. */}
      {learning?.recallable ? (
        <span className="cluster-undo" role="status">
          Reset.{' '}
          <button
            type="button"
            className="link strong"
            disabled={busy}
            title="Restores them; what was learned since is lost"
            onClick={clusters.recall}
          >
            Undo
          </button>
        </span>
      ) : null}
    </form>
  );
};
