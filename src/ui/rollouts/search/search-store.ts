import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import type { SearchMatch, SearchUpdate } from '../../../lab/contract/rollouts.ts';
import { lab } from '../../lab/connection.ts';

/** The search over all rollouts. Kept, so that "back" shows it again. */

/** What is searched for and found. */
export interface SearchState {
  text: string;
  /** The version of the searchable data. */
  over: string;
  status: 'idle' | 'searching' | 'done' | 'stopped' | 'failed';
  /** Progress over files and runs, 0 to 1, and their number. */
  share: number;
  places: number;
  /** In order of start. */
  found: readonly SearchMatch[];
  /** Why it failed; empty unless `status` says so. */
  problem: string;
  /** Address of the last opened rollout, for "back". */
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

/** Stops the search; results stay. */
export const stopSearch = (): void => {
  running.abort();
  if (useSearched.getState().status === 'searching') useSearched.setState({ status: 'stopped' });
};

/** Leaving the page stops the search; it restarts on return. */
export const leaveSearch = (): void => {
  running.abort();
  if (useSearched.getState().status === 'searching') useSearched.setState({ status: 'idle' });
};

/** Searches from the start; a running search is stopped. Results of the same text stay until new ones arrive. */
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
    // Without data no update arrives.
    if (!signal.aborted) useSearched.setState({ status: 'done', found: fresh });
  } catch (error) {
    if (!signal.aborted) useSearched.setState({ status: 'failed', problem: messageOf(error) });
  }
};

/** Shows the last results if text and data are the same; else searches. */
export const resumeSearch = (text: string, over: string): void => {
  const { text: before, over: searched, status } = useSearched.getState();
  const same = before === text && searched === over;
  if (!same || status === 'idle' || status === 'failed') void startSearch(text, over);
};
