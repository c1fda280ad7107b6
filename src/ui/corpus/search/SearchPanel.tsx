import { Button, NumberInput, TextInput } from '@mantine/core';
import { Fragment, useEffect, useEffectEvent, useMemo, useState, type FormEvent } from 'react';
import { Link, useSearch } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import type { Hit, SearchTarget } from '../../../records/hits.ts';
import type { SourceFailure } from '../../../retrieval/retriever.ts';
import { examplesOf } from '../../ask/store/examples.ts';
import { SourceBadge } from '../../kit/events/parts/Passages.tsx';
import { PickField } from '../../kit/PickField.tsx';
import { formatBytes, formatMs, formatNumber, plural } from '../../kit/words/format.ts';
import { LoadingFailure, LoadingList } from '../../lab/Loading.tsx';
import { SearchMap } from '../map/SearchMap.tsx';
import { corpusSearch, searchedFor } from '../store/corpus-address.ts';
import { lab } from '../../lab/connection.ts';
import { useLab } from '../../lab/lab-store.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** The two ranks and the cosine say how a fused score came about. */
const HEADS: readonly Head[] = [
  ['score', 'figure'],
  ['lexical', 'figure wide-only'],
  ['dense', 'figure wide-only'],
  ['cosine', 'figure wide-only'],
  ['source'],
  ['passage'],
];

/** Where to search; `both` asks for the two lists that the policy would be given together. */
const TARGETS: readonly SearchTarget[] = ['local', 'web', 'both'];

/** As many names as fit in a line. */
const NAMED = 10;

/** An answer of the retriever with its query: the field may say something else by then. */
interface Found {
  query: string;
  hits: Hit[];
  latencyMs: number;
  failures?: SourceFailure[];
}

/** Passages with their scores, in full: this page is for looking at what the policy is given. */
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

/** Titles of passages that questions need, each a search; none where no question names any. */
const Names = () => {
  const rows = useLab((state) => state.questions);
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
 * The form and what was found last.
 * @param wanted what the address asks for; empty where it does not
 */
const Panel = ({ wanted }: { wanted: string }) => {
  const ready = useLab((state) => state.parts.retrieval.status === 'ready');
  const note = useLab((state) => state.parts.retrieval.note);
  const sources = useLab((state) => state.sources);
  const memory = sources?.memory
    ? `≈ ${formatBytes(sources.memory.passages + sources.memory.lexical + sources.memory.dense)}`
    : null;
  const [query, setQuery] = useState(wanted);
  const [source, setSource] = useState<SearchTarget>('local');
  const [k, setK] = useState(20);
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  // What was found before stays while the next is searched, but not beside a failure.
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
  // What an address asks for is searched as soon as there is a retriever.
  const searchWanted = useEffectEvent(() => void search(wanted));
  useEffect(() => {
    if (!ready || wanted === '') return undefined;
    // After the effect, which must not set state itself.
    const turn = setTimeout(() => searchWanted());
    return () => clearTimeout(turn);
  }, [ready, wanted]);
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
          {/* Of both sources one may fail: the other still answers. */}
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

/** The corpus through the same retriever that rollouts use; an address may say for what. */
export const SearchPanel = () => {
  const wanted = searchedFor(useSearch());
  return <Panel key={wanted} wanted={wanted} />;
};
