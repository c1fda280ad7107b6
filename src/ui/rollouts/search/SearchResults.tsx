import { useEffect, type KeyboardEvent } from 'react';
import { plural, formatCount } from '../../kit/words/format.ts';
import { TimeLeft } from '../../kit/words/TimeLeft.tsx';
import { FoundPlaces } from './FoundPlaces.tsx';
import { leaveSearch, resumeSearch, stopSearch } from './search-actions.ts';
import './search.css';
import { useRollouts, type SearchState } from '../store/rollouts-store.ts';
import type { SearchMatch } from '../../../lab/contract/rollouts.ts';

const sumOf = (found: readonly SearchMatch[], of: (place: SearchMatch) => number): number =>
  found.reduce((sum, place) => sum + of(place), 0);

/** Rollouts searched so far. */
const lookedThrough = (found: readonly SearchMatch[]): number =>
  sumOf(found, ({ rollouts }) => rollouts);

const KINDS = ['file', 'run', 'evaluation'] as const;

/** "2 files and 1 run". */
const placesWords = (found: readonly SearchMatch[]): string => {
  const parts = KINDS.flatMap((kind) => {
    const count = found.filter((place) => place.kind === kind).length;
    return count === 0 ? [] : [plural(count, kind)];
  });
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
};

/** Progress or result as text; empty if shown elsewhere. */
export const standingWords = ({
  status,
  text,
  found,
}: Pick<SearchState, 'status' | 'text' | 'found'>): string => {
  const count = sumOf(found, (place) => place.count);
  const of = `${formatCount(count)} of ${plural(lookedThrough(found), 'rollout')}`;
  const where = placesWords(found.filter((place) => place.count > 0));
  if (status === 'searching') return `${of} so far`;
  if (status === 'stopped') return `Stopped: ${of} ${count === 1 ? 'has' : 'have'} “${text}”`;
  return status === 'done' && count > 0
    ? `${of} ${count === 1 ? 'has' : 'have'} “${text}”, in ${where}`
    : '';
};

/** Progress or result of the search. */
const SearchProgress = ({ again }: { again: () => void }) => {
  const state = useRollouts(({ search }) => search);
  const { status, share } = state;
  const words = standingWords(state);
  return (
    <div className="search-standing">
      {status === 'searching' ? (
        <>
          <progress className="bar" aria-label="Searching" max={1} value={share} />
          <span className="fine">
            {words}
            <TimeLeft of={state.text} share={share} />
          </span>
          <button type="button" className="link" onClick={stopSearch}>
            Stop
          </button>
        </>
      ) : null}
      {/* Not a live region: every number would be read out. */}
      <span className="fine" role="status">
        {status === 'searching' ? '' : words}
      </span>
      {status === 'stopped' ? (
        <button type="button" className="link" onClick={again}>
          Search again
        </button>
      ) : null}
    </div>
  );
};

/** Arrow keys move between results, and from the first back to the field. */
const walk = (event: KeyboardEvent<HTMLElement>): void => {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>('.search-hit')];
  const at = hits.findIndex((hit) => hit === document.activeElement);
  if (by === 0 || at < 0) return;
  event.preventDefault();
  const field = document.getElementById('rollouts-search');
  (at + by < 0 ? field : hits[Math.min(at + by, hits.length - 1)])?.focus();
};

interface SearchResultsProps {
  searchText: string;
  /** Changes with the searchable rollouts, so that the search restarts. */
  over: string;
  again: () => void;
}

/** Results of a search over all rollouts, streamed by file and run. */
export const SearchResults = ({ searchText, over, again }: SearchResultsProps) => {
  const { text, status, found, problem } = useRollouts(({ search }) => search);
  useEffect(() => resumeSearch(searchText, over), [searchText, over]);
  useEffect(() => leaveSearch, []);
  const shown = found.filter((place) => place.count > 0 || place.problem !== null);
  if (text !== searchText) return null;
  return (
    <div onKeyDown={walk} data-testid="found-rollouts">
      <SearchProgress again={again} />
      {status === 'failed' ? (
        <p className="failure" role="alert">
          ⚠ The search failed: {problem}.{' '}
          <button type="button" className="link" onClick={again}>
            Try again
          </button>
        </p>
      ) : null}
      {status === 'done' && shown.length === 0 ? (
        <p role="status">
          No rollout contains “{searchText}”. Searched: question, answer and all texts of{' '}
          {plural(lookedThrough(found), 'rollout')}. The text must match exactly, ignoring case; a
          shorter text finds more.
        </p>
      ) : null}
      <FoundPlaces found={shown} words={searchText} />
    </div>
  );
};
