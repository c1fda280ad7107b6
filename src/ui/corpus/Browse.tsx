import { TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { CollectionView, Item } from '../../lab/contract/collections.ts';
import type { ItemKind } from '../../lab/contract/records/collections.ts';
import { formatCount, plural } from '../kit/words/format.ts';
import { lab } from '../lab/connection.ts';
import { messageOf } from '../../base/errors.ts';

/** Milliseconds without a letter before the worker is asked. */
const FILTER_MS = 250;

/** Indices of matching items; null for all. */
const useFound = (id: string, kind: ItemKind, filter: string) => {
  const [found, setFound] = useState<{ filter: string; places: number[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (filter === '') return;
    let live = true;
    const timer = setTimeout(() => {
      void lab()
        // One job name: a new search cancels the running one, whose outcome is then `cancelled`.
        .collections.find('corpus-filter', id, kind, filter)
        .then((outcome) => {
          if (live && outcome.status === 'ready') setFound({ filter, places: outcome.places });
        })
        .catch((error: unknown) => live && setProblem(String(error)));
    }, FILTER_MS);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [id, kind, filter]);
  return {
    // Keeps the last matches until the next arrive, so that the list does not flicker.
    places: filter === '' ? null : (found?.places ?? []),
    searching: filter !== '' && found?.filter !== filter,
    problem,
  };
};

/** A question with its gold answers and sources, or a whole passage. */
const Entry = ({ item }: { item: Item }) => {
  if ('answers' in item) {
    const { text, answers, supporting, id, sourceType, type, difficulty } = item;
    return (
      <>
        <div>
          {text} <b>{answers.join(' / ')}</b>
        </div>
        <div className="fine">
          {[
            id,
            sourceType ?? type,
            difficulty,
            supporting.length > 0 && `needs ${supporting.join(', ')}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
      </>
    );
  }
  return (
    <>
      <b>{item.title || 'untitled'}</b> <span className="fine">{item.id}</span>
      <div>{item.text}</div>
    </>
  );
};

interface ListProps {
  id: string;
  kind: ItemKind;
  count: number;
  /** Indices to show; null for all. */
  places: readonly number[] | null;
}

/** Items of a collection by index, loaded in pages as they come into view. */

/** Items per page. */
const PAGE = 100;
/** Cached pages: those around the visible rows. */
const KEPT = 40;

/** A window onto a collection that may be larger than memory. */
interface Items {
  /** Undefined while it is loading. */
  at: (place: number) => Item | undefined;
  /** Loads the missing items of a range. */
  want: (from: number, to: number) => void;
  /** Why a page could not be read; loading stops then. */
  problem: string | null;
}

/** Collection and kind must not change: use a key. */
const useItems = (id: string, kind: ItemKind): Items => {
  // Null: requested, so that no page is requested twice.
  const pages = useRef(new Map<number, Item[] | null>());
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const live = useRef(true);
  useEffect(() => {
    live.current = true;
    return () => {
      live.current = false;
    };
  }, []);
  const read = async (page: number) => {
    pages.current.set(page, null);
    try {
      const items = await lab().collections.items(id, kind, page * PAGE, PAGE);
      pages.current.set(page, items);
      // Maps iterate in insertion order: the oldest pages are evicted first.
      for (const old of pages.current.keys())
        if (pages.current.size > KEPT && old !== page) pages.current.delete(old);
    } catch (error) {
      pages.current.delete(page);
      if (live.current) setProblem(messageOf(error));
    }
    if (live.current) redraw((count) => count + 1);
  };
  return {
    at: (place) => pages.current.get(Math.floor(place / PAGE))?.[place % PAGE],
    want: (from, to) => {
      for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++)
        if (!pages.current.has(page) && problem === null) void read(page);
    },
    problem,
  };
};

/** Virtualised: a list of a million has as many elements as one of a hundred. */
const List = ({ id, kind, count, places }: ListProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const items = useItems(id, kind);
  const shown = places ? places.length : count;
  // The React compiler skips this component, which is right: its rows change on scroll.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    // Estimated height in pixels; entries are measured once rendered.
    estimateSize: () => 76,
    overscan: 6,
  });
  const inView = rows.getVirtualItems();
  // With a filter, row numbers differ from item indices.
  const placeOf = (row: number): number => places?.[row] ?? row;
  const first = inView[0]?.index ?? 0;
  const last = inView.at(-1)?.index ?? 0;
  useEffect(() => {
    if (shown === 0) return;
    for (let row = first; row <= last; row++) items.want(placeOf(row), placeOf(row));
  });
  return (
    <>
      {items.problem ? (
        <p role="alert" className="tone-bad">
          ⚠ {items.problem}
        </p>
      ) : null}
      <div
        ref={scroller}
        className="browse-list"
        tabIndex={0}
        role="group"
        aria-label={`${kind}, list`}
      >
        <ol style={{ height: rows.getTotalSize() }}>
          {inView.map(({ index, start, key }) => {
            const item = items.at(placeOf(index));
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className="browse-place">{formatCount(placeOf(index) + 1)}</span>
                <div className="grow">
                  {item ? <Entry item={item} /> : <span className="fine">…</span>}
                </div>
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
};

const KINDS: readonly ItemKind[] = ['passages', 'questions'];

/** The items of a collection, with a filter. */
export const Browse = ({ row }: { row: CollectionView }) => {
  const [kind, setKind] = useState<ItemKind>(row.passages > 0 ? 'passages' : 'questions');
  const [text, setText] = useState('');
  const filter = text.trim();
  const { places, searching, problem } = useFound(row.id, kind, filter);
  return (
    <section className="browse" aria-label={`Browse ${row.name}`}>
      <div className="browse-bar">
        <h2>{row.name}</h2>
        <span role="group" aria-label="Kind of items" className="kinds">
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              className="link"
              aria-pressed={kind === one}
              disabled={row[one] === 0}
              onClick={() => setKind(one)}
            >
              {plural(row[one], one.slice(0, -1))}
            </button>
          ))}
        </span>
        <TextInput
          size="xs"
          className="grow"
          aria-label={`Filter ${kind}`}
          placeholder="words"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <span className="fine" role="status">
          {problem ??
            (searching ? 'looking …' : places ? `${formatCount(places.length)} found` : '')}
        </span>
        <Link href="/corpus">Close</Link>
      </div>
      {places?.length === 0 && !searching ? (
        <p className="fine">No match: {kind} contains all of these words.</p>
      ) : (
        <List
          // A changed count remounts the list: an import continued, and loaded pages may be incomplete.
          key={`${kind} ${row[kind]}`}
          id={row.id}
          kind={kind}
          count={row[kind]}
          places={places}
        />
      )}
    </section>
  );
};
