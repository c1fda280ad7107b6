import type { HiddenStates } from '../../policy/lora/trainer.ts';
import { evenBatches, sharedBatches } from '../../policy/lora/shared-prefix.ts';
import type {
  ItemObjective,
  ItemResult,
  ItemScores,
  ReplicaClient,
  ScoredItem,
  TrainItem,
} from './replica.ts';
import { joinHidden, joinResults, joinScores, splitScored, splitTrained } from './contexts.ts';
import { itemAt } from '../../base/items.ts';

export interface BatchGradient {
  gradient: Float32Array;
  /** In the order of the items. */
  items: ItemResult[];
}

/** The version of the adapter that is switched off. */
const OFF = -1;

interface Part<S> {
  items: S[];
  /** Their places in the batch. */
  places: number[];
}

/**
 * Micro-batches of at most `packTokens` tokens, or one longer sequence: the longest sequence left and those that share a
 * prefix with it, then sequences of about its length. Few micro-batches are made even and of even number, so that
 * replicas end together. Depends only on the items.
 */
function packByLength<S extends ScoredItem>(
  items: readonly S[],
  { maxTokens, packTokens }: { maxTokens: number; packTokens: number },
): Part<S>[] {
  const order = items.map((item, place) => {
    const { ids, mask: weights, latents } = item;
    return { item, place, ids, weights, latents };
  });
  order.sort((a, b) => b.ids.length - a.ids.length || a.place - b.place);
  const greedy = sharedBatches(order, maxTokens, packTokens);
  return (evenBatches(order, greedy.length, packTokens) ?? greedy).map((run) => ({
    items: run.map(({ item }) => item),
    places: run.map(({ place }) => place),
  }));
}

/**
 * Synchronous data parallelism over replicas that hold the same frozen policy. A batch is cut into
 * micro-batches which replicas take as they become free; each leaves a gradient of its own, and
 * these are summed in the order of the micro-batches. So the sum depends on batch and adapter
 * alone, neither on timing nor on the number of replicas.
 */
export class PolicyLearner {
  /** Most tokens of one context. */
  readonly maxTokens: number;
  /** Tokens that contexts are packed to, so that replicas share a batch; a longer context is a call by itself. */
  readonly packTokens: number;
  /** Called with tokens of forward and backward passes as they are computed; absent: nobody listens. */
  onTokens: ((tokens: number) => void) | undefined;
  readonly #replicas: readonly ReplicaClient[];
  /** Version of the adapter that each replica holds; null: not known. */
  readonly #held: (number | null)[];
  #adapter: Float32Array | null = null;
  #version = 0;

  /** @throws Error without replicas, or where they differ in what one call holds */
  constructor(replicas: readonly ReplicaClient[]) {
    const first = replicas[0];
    if (!first) throw new Error('learner: it has no replicas');
    if (replicas.some(({ maxTokens }) => maxTokens !== first.maxTokens))
      throw new Error('learner: its replicas take different numbers of tokens');
    this.#replicas = replicas;
    for (const replica of replicas) replica.onTokens = (tokens) => this.onTokens?.(tokens);
    this.maxTokens = first.maxTokens;
    this.packTokens = first.packTokens ?? first.maxTokens;
    this.#held = replicas.map(() => null);
  }

  /** The adapter that the next calls use; in the order of `loraSlots`. */
  setAdapter(flat: Float32Array): void {
    this.#adapter = flat;
    this.#version++;
  }

  /** Loss and summed gradient over the items. @param onDone told after each micro-batch */
  async gradient(
    items: readonly TrainItem[],
    objective: ItemObjective,
    onDone: (done: number, total: number) => void = () => undefined,
  ): Promise<BatchGradient> {
    const adapter = this.#adapter;
    if (!adapter) throw new Error('learner: no adapter was set');
    const contexts = splitTrained(items);
    const parts = packByLength(contexts.items, this);
    let done = 0;
    const results = await this.#spread(parts, this.#version, async (replica, part) => {
      const result = await replica.gradient(part.items, objective);
      onDone(++done, parts.length);
      return result;
    });
    let gradient = new Float32Array(adapter.length);
    const out: ItemResult[] = [];
    results.forEach((result, p) => {
      gradient = gradient.map((sum, i) => sum + itemAt(result.gradient, i, 'gradient'));
      const { places } = itemAt(parts, p, 'micro-batches');
      places.forEach((place, i) => (out[place] = itemAt(result.items, i, 'items')));
    });
    return { gradient, items: joinResults(contexts.counts, out) };
  }

  /** Scores of the items' trained tokens; `reference`: with the adapter switched off. */
  async score(items: readonly ScoredItem[], reference: boolean): Promise<ItemScores[]> {
    const contexts = splitScored(items);
    const parts = packByLength(contexts.items, this);
    const version = reference ? OFF : this.#version;
    const results = await this.#spread(parts, version, (replica, part) =>
      replica.score(part.items),
    );
    const out: ItemScores[] = [];
    results.forEach((scores, p) => {
      const { places } = itemAt(parts, p, 'micro-batches');
      places.forEach((place, i) => (out[place] = itemAt(scores, i, 'scores')));
    });
    return joinScores(contexts.counts, out);
  }

  /** Hidden states at the items' trained tokens, with the adapter that was set. */
  async hidden(items: readonly ScoredItem[]): Promise<HiddenStates[]> {
    const contexts = splitScored(items);
    const parts = packByLength(contexts.items, this);
    const results = await this.#spread(parts, this.#version, (replica, part) => {
      if (!replica.hidden)
        throw new Error('learner: its replicas give no hidden states, which a critic needs');
      return replica.hidden(part.items);
    });
    const out: HiddenStates[] = [];
    results.forEach((states, p) => {
      const { places } = itemAt(parts, p, 'micro-batches');
      places.forEach((place, i) => (out[place] = itemAt(states, i, 'hidden states')));
    });
    return joinHidden(contexts.counts, out);
  }

  /** Bytes that all replicas hold on their devices. */
  async bytes(): Promise<number> {
    const each = await Promise.all(this.#replicas.map((replica) => replica.bytes()));
    return each.reduce((sum, bytes) => sum + bytes, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  async #ready(at: number, version: number): Promise<ReplicaClient> {
    const replica = itemAt(this.#replicas, at, 'replicas');
    if (this.#held[at] === version) return replica;
    this.#held[at] = null;
    await replica.setAdapter(version, version === OFF ? null : this.#adapter);
    this.#held[at] = version;
    return replica;
  }

  /** Every replica takes the next task when it is free; results in the order of the tasks. */
  async #spread<T, R>(
    tasks: readonly T[],
    version: number,
    run: (replica: ReplicaClient, task: T) => Promise<R>,
  ): Promise<R[]> {
    const results: R[] = [];
    let next = 0;
    const drain = async (at: number): Promise<void> => {
      while (next < tasks.length) {
        const task = next++;
        const replica = await this.#ready(at, version);
        results[task] = await run(replica, itemAt(tasks, task, 'tasks'));
      }
    };
    // All settle before a failure is reported, so that no call is left running.
    const ends = await Promise.allSettled(this.#replicas.map((_, at) => drain(at)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return results;
  }
}
