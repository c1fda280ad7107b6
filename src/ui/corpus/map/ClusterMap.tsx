import { useMemo } from 'react';
import type { ClusterAnswer } from '../../../lab/contract/clusters.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { marksOfAnswer } from './marks.ts';
import { PassageMapView } from './PassageMapView.tsx';
import { useMap, usePlaces } from './use-map.ts';

/** A shared empty list: a new one would reload the positions. Clusters have no web results. */
const NOTHING = [] as const;

/** The map of clusters, with the hits and misses of the last query. */
export const ClusterMap = ({
  local,
  answer,
}: {
  local: LocalSpec;
  answer: ClusterAnswer | null;
}) => {
  const opened = useMap(local, true);
  const places = usePlaces(local, opened.map, answer?.query ?? null, NOTHING);
  const marked = useMemo(
    () => (opened.map && answer && places ? marksOfAnswer(opened.map, answer, places) : null),
    [opened.map, answer, places],
  );
  return <PassageMapView local={local} opened={opened} marked={marked} />;
};
