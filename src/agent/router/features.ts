import type { SourceName } from '../../records/hits.ts';
import { words } from '../answers/normalisers.ts';
import { namesIn } from '../answers/evidence.ts';

/**
 * The router's state s (arXiv 2506.19466, section 2.4: "problem features, historical retrieval
 * outcomes, contextual requirements") as named numbers, mostly in [0, 1]. No wall-clock time enters,
 * so that the same seed gives the same route.
 */

export interface RouterState {
  question: string;
  query: string;
  /** 1-based number of this search. */
  round: number;
  maxSearches: number;
  /** Searches before this one, oldest first. */
  past: readonly { query: string; source: SourceName | 'both'; missed: boolean }[];
  /** Share of the context still free. */
  roomLeft: number;
  /** Share of the query's rare terms that the local index knows; 0.5 where that is not known. */
  localCoverage: number;
}

export const FEATURE_NAMES = [
  'question length',
  'hops',
  'comparison',
  'local coverage',
  'round',
  'last missed',
  'missed locally',
  'missed on the web',
  'last was local',
  'last was web',
  'retry after local',
  'retry after web',
  'repeated query',
  'query length',
  'names in query',
  'room left',
] as const;

export type FeatureName = (typeof FEATURE_NAMES)[number];

const COMPARISON =
  /\b(?:both|same|earlier|later|older|younger|more|fewer|longer|larger|first|or)\b/i;

const flag = (value: boolean): number => Number(value);
const capped = (value: number, at: number): number => Math.min(value / at, 1);

/** Hops that the wording hints at: one, and one for each "of", "whose", "that" or possessive; at most 4. */
export const hintedHops = (question: string): number =>
  Math.min(4, 1 + (question.match(/\b(?:of|whose|that)\b|['’]s\b/gi)?.length ?? 0));

export function routerFeatures(state: RouterState): Record<FeatureName, number> {
  const last = state.past.at(-1);
  const key = words(state.query).join(' ');
  const asked = state.past.filter((search) => words(search.query).join(' ') === key);
  // The same name asked for again: the last search did not bring what was wanted.
  const names = namesIn(state.query).join('; ');
  const retry = names !== '' && last !== undefined && namesIn(last.query).join('; ') === names;
  const missedAt = (source: SourceName): boolean =>
    state.past.slice(-2).some((search) => search.source === source && search.missed);
  return {
    'question length': capped(words(state.question).length, 30),
    hops: (hintedHops(state.question) - 1) / 3,
    comparison: flag(COMPARISON.test(state.question)),
    'local coverage': state.localCoverage,
    round: capped(state.round - 1, Math.max(1, state.maxSearches)),
    'last missed': flag(last?.missed ?? false),
    'missed locally': flag(missedAt('local')),
    'missed on the web': flag(missedAt('web')),
    'last was local': flag(last?.source === 'local'),
    'last was web': flag(last?.source === 'web'),
    'retry after local': flag(retry && last?.source === 'local'),
    'retry after web': flag(retry && last?.source === 'web'),
    'repeated query': flag(asked.length > 0),
    'query length': capped(words(state.query).length, 12),
    'names in query': capped(namesIn(state.query).length, 2),
    'room left': state.roomLeft,
  };
}
