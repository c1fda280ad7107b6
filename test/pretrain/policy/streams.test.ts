import { describe, expect, it } from 'vitest';
import type { Batch, BatchPlan, Cursor } from '../../../src/pretrain/policy/batches.ts';
import { Streams, streamSeed, type BatchSource } from '../../../src/pretrain/policy/streams.ts';

const PLAN: BatchPlan = {
  tokens: 40,
  copyShare: 0,
  drillShare: 0.5,
  environmentWeight: 0,
};

/** Sequences of ten tokens that say whose they are and which; asked for a batch, it fills it. */
class Counting implements BatchSource {
  readonly plans: BatchPlan[] = [];

  constructor(readonly name: string) {}

  batch(from: Cursor, plan: BatchPlan): Batch {
    this.plans.push(plan);
    const cursor = { ...from };
    const examples: Batch['examples'] = [];
    let tokens = 0;
    for (; tokens < plan.tokens; tokens += 10)
      examples.push({
        ids: new Int32Array(10),
        weights: new Float32Array(10),
        mask: new Uint8Array(10),
        kind: `${this.name} ${cursor.trajectories++}`,
      });
    return { examples, tokens, cursor };
  }
}

const kinds = ({ examples }: Batch): string[] => examples.map(({ kind }) => kind);
const START = { trajectories: 0, spans: 0, drills: 0 };

describe('streams of data', () => {
  it('give every batch an equal share each, and go on where they stood', async () => {
    const sources = [new Counting('a'), new Counting('b')];
    const streams = new Streams(sources);
    const first = await streams.batch(START, PLAN);
    expect(kinds(first)).toEqual(['a 0', 'a 1', 'b 0', 'b 1']);
    expect(first.tokens).toBe(40);
    expect(sources[0]!.plans).toEqual([{ ...PLAN, tokens: 20 }]);
    const resumed = new Streams([new Counting('a'), new Counting('b')]);
    expect(kinds(await resumed.batch(first.cursor, PLAN))).toEqual(['a 2', 'a 3', 'b 2', 'b 3']);
  });

  it('refuse to continue with another number of streams', async () => {
    const { cursor } = await new Streams([new Counting('a'), new Counting('b')]).batch(START, PLAN);
    await expect(new Streams([new Counting('a')]).batch(cursor, PLAN)).rejects.toThrow(
      'the state has 2 data streams, and 1 were started',
    );
  });

  it('have seeds of their own, the first that of the run', () => {
    const seeds = Array.from({ length: 64 }, (_, i) => streamSeed(5, i));
    expect(seeds[0]).toBe(5);
    expect(new Set(seeds).size).toBe(64);
  });
});
