import { useEffect, useState } from 'react';
import type {
  ClusterAnswer,
  ClusterOverview,
  ClusterProgress,
} from '../../runs/conductor/cluster-messages.ts';
import { lab } from '../stores/connection.ts';

/** How often a building is asked how far it is. */
const POLL_MS = 250;

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export interface Clusters {
  overview: ClusterOverview | null;
  answer: ClusterAnswer | null;
  progress: ClusterProgress | null;
  /** What is being done, in a word; nothing can be asked meanwhile. */
  busy: 'opening' | 'searching' | 'learning' | null;
  error: string | null;
  /** Builds again after a failure or a stop. */
  open: () => void;
  stop: () => void;
  search: (query: string, k: number) => void;
  learn: (queries: readonly string[], k: number) => void;
  forget: () => void;
}

/** The clusters of the local corpus, opened once retrieval is `ready`. */
export function useClusters(ready: boolean): Clusters {
  const [overview, setOverview] = useState<ClusterOverview | null>(null);
  const [answer, setAnswer] = useState<ClusterAnswer | null>(null);
  const [progress, setProgress] = useState<ClusterProgress | null>(null);
  const [asking, setAsking] = useState<'searching' | 'learning' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const opening = ready && overview === null && error === null;

  const during = async (what: 'searching' | 'learning', act: () => Promise<void>) => {
    setAsking(what);
    setError(null);
    try {
      await act();
    } catch (reason) {
      setError(wordsOf(reason));
    } finally {
      setAsking(null);
    }
  };

  useEffect(() => {
    if (!opening) return undefined;
    let left = false;
    lab()
      .clusters.overview()
      .then(
        (found) => left || setOverview(found),
        (reason: unknown) => left || setError(wordsOf(reason)),
      );
    return () => {
      left = true;
    };
  }, [opening]);

  useEffect(() => {
    if (!opening) return undefined;
    const timer = setInterval(() => {
      lab()
        .clusters.progress()
        .then(setProgress, () => undefined);
    }, POLL_MS);
    return () => {
      clearInterval(timer);
      setProgress(null);
    };
  }, [opening]);

  return {
    overview,
    answer,
    progress,
    busy: opening ? 'opening' : asking,
    error,
    open: () => setError(null),
    stop: () => void lab().clusters.stop(),
    search: (query, k) =>
      void during('searching', async () => {
        setAnswer(await lab().clusters.search(query, k));
        setOverview(await lab().clusters.overview());
      }),
    learn: (queries, k) =>
      void during('learning', async () => setOverview(await lab().clusters.learn(queries, k))),
    forget: () =>
      void during('learning', async () => {
        setOverview(await lab().clusters.forget());
        setAnswer(null);
      }),
  };
}
