import { useMemo } from 'react';
import type { ClusterAnswer } from '../../../lab/contract/clusters.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { marksOfAnswer } from './marks.ts';
import { PassageMapView } from './PassageMapView.tsx';
import { useMap, usePlaces } from './use-map.ts';

/** One list for all, since a new one would have the places asked for again. Clusters find nothing on the web. */
const NOTHING = [] as const;

/** The clusters as a map, with what the last query found and missed. */
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
