import type { RolloutUpdate } from '../../agent/updates.ts';

/**
 * Collects updates and hands them on in batches, so that sixteen streaming rollouts cost the page a
 * few dozen messages a second and not one a token. Within a rollout the order is kept; tokens of
 * one segment are joined, and a segment that is replaced twice is sent once.
 */
export interface UpdateBatcher {
  push: (update: RolloutUpdate) => void;
  /** Hands on what was collected, now. */
  flush: () => void;
}

type Clock = (run: () => void, ms: number) => unknown;

/** The last update of a queue when `next` can be folded into it. */
const fold = (last: RolloutUpdate | undefined, next: RolloutUpdate): RolloutUpdate | null => {
  if (!last) return null;
  if (last.type === 'tokens' && next.type === 'tokens' && last.index === next.index) {
    return {
      ...last,
      ids: [...last.ids, ...next.ids],
      logprobs: [...last.logprobs, ...next.logprobs],
      entropies: [...last.entropies, ...next.entropies],
      text: last.text + next.text,
    };
  }
  const replaces =
    next.type === 'segment' &&
    (last.type === 'segment' || last.type === 'tokens') &&
    last.index === next.index;
  return replaces ? next : null;
};

export const createUpdateBatcher = (
  send: (updates: RolloutUpdate[]) => void,
  intervalMs = 40,
  clock: Clock = setTimeout,
): UpdateBatcher => {
  let queues = new Map<string, RolloutUpdate[]>();
  let scheduled = false;

  const flush = () => {
    const updates = [...queues.values()].flat();
    queues = new Map();
    if (updates.length > 0) send(updates);
  };

  const push = (update: RolloutUpdate) => {
    const queue = queues.get(update.rolloutId) ?? [];
    const folded = fold(queue.at(-1), update);
    if (folded) queue[queue.length - 1] = folded;
    else queue.push(update);
    queues.set(update.rolloutId, queue);
    if (scheduled) return;
    scheduled = true;
    clock(() => {
      scheduled = false;
      flush();
    }, intervalMs);
  };

  return { push, flush };
};
