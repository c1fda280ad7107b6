import type { DialectId } from '../../recipes/parts/dialect.ts';
import { arena } from './arena.ts';
import { autoRefine } from './auto-refine.ts';
import { deepResearcher } from './deep-researcher.ts';
import { rSearch } from './r-search.ts';
import { r1Searcher } from './r1-searcher.ts';
import type { Release } from './release.ts';
import { research } from './research.ts';
import { searchR1 } from './search-r1.ts';
import { ur2 } from './ur2.ts';

/** The release whose format a dialect is in; null where none judges a format. */
export const releaseOf = (dialect: DialectId): Release | null =>
  [searchR1, r1Searcher, research, ur2, autoRefine, rSearch, arena, deepResearcher].find(
    ({ dialects }) => dialects.includes(dialect),
  ) ?? null;
