import { useEffect, useState } from 'react';
import type { LocalSpec } from '../../../records/setup.ts';
import type {
  ClusterAnswer,
  ClusterLearning,
  ClusterOverview,
  ClusterProgress,
  WithoutVectors,
} from '../../../lab/contract/clusters.ts';
import { lab } from '../../lab/connection.ts';
import { messageOf } from '../../../base/errors.ts';

/** Interval of progress polls while building. */
const POLL_MS = 250;
/** Interval of polls for what an index in use has learned. */
const LEARNING_MS = 1000;

/** State and actions of the clusters page for one source. Nothing rejects: see `error`. */
export interface Clusters {
  /** Null until built, and if the source has no vectors. */
  overview: ClusterOverview | null;
  /** The source has no vectors, and the user has not asked to compute them. */
  without: WithoutVectors | null;
  /** Of the last search; null before the first one, and after a reset. */
  answer: ClusterAnswer | null;
  /** Progress of `busy`; null while idle, and before the first poll. */
  progress: ClusterProgress | null;
  /** The current work in one word; searches are blocked meanwhile. */
  busy: 'opening' | 'searching' | 'learning' | null;
  error: string | null;
  /** Builds the index, computing vectors if needed; again after a failure or a stop. */
  build: () => void;
  stop: () => void;
  search: (query: string, k: number) => void;
  /** Searches for all of them in sequence, to show how the weights learn. */
  learn: (queries: readonly string[], k: number) => void;
  /** Resets the weights; `recall` undoes the last reset. */
  forget: () => void;
  recall: () => void;
}

/**
 * The clusters of a local source, opened once retrieval is `ready`, and again after each reopening.
 * Use a key: another source is another component.
 */
export function useClusters(local: LocalSpec, ready: boolean): Clusters {
  const [shown, setShown] = useState<ClusterOverview | WithoutVectors | null>(null);
  const [answer, setAnswer] = useState<ClusterAnswer | null>(null);
  /** How often the user requested a build. */
  const [asked, setAsked] = useState(0);
  const [asking, setAsking] = useState<'searching' | 'learning' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const waiting = shown === null || (shown.kind === 'without-vectors' && asked > 0);
  const opening = ready && error === null && waiting;
  const busy = opening ? 'opening' : asking;
  const overview = shown?.kind === 'clusters' ? shown : null;

  useEffect(() => {
    if (!ready) return undefined;
    let left = false;
    lab()
      .clusters.overview(local, asked > 0)
      .then(
        (found) => left || setShown(found),
        (reason: unknown) => left || setError(messageOf(reason)),
      );
    return () => {
      // A later answer would belong to a source or question that is no longer shown.
      left = true;
    };
  }, [local, ready, asked]);

  useEffect(
    () => () => {
      lab()
        // Frees the vectors of the exact scan, which only this page needs.
        .clusters.leave()
        .catch(() => undefined);
    },
    [],
  );

  // Merges new values; rows of clusters keep their objects, so they are not rendered again.
  const learned = (learning: ClusterLearning): void =>
    setShown((now) => (now?.kind === 'clusters' ? { ...now, learning } : now));
  // Not during a search on this page: its own answer brings the learned values.
  useLearning(local, ready && busy === null ? overview : null, learned);

  const during = async (what: 'searching' | 'learning', act: () => Promise<void>) => {
    setAsking(what);
    setError(null);
    try {
      await act();
    } catch (reason) {
      setError(messageOf(reason));
    } finally {
      setAsking(null);
    }
  };

  return {
    overview,
    without: shown?.kind === 'without-vectors' ? shown : null,
    answer,
    progress: useProgress(busy !== null),
    busy,
    error,
    build: () => {
      setError(null);
      setAsked((times) => times + 1);
    },
    stop: () => void lab().clusters.stop(local),
    search: (query, k) =>
      void during('searching', async () => {
        const found = await lab().clusters.search(local, query, k);
        setAnswer(found);
        learned(found.learning);
      }),
    learn: (queries, k) =>
      void during('learning', async () => learned(await lab().clusters.learn(local, queries, k))),
    forget: () =>
      void during('learning', async () => {
        learned(await lab().clusters.forget(local));
        setAnswer(null);
      }),
    recall: () => void during('learning', async () => learned(await lab().clusters.recall(local))),
  };
}

/** Polls the progress of the current work. */
function useProgress(busy: boolean): ClusterProgress | null {
  const [progress, setProgress] = useState<ClusterProgress | null>(null);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setInterval(() => {
      lab()
        .clusters.progress()
        .then(setProgress, () => undefined);
    }, POLL_MS);
    return () => {
      clearInterval(timer);
      setProgress(null);
    };
  }, [busy]);
  return progress;
}

/** Searches of runs train the index in use: polls for changes while it is shown. */
function useLearning(
  local: LocalSpec,
  overview: ClusterOverview | null,
  onLearned: (learning: ClusterLearning) => void,
): void {
  const changes = overview?.answers ? overview.learning.changes : null;
  useEffect(() => {
    if (changes === null) return undefined;
    const timer = setInterval(() => {
      // Not visible: no polling.
      if (document.visibilityState !== 'visible') return;
      lab()
        .clusters.learning(local, changes)
        .then(
          // Null: nothing was learned since.
          (learning) => learning && onLearned(learning),
          () => undefined,
        );
    }, LEARNING_MS);
    return () => clearInterval(timer);
    // `onLearned` is another function every time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [local, changes]);
}
