import { useEffect, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type {
  ClusterProgress,
  MapPlaces,
  PassageMap,
  WithoutVectors,
} from '../../../lab/contract/clusters.ts';
import type { Passage } from '../../../records/records.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { lab } from '../../lab/connection.ts';

/** Interval of progress polls. */
const POLL_MS = 250;

/** A map that is loading, ready or impossible. */
export interface OpenedMap {
  map: PassageMap | null;
  /** The source has no vectors, so there is no map. */
  without: WithoutVectors | null;
  progress: ClusterProgress | null;
  error: string | null;
  /** Retries after a failure or a stop. */
  again: () => void;
  stop: () => void;
}

/** Loads the map of a source on demand. Use a key: another source is another component. */
export function useMap(local: LocalSpec, enabled: boolean): OpenedMap {
  const [shown, setShown] = useState<PassageMap | WithoutVectors | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [progress, setProgress] = useState<ClusterProgress | null>(null);
  const opening = enabled && shown === null && error === null;
  useEffect(() => {
    if (!opening) return undefined;
    let left = false;
    lab()
      .clusters.map(local, false)
      .then(
        (found) => left || setShown(found),
        (reason: unknown) => left || setError(messageOf(reason)),
      );
    return () => {
      left = true;
    };
  }, [local, opening]);
  useEffect(() => {
    if (!opening) return undefined;
    const timer = setInterval(() => {
      lab()
        .clusters.progress()
        .then(setProgress, () => undefined);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [opening]);
  return {
    map: shown?.kind === 'map' ? shown : null,
    without: shown?.kind === 'without-vectors' ? shown : null,
    progress: opening ? progress : null,
    error,
    // Without an error it is reopening, which the effect above handles.
    again: () => setError(null),
    stop: () => void lab().clusters.stop(local),
  };
}

/** Positions of a query and of web passages; null until loaded. */
export function usePlaces(
  local: LocalSpec,
  map: PassageMap | null,
  query: string | null,
  passages: readonly Passage[],
): MapPlaces | null {
  const [found, setFound] = useState<{
    of: readonly Passage[];
    query: string;
    at: MapPlaces;
  } | null>(null);
  useEffect(() => {
    if (!map || query === null) return undefined;
    let left = false;
    lab()
      .clusters.place(local, query, passages)
      .then(
        (at) => left || setFound({ of: passages, query, at }),
        // The map works without the query; the search itself reports its failure.
        () => undefined,
      );
    return () => {
      left = true;
    };
  }, [local, map, query, passages]);
  // Positions of an earlier search do not belong to these hits.
  return found && found.query === query && found.of === passages ? found.at : null;
}
