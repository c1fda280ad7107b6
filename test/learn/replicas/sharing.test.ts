import { describe, expect, it } from 'vitest';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { ReplicaClient, ScoredItem, TrainItem } from '../../../src/learn/replicas/replica.ts';

/** How a batch is shared out among replicas, and what comes back in which order. */

/** Items carry their number as their advantage and their first token; scores give it back. */
const item = (number: number, length: number): TrainItem => ({
  ids: new Int32Array(length).fill(number),
  mask: new Uint8Array(length),
  temperature: 1,
  oldLogprobs: new Float32Array(0),
  refLogprobs: null,
  advantage: number,
  weight: 1,
});

class Noting implements ReplicaClient {
  /** Numbers of the items of each call. */
  readonly parts: number[][] = [];
  readonly adapters: [number, number[] | null][] = [];
  closed = false;
  fault: Error | null = null;
  adapterFault: Error | null = null;

  constructor(
    readonly maxTokens = 10,
    readonly size = 0,
  ) {}

  setAdapter(version: number, flat: Float32Array | null): Promise<void> {
    this.adapters.push([version, flat && [...flat]]);
    return this.adapterFault ? Promise.reject(this.adapterFault) : Promise.resolve();
  }
  gradient(items: readonly TrainItem[]) {
    if (this.fault) return Promise.reject(this.fault);
    const advantages = items.map(({ advantage }) => Number(advantage));
    this.parts.push(advantages);
    return Promise.resolve({
      gradient: Float32Array.of(
        advantages.reduce((sum, each) => sum + each, 0),
        1,
      ),
      items: advantages.map((advantage) => ({
        logprobs: new Float32Array(0),
        entropies: new Float32Array(0),
        loss: advantage,
        clipped: 0,
        kl: 0,
      })),
    });
  }
  score(items: readonly ScoredItem[]) {
    return Promise.resolve(
      items.map(({ ids }) => ({
        logprobs: Float32Array.from(ids.slice(0, 1)),
        entropies: new Float32Array(0),
      })),
    );
  }
  bytes(): Promise<number> {
    return Promise.resolve(this.size);
  }
  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

const learnerOf = (...replicas: Noting[]): PolicyLearner => {
  const learner = new PolicyLearner(replicas);
  learner.setAdapter(Float32Array.of(1, 2));
  return learner;
};

describe('a learner', () => {
  it('needs replicas, all of one size, and an adapter', async () => {
    expect(() => new PolicyLearner([])).toThrow('learner: it has no replicas');
    expect(() => new PolicyLearner([new Noting(10), new Noting(20)])).toThrow(
      'learner: its replicas take different numbers of tokens',
    );
    const learner = new PolicyLearner([new Noting(10), new Noting(10)]);
    expect(learner.maxTokens).toBe(10);
    await expect(learner.gradient([item(1, 2)], 'likelihood')).rejects.toThrow(
      'learner: no adapter was set',
    );
  });

  it('cuts a batch into micro-batches, longest first, and gives results in the batch’s order', async () => {
    const replica = new Noting();
    const learner = learnerOf(replica);
    const batch = [item(1, 3), item(2, 6), item(3, 4), item(4, 3), item(5, 2)];
    const done: [number, number][] = [];
    const { gradient, items } = await learner.gradient(batch, 'likelihood', (now, total) =>
      done.push([now, total]),
    );
    // 6 + 4 tokens, then 3 + 3 + 2; of equal length the earlier first.
    expect(replica.parts).toEqual([
      [2, 3],
      [1, 4, 5],
    ]);
    expect(items.map(({ loss }) => loss)).toEqual([1, 2, 3, 4, 5]);
    expect([...gradient]).toEqual([15, 2]);
    expect(done).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const scores = await learner.score(batch, false);
    expect(scores.map(({ logprobs }) => logprobs[0])).toEqual([1, 2, 3, 4, 5]);
  });

  it('of an empty batch has a gradient of zeros', async () => {
    const { gradient, items } = await learnerOf(new Noting()).gradient([], 'likelihood');
    expect([[...gradient], items]).toEqual([[0, 0], []]);
  });

  it('shares micro-batches out, each to one replica', async () => {
    const replicas = [new Noting(4), new Noting(4)];
    const batch = [1, 2, 3, 4].map((number) => item(number, 4));
    await learnerOf(...replicas).gradient(batch, 'likelihood');
    const all = replicas.flatMap(({ parts }) => parts.flat());
    expect(all.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    for (const { parts } of replicas) expect(parts).toHaveLength(2);
  });

  it('sets the adapter anew where it changed, and switches it off for the reference', async () => {
    const replica = new Noting();
    const learner = learnerOf(replica);
    const batch = [item(1, 6), item(2, 6)];
    await learner.gradient(batch, 'likelihood');
    await learner.score(batch, false);
    expect(replica.adapters).toEqual([[1, [1, 2]]]);
    await learner.score(batch, true);
    learner.setAdapter(Float32Array.of(3, 4));
    await learner.score(batch, false);
    expect(replica.adapters.slice(1)).toEqual([
      [-1, null],
      [2, [3, 4]],
    ]);
  });

  it('sets it again where that failed: the replica may hold half of it', async () => {
    const replica = new Noting();
    const learner = learnerOf(replica);
    await learner.score([item(1, 2)], false);
    replica.adapterFault = new Error('device lost');
    await expect(learner.score([item(1, 2)], true)).rejects.toThrow('device lost');
    replica.adapterFault = null;
    await learner.score([item(1, 2)], false);
    expect(replica.adapters.map(([version]) => version)).toEqual([1, -1, 1]);
  });

  it('tells a failure when no replica works any more', async () => {
    const [failing, slow] = [new Noting(4), new Noting(4)];
    failing.fault = new Error('out of memory');
    let left = false;
    slow.gradient = async (items) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      left = true;
      return { gradient: new Float32Array(2), items: items.map(() => ({}) as never) };
    };
    await expect(
      learnerOf(failing, slow).gradient([item(1, 4), item(2, 4)], 'likelihood'),
    ).rejects.toThrow('out of memory');
    expect(left).toBe(true);
  });

  it('holds what its replicas hold, and closes them all', async () => {
    const replicas = [new Noting(4, 30), new Noting(4, 12)];
    const learner = learnerOf(...replicas);
    expect(await learner.bytes()).toBe(42);
    await learner.close();
    expect(replicas.map(({ closed }) => closed)).toEqual([true, true]);
  });
});
