import type { LoopHooks } from '../../agent/hooks.ts';
import type { Params } from './system.ts';

export const hooks = ({ asks }: Params): LoopHooks => ({
  ...(asks !== undefined && {
    repliesToAsk({ transcript }) {
      const { events } = transcript.rollout;
      return (
        events.filter((event) => event.kind === 'block' && event.block === 'ask').length < asks
      );
    },
  }),
});
