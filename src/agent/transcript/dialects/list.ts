import type { DialectId } from '../../../recipes/methods/dialect.ts';
import type { Dialect } from './dialect.ts';
import { REACT, SELF_ASK, THOUGHTS } from './prose.ts';
import { AUTO_REFINE, RESEARCH, SEARCH_R1 } from './tagged.ts';
import { R1_SEARCHER, SEARCH_O1, UR2 } from './tokens.ts';

const ALL: Readonly<Record<DialectId, Dialect>> = {
  'search-r1': SEARCH_R1,
  'r1-searcher': R1_SEARCHER,
  research: RESEARCH,
  ur2: UR2,
  'auto-refine': AUTO_REFINE,
  'search-o1': SEARCH_O1,
  'self-ask': SELF_ASK,
  react: REACT,
  thoughts: THOUGHTS,
};

export const dialectOf = (id: DialectId): Dialect => ALL[id];
