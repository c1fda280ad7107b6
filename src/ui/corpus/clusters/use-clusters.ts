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

/** How often a building is asked how far it is. */
const POLL_MS = 250;
/** How often an index that answers searches is asked what it learned. */
const LEARNING_MS = 1000;

/** What the page of clusters shows of a source, and what it can do with it. Nothing here rejects: see `error`. */
export interface Clusters {
  /** Null until it is there, and where the source has no vectors. */
  overview: ClusterOverview | null;
  /** The source has no vectors, and nobody asked for them yet. */
  without: WithoutVectors | null;
  /** To the last search; null before the first, and after what was learned was forgotten. */
  answer: ClusterAnswer | null;
  /** Of what `busy` names; null while nothing is done, and before the first look at it. */
  progress: ClusterProgress | null;
  /** What is being done, in a word; nothing can be asked meanwhile. */
  busy: 'opening' | 'searching' | 'learning' | null;
  error: string | null;
  /** Builds, also where vectors must be made for it; again after a failure or a stop. */
  build: () => void;
  stop: () => void;
  search: (query: string, k: number) => void;
  /** Searches for all of them, one after another, to see the weights learn. */
  learn: (queries: readonly string[], k: number) => void;
  /** Weights are as at the beginning; `recall` brings back what was forgotten last. */
  forget: () => void;
  recall: () => void;
}

/**
 * The clusters of a local source, opened once retrieval is `ready`, and again whenever it was not.
 * Another source is another component: give it a key.
 */
export function useClusters(local: LocalSpec, ready: boolean): Clusters {
  const [shown, setShown] = useState<ClusterOverview | WithoutVectors | null>(null);
  const [answer, setAnswer] = useState<ClusterAnswer | null>(null);
  /** How often building was asked for by hand. */
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
      // An answer that comes later would be to a source or a question that is not shown any more.
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

  // Into what is shown: rows of clusters stay as they were, and with them what is drawn of them.
  const learned = (learning: ClusterLearning): void =>
    setShown((now) => (now?.kind === 'clusters' ? { ...now, learning } : now));
  // Not while something is asked here: its own answer brings what was learned.
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

/** How far the work is that is under way. */
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

/** Searches of runs teach the index that answers them: what changed is fetched while it is shown. */
function useLearning(
  local: LocalSpec,
  overview: ClusterOverview | null,
  told: (learning: ClusterLearning) => void,
): void {
  const changes = overview?.answers ? overview.learning.changes : null;
  useEffect(() => {
    if (changes === null) return undefined;
    const timer = setInterval(() => {
      // Nobody sees it: the worker is left alone.
      if (document.visibilityState !== 'visible') return;
      lab()
        .clusters.learning(local, changes)
        .then(
          // Null: nothing was learned since.
          (learning) => learning && told(learning),
          () => undefined,
        );
    }, LEARNING_MS);
    return () => clearInterval(timer);
    // `told` is another function every time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [local, changes]);
}
