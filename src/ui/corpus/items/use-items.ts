import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { Item } from '../../../lab/contract/collections.ts';
import type { ItemKind } from '../../../lab/contract/records/collections.ts';
import { lab } from '../../lab/connection.ts';

/** Items of a collection by place, read in pages as they come into view. */

/** Items that are asked for at once. */
const PAGE = 100;
/** Pages that are kept: those around what is in view. */
const KEPT = 40;

/** Part of a collection that may be far larger than memory. */
export interface Items {
  /** Undefined while it is read. */
  at: (place: number) => Item | undefined;
  /** Reads what is missing between two places. */
  want: (from: number, to: number) => void;
  /** Why a page could not be read; nothing more is read then. */
  problem: string | null;
}

/** The collection and kind must not change: give the component a key. */
export const useItems = (id: string, kind: ItemKind): Items => {
  // Null: on its way, so that no page is asked for twice.
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
      // A map keeps the order of insertion: those that were read first go first.
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
