import type { SearchMatch } from '../../../lab/contract/rollouts.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import type { SearchState } from './search-store.ts';

const sumOf = (found: readonly SearchMatch[], of: (place: SearchMatch) => number): number =>
  found.reduce((sum, place) => sum + of(place), 0);

/** Rollouts searched so far. */
export const lookedThrough = (found: readonly SearchMatch[]): number =>
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
