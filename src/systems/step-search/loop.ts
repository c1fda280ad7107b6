import type { LoopHooks } from '../../agent/hooks.ts';
import { writeHint } from '../../agent/searching.ts';
import { HINTS } from '../../records/protocol.ts';
import type { Params } from './system.ts';

export const hooks = ({ lastTurn }: Params): LoopHooks => ({
  afterResult(state) {
    const { maxSearches } = state.settings.retrieval;
    if (lastTurn === 'warn' && state.searches.length >= maxSearches)
      writeHint(state, HINTS.answerNow);
  },
});
