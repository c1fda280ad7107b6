import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { Item } from '../../../lab/contract/collections.ts';
import type { ItemKind } from '../../../lab/contract/records/collections.ts';
import { lab } from '../../lab/connection.ts';

/** Items of a collection by index, loaded in pages as they come into view. */

/** Items per page. */
const PAGE = 100;
/** Cached pages: those around the visible rows. */
const KEPT = 40;

/** A window onto a collection that may be larger than memory. */
export interface Items {
  /** Undefined while it is loading. */
  at: (place: number) => Item | undefined;
  /** Loads the missing items of a range. */
  want: (from: number, to: number) => void;
  /** Why a page could not be read; loading stops then. */
  problem: string | null;
}

/** Collection and kind must not change: use a key. */
export const useItems = (id: string, kind: ItemKind): Items => {
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
