import type { LoopHooks } from '../../agent/hooks.ts';
import { openContext } from '../../agent/rdra.ts';
import { resetContext } from '../../agent/searching.ts';
import { promptFrame } from '../../agent/transcript/prompt.ts';
import type { Params } from './system.ts';

/** After a search the context restarts with the result, where a background is shown, and the question. */
export const hooks = ({ reset }: Params): LoopHooks => ({
  ...(reset && {
    placeResult: {
      segment({ deps, settings, tags, transcript }) {
        const next = transcript.lastSegment + 1;
        return promptFrame(deps.policy, tags, settings).before.length > 0 ? next + 1 : next;
      },
      async write(state, text) {
        // The turn whose call this answers is no longer in the context.
        state.replies = null;
        await resetContext(state);
        await openContext(state, text);
      },
    },
  }),
});
