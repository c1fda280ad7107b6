import type { DialectId } from '../../../recipes/parts/dialect.ts';
import { ARENA, AUTO_REFINE, IN_FORAGE, R_SEARCH, RE_SEEK, TOOL_STAR } from './blocks.ts';
import type { Dialect } from './dialect.ts';
import { DEEP_RESEARCHER, S3 } from './json.ts';
import { HRPO, REACT, SELF_ASK, THOUGHTS } from './prose.ts';
import { RESEARCH, SEARCH_R1 } from './tagged.ts';
import { R1_SEARCHER, SEARCH_O1, UR2 } from './tokens.ts';
import { TOOLS } from './tools.ts';

const ALL: Readonly<Record<DialectId, Dialect>> = {
  'search-r1': SEARCH_R1,
  'r1-searcher': R1_SEARCHER,
  research: RESEARCH,
  ur2: UR2,
  'auto-refine': AUTO_REFINE,
  're-seek': RE_SEEK,
  'r-search': R_SEARCH,
  'in-forage': IN_FORAGE,
  'tool-star': TOOL_STAR,
  arena: ARENA,
  s3: S3,
  'deep-researcher': DEEP_RESEARCHER,
  hrpo: HRPO,
  'search-o1': SEARCH_O1,
  'self-ask': SELF_ASK,
  react: REACT,
  thoughts: THOUGHTS,
  tools: TOOLS,
};

export const dialectOf = (id: DialectId): Dialect => ALL[id];
