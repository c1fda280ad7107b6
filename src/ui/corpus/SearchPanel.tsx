import { Button, NumberInput, TextInput } from '@mantine/core';
import { Fragment, useEffect, useEffectEvent, useMemo, useState, type FormEvent } from 'react';
import { Link, useSearch } from 'wouter';
import { messageOf } from '../../base/errors.ts';
import type { Hit, SearchTarget } from '../../records/hits.ts';
import type { SourceFailure } from '../../retrieval/retriever.ts';
import { examplesOf } from '../ask/store/examples.ts';
import { SourceBadge } from '../kit/events/parts/Passages.tsx';
import { PickField } from '../kit/PickField.tsx';
import { formatBytes, formatMs, formatNumber, plural } from '../kit/words/format.ts';
import { LoadingFailure, LoadingList } from '../lab/Loading.tsx';
import { corpusSearch, searchedFor } from './store/corpus-address.ts';
import { lab } from '../lab/connection.ts';
import { useSession } from '../kit/session-store.ts';
import { Table, type Head } from '../kit/Table.tsx';
import { Terms } from '../kit/words/explain/Term.tsx';
import type { LocalSpec } from '../../records/setup.ts';
import { useSetup } from '../setup/setup-store.ts';
import { marksOfHits } from './map/marks.ts';
import { PassageMapView } from './map/PassageMapView.tsx';
import { useMap, usePlaces } from './map/use-map.ts';

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
const SearchMap = ({ query, hits }: { query: string; hits: readonly Hit[] }) => {
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

/** The two ranks and the cosine explain a fused score. */
const HEADS: readonly Head[] = [
  ['score', 'figure'],
  ['lexical', 'figure wide-only'],
  ['dense', 'figure wide-only'],
  ['cosine', 'figure wide-only'],
  ['source'],
  ['passage'],
];

/** The source; `both` gives the fused list, as for the policy. */
const TARGETS: readonly SearchTarget[] = ['local', 'web', 'both'];

/** As many example names as fit in one line. */
const NAMED = 10;

/** The results with their query, because the field may have changed since. */
interface Found {
  query: string;
  hits: Hit[];
  latencyMs: number;
  failures?: SourceFailure[];
}

/** Full passages with scores, exactly as the policy reads them. */
const Hits = ({ hits }: { hits: readonly Hit[] }) => (
  <Table className="plain-table" heads={HEADS}>
    {hits.map((hit, index) => (
      <tr key={index}>
        <td className="figure">{formatNumber(hit.score)}</td>
        <td className="figure wide-only">{hit.lexicalRank ?? '–'}</td>
        <td className="figure wide-only">{hit.denseRank ?? '–'}</td>
        <td className="figure wide-only">{formatNumber(hit.similarity)}</td>
        <td>
          <SourceBadge source={hit.source} />
        </td>
        <td>
          <b>{hit.passage.title}</b>
          {hit.passage.noise ? <span className="badge bad">⚠ {hit.passage.noise}</span> : null}
          <div>{hit.passage.text}</div>
        </td>
      </tr>
    ))}
  </Table>
);

/** Titles of gold passages as sample searches; empty if questions have none. */
const Names = () => {
  const rows = useSession((state) => state.questions);
  const titles = useMemo(() => {
    const needed = [...examplesOf(rows), ...rows.slice(0, NAMED)];
    return [...new Set(needed.flatMap(({ supporting }) => supporting))].slice(0, NAMED);
  }, [rows]);
  return titles.map((title, at) => (
    <Fragment key={title}>
      {at === 0 ? ', such as ' : ', '}
      <Link href={corpusSearch(title)}>{title}</Link>
    </Fragment>
  ));
};

/**
 * The search form and the last results.
 * @param addressQuery the query in the address; may be empty
 */
const Panel = ({ addressQuery }: { addressQuery: string }) => {
  const ready = useSession((state) => state.parts.retrieval.status === 'ready');
  const note = useSession((state) => state.parts.retrieval.note);
  const sources = useSession((state) => state.sources);
  const memory = sources?.memory
    ? `≈ ${formatBytes(sources.memory.passages + sources.memory.lexical + sources.memory.dense)}`
    : null;
  const [query, setQuery] = useState(addressQuery);
  const [source, setSource] = useState<SearchTarget>('local');
  const [k, setK] = useState(20);
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  // Old results stay during the next search, but not next to a failure.
  const search = async (text = query) => {
    setError('');
    setBusy(true);
    try {
      setFound({ query: text, ...(await lab().ask.search(source, text, k)) });
    } catch (reason) {
      setFound(null);
      setError(messageOf(reason));
    } finally {
      setBusy(false);
    }
  };
  // Searches for the query of the address once the retriever is loaded.
  const searchAddressQuery = useEffectEvent(() => void search(addressQuery));
  useEffect(() => {
    if (!ready || addressQuery === '') return undefined;
    // In a callback, because an effect must not set state.
    const turn = setTimeout(() => searchAddressQuery());
    return () => clearTimeout(turn);
  }, [ready, addressQuery]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void search();
  };
  return (
    <section aria-label="Search">
      <h2>Test the search</h2>
      <p className="fine">
        Searches with the model’s retriever and shows the scores. In use:{' '}
        <b data-testid="retriever">
          <Terms>{note}</Terms>
        </b>
        {sources
          ? `, over ${plural(sources.localPassages, 'local passage')}${memory ? `, ${memory} in memory` : ''}; web: ${sources.web ?? 'built-in'}`
          : ''}
        . <i>both</i> merges both result lists by reciprocal rank fusion.
      </p>
      <LoadingFailure />
      <LoadingList />
      <form className="form-line" onSubmit={onSubmit}>
        <TextInput
          className="grow"
          label="Query"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <PickField size="sm" label="Source" values={TARGETS} value={source} onPick={setSource} />
        <NumberInput
          className="narrow"
          label="Passages"
          min={1}
          max={100}
          value={k}
          onChange={(value) => typeof value === 'number' && setK(value)}
        />
        <Button type="submit" disabled={!ready || busy || query.trim() === ''}>
          {busy ? 'Searching …' : 'Search'}
        </Button>
      </form>
      {error ? (
        <p role="alert" className="tone-bad">
          ⚠ The search failed: {error}.{' '}
          {source === 'local' ? '' : 'Test the connection of the web source above.'}
        </p>
      ) : null}
      {found ? (
        <>
          <p className="fine" role="status">
            {plural(found.hits.length, 'passage')} for “{found.query}” in{' '}
            {formatMs(found.latencyMs)}
          </p>
          {/* If one of two sources fails, the other one's results are shown. */}
          {found.failures?.map(({ source: failed, message }) => (
            <p key={failed} role="alert" className="tone-bad">
              ⚠ {failed} did not answer: {message}. These are the other source’s results.
            </p>
          ))}
          <Hits hits={found.hits} />
          {found.hits.length > 0 ? <SearchMap query={found.query} hits={found.hits} /> : null}
        </>
      ) : error ? null : (
        <p className="fine">
          Search for a name to see the passages that the model would read
          <Names />.
        </p>
      )}
    </section>
  );
};

/** Tests the retriever of rollouts; the address may contain a query. */
export const SearchPanel = () => {
  const addressQuery = searchedFor(useSearch());
  return <Panel key={addressQuery} addressQuery={addressQuery} />;
};
