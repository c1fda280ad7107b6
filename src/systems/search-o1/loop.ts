import type { LoopHooks } from '../../agent/hooks.ts';
import { writeHint } from '../../agent/searching.ts';
import { HINTS } from '../../records/protocol.ts';
import type { Params } from './system.ts';

/** run_search_o1.py: a query that a search has answered before gets a notice instead of passages, and is not counted. */
export const hooks = ({ repeats }: Params): LoopHooks => ({
  async onQuery(state, query) {
    const repeated = state.searches.some((earlier) => earlier.query === query && !earlier.failed);
    if (repeats !== 'notice' || !repeated) return 'search';
    writeHint(state, HINTS.repeatedQuery);
    return 'skip';
  },
});
