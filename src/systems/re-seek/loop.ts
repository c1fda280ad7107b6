import type { LoopHooks } from '../../agent/hooks.ts';
import { resetContext } from '../../agent/searching.ts';
import type { RunState } from '../../agent/state.ts';
import { saysUseful } from '../../records/protocol.ts';
import type { Params } from './system.ts';

/** Segments of results that the policy judged useless. */
function uselessResults({ transcript }: RunState): Set<number> {
  const useless = new Set<number>();
  let last: number | undefined;
  for (const event of transcript.rollout.events) {
    if (event.kind === 'retrieve') last = event.segment;
    if (event.kind !== 'block' || event.block !== 'judge' || last === undefined) continue;
    if (!saysUseful(event.text)) useless.add(last);
    last = undefined;
  }
  return useless;
}

/**
 * Removes the results that the policy judged useless from the context, if there are any. Its earlier words become
 * prompt tokens in the new context: they were sampled in the old one.
 */
async function dropUselessResults(state: RunState): Promise<void> {
  const { segments, contexts } = state.transcript.rollout;
  const start = contexts?.at(-1) ?? 0;
  const useless = uselessResults(state);
  const kept = segments.slice(start).filter((_, i) => !useless.has(start + i));
  if (kept.length === segments.length - start) return;
  await resetContext(state);
  for (const { role, ids } of kept) state.conversation.write('prompt', role, ids);
}

export const hooks = ({ useless }: Params): LoopHooks =>
  useless === 'dropped' ? { beforeSearch: dropUselessResults } : {};
