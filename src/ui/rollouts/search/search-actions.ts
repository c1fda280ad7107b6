import { messageOf } from '../../../base/errors.ts';
import type { SearchMatch, SearchUpdate } from '../../../lab/contract/rollouts.ts';
import { lab } from '../../lab/connection.ts';
import { NO_SEARCH, useRollouts, type SearchState } from '../store/rollouts-store.ts';

/** Actions of the search over all rollouts. */

const change = (part: Partial<SearchState>): void =>
  useRollouts.setState(({ search }) => ({ search: { ...search, ...part } }));

/** Merges an update: new rollouts of a known group are appended. */
export function withUpdate(
  found: readonly SearchMatch[],
  { found: fresh }: Pick<SearchUpdate, 'found'>,
): SearchMatch[] {
  const all = [...found];
  for (const place of fresh) {
    const last = all.at(-1);
    if (last?.kind === place.kind && last.id === place.id)
      all[all.length - 1] = { ...place, hits: [...last.hits, ...place.hits] };
    else all.push(place);
  }
  return all;
}

let running = new AbortController();

/** For "back". */
export const rememberOpened = (opened: string): void => change({ opened });

/** Stops the search; results stay. */
export const stopSearch = (): void => {
  running.abort();
  if (useRollouts.getState().search.status === 'searching') change({ status: 'stopped' });
};

/** Leaving the page stops the search; it restarts on return. */
export const leaveSearch = (): void => {
  running.abort();
  if (useRollouts.getState().search.status === 'searching') change({ status: 'idle' });
};

/** Searches from the start; a running search is stopped. Results of the same text stay until new ones arrive. */
export const startSearch = async (text: string, over: string): Promise<void> => {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const { text: before, found: old, opened } = useRollouts.getState().search;
  const kept = before === text ? { found: old, opened } : {};
  change({ ...NO_SEARCH, ...kept, text, over, status: 'searching' });
  let fresh: readonly SearchMatch[] = [];
  const onFound = (update: SearchUpdate): void => {
    if (signal.aborted) return;
    const { share, places } = update;
    fresh = withUpdate(fresh, update);
    change({ share, places, found: fresh });
  };
  try {
    await lab().rollouts.searchAll(text, onFound, signal);
    // Without data no update arrives.
    if (!signal.aborted) change({ status: 'done', found: fresh });
  } catch (error) {
    if (!signal.aborted) change({ status: 'failed', problem: messageOf(error) });
  }
};

/** Shows the last results if text and data are the same; else searches. */
export const resumeSearch = (text: string, over: string): void => {
  const { text: before, over: searched, status } = useRollouts.getState().search;
  const same = before === text && searched === over;
  if (!same || status === 'idle' || status === 'failed') void startSearch(text, over);
};
