import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import type { SearchMatch, SearchUpdate } from '../../../lab/contract/rollouts.ts';
import { lab } from '../../lab/connection.ts';

/** The search of all rollouts: what was found so far. It is kept, so that "back" from a rollout shows it again. */

/** What is searched for and found. */
export interface SearchState {
  text: string;
  /** What there was to search, as `startSearch` was told. */
  over: string;
  status: 'idle' | 'searching' | 'done' | 'stopped' | 'failed';
  /** Of the files and runs, 0 to 1, and how many there are. */
  share: number;
  places: number;
  /** Those that were begun, in their order. */
  found: readonly SearchMatch[];
  /** Why it failed; empty unless `status` says so. */
  problem: string;
  /** Address of the rollout that was opened last: "back" leads to it. */
  opened: string;
}

const NOTHING: SearchState = {
  text: '',
  over: '',
  status: 'idle',
  share: 0,
  places: 0,
  found: [],
  problem: '',
  opened: '',
};

/** Changed by the functions of this file; `opened` by who opens a place. */
export const useSearched = create<SearchState>()(() => NOTHING);

/** What was found, with an update: a place that continued has its new rollouts after the old ones. */
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

/** Stops what runs; what it found stays. */
export const stopSearch = (): void => {
  running.abort();
  if (useSearched.getState().status === 'searching') useSearched.setState({ status: 'stopped' });
};

/** Another page was opened: a search under way is not worth its time, and restarts on return. */
export const leaveSearch = (): void => {
  running.abort();
  if (useSearched.getState().status === 'searching') useSearched.setState({ status: 'idle' });
};

/**
 * Searches from the start; a search under way is stopped. What was found by the same words stays until there is
 * something new.
 */
export const startSearch = async (text: string, over: string): Promise<void> => {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const { text: before, found: old, opened } = useSearched.getState();
  const kept = before === text ? { found: old, opened } : {};
  useSearched.setState({ ...NOTHING, ...kept, text, over, status: 'searching' });
  let fresh: readonly SearchMatch[] = [];
  const onFound = (update: SearchUpdate): void => {
    if (signal.aborted) return;
    const { share, places } = update;
    fresh = withUpdate(fresh, update);
    useSearched.setState({ share, places, found: fresh });
  };
  try {
    await lab().rollouts.searchAll(text, onFound, signal);
    // Where there is nothing to search no update came.
    if (!signal.aborted) useSearched.setState({ status: 'done', found: fresh });
  } catch (error) {
    if (!signal.aborted) useSearched.setState({ status: 'failed', problem: messageOf(error) });
  }
};

/** Shows what was found before, where the words and what there is to search are the same; else searches. */
export const resumeSearch = (text: string, over: string): void => {
  const { text: before, over: searched, status } = useSearched.getState();
  const same = before === text && searched === over;
  if (!same || status === 'idle' || status === 'failed') void startSearch(text, over);
};
