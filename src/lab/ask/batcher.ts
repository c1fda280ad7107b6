import type { RolloutUpdate } from '../../records/updates.ts';

/**
 * Collects updates and hands them on in batches, so that sixteen streaming rollouts cost the page a
 * few dozen messages a second and not one per token. Within a rollout the order is kept; tokens of
 * one segment are joined, and a segment that is replaced twice is sent once.
 */
export interface UpdateBatcher {
  push: (update: RolloutUpdate) => void;
  /** Hands on what was collected, now. */
  flush: () => void;
}

type Clock = (run: () => void, ms: number) => unknown;

type TextUpdate = Extract<RolloutUpdate, { type: 'segment' | 'tokens' }>;

const isAbout = (update: RolloutUpdate | undefined, index: number): update is TextUpdate =>
  (update?.type === 'segment' || update?.type === 'tokens') && update.index === index;

/** Adds an update to the queue of its rollout; what it makes superfluous goes. */
const enqueue = (queue: RolloutUpdate[], next: RolloutUpdate): void => {
  const last = queue.at(-1);
  if (next.type === 'segment') {
    while (isAbout(queue.at(-1), next.index)) queue.pop();
  } else if (next.type === 'tokens' && last?.type === 'tokens' && last.index === next.index) {
    queue.pop();
    queue.push({
      ...last,
      ids: [...last.ids, ...next.ids],
      logprobs: [...last.logprobs, ...next.logprobs],
      entropies: [...last.entropies, ...next.entropies],
      text: last.text + next.text,
    });
    return;
  }
  queue.push(next);
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
    enqueue(queue, update);
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
