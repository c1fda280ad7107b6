import { useMemo, useState } from 'react';
import type { Hit } from '../../../records/hits.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { useSession } from '../../kit/session-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { marksOfHits } from './marks.ts';
import { PassageMapView } from './PassageMapView.tsx';
import { useMap, usePlaces } from './use-map.ts';

/** Gold titles, if the query is exactly a loaded question. */
const useGold = (query: string): readonly string[] => {
  const questions = useSession((state) => state.questions);
  return useMemo(() => {
    const needle = query.trim().toLowerCase();
    return questions.find(({ text }) => text.trim().toLowerCase() === needle)?.supporting ?? [];
  }, [questions, query]);
};

/** Hits on the map; a separate component, so that vectors are loaded only when it is opened. */
const Shown = ({
  local,
  query,
  hits,
}: {
  local: LocalSpec;
  query: string;
  hits: readonly Hit[];
}) => {
  const opened = useMap(local, true);
  // A stable list: a new one would reload the positions.
  const web = useMemo(
    () => hits.flatMap(({ source, passage }) => (source === 'web' ? [passage] : [])),
    [hits],
  );
  const places = usePlaces(local, opened.map, query, web);
  const gold = useGold(query);
  const marked = useMemo(
    () => (opened.map && places ? marksOfHits(opened.map, query, hits, gold, places) : null),
    [opened.map, places, query, hits, gold],
  );
  return <PassageMapView local={local} opened={opened} marked={marked} />;
};

/** The results on the map of passages; opened by the user, because it may load vectors. */
export const SearchMap = ({ query, hits }: { query: string; hits: readonly Hit[] }) => {
  const local = useSetup(({ setup }) => setup.local);
  const [open, setOpen] = useState(false);
  return (
    <details
      className="search-map"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>On the map of passages</summary>
      {open ? <Shown key={JSON.stringify(local)} local={local} query={query} hits={hits} /> : null}
    </details>
  );
};
