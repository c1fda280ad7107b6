import { describe, expect, it, vi } from 'vitest';
import { evenBatches, packShared, sharedBatches } from '../../../src/policy/lora/shared-prefix.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { FAMILY_FIXTURES } from '../../fixtures/families/load.ts';
import { expectSameStep, groupOf } from './shared-prefix-cases.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.each(FAMILY_FIXTURES)('%s: a shared prefix changes no score and no gradient', (name) => {
  it.each([2, 3, 8])('%i sequences on WASM', async (count) => {
    await expectSameStep(await createWasmOps(), name, count, 1e-4);
  });
});

it.each(['qwen2', 'gemma3'] as const)('%s on the oracle', (name) =>
  expectSameStep(oracleOps(), name, 3, 1e-5),
);

it('also with keys and values in f16', async () => {
  await expectSameStep(await createWasmOps(), FAMILY_FIXTURES[0], 3, 1e-4, 'f16');
});

describe('packing', () => {
  const sequences = groupOf(8, 90);

  it('keeps the tokens and targets of every scored row, in order', () => {
    const [plain, shared] = [packBatch(sequences), packShared(sequences)];
    expect(shared.targets).toEqual(plain.targets);
    const idsAt = (batch: typeof plain) => [...batch.rows].map((row) => batch.ids[row]);
    expect(idsAt(shared)).toEqual(idsAt(plain));
    expect(new Set(shared.rows).size).toBe(shared.rows.length);
  });

  it('shares nothing that is scored, and no short prefix', () => {
    const scored = sequences.map(({ ids }) => ({ ids, weights: Array.from(ids, () => 1) }));
    expect(packShared(scored)).toEqual(packBatch(scored));
    const ids = Array.from({ length: 30 }, (_, i) => i + 1);
    const short = [1, 2].map((last) => ({
      ids: [...ids, last],
      weights: [...ids.map(() => 0), 1],
    }));
    expect(packShared(short)).toEqual(packBatch(short));
  });

  it('cuts at the limit, shared tokens counted once, and loses no sequence', () => {
    for (const most of [110, 150, 300]) {
      const batches = sharedBatches(sequences, most);
      expect(new Set(batches.flat())).toEqual(new Set(sequences));
      expect(batches.flat()).toHaveLength(sequences.length);
      for (const batch of batches) expect(packShared(batch).ids.length).toBeLessThanOrEqual(most);
    }
    const all = packBatch(sequences).ids.length;
    expect(sharedBatches(sequences, packShared(sequences).ids.length)).toHaveLength(1);
    expect(packShared(sequences).ids.length).toBeLessThan(all);
    expect(() => sharedBatches(sequences, 20)).toThrow('the limit is 20');
  });

  describe('of few sequences is even, so that threads end together', () => {
    /** Sequences of these lengths that begin with the same 338 tokens. */
    const withPrompt = (lengths: readonly number[]) =>
      lengths.map((length, at) => ({
        ids: Array.from({ length }, (_, i) => (i < 338 ? i + 1 : 1000 * at + i)),
        weights: Array.from({ length }, (_, i) => Number(i > 400)),
      }));
    const sizes = (batches: readonly ReturnType<typeof withPrompt>[] | null) =>
      batches?.map((batch) => packShared(batch).ids.length);

    it('two batches of two where one of three and one of one would fit', () => {
      const four = withPrompt([1100, 900, 700, 600]);
      expect(sizes(sharedBatches(four, 2048))).toEqual([2028, 600]);
      // 1100 + 600 − 336 shared ones, 900 + 700 − 336.
      expect(sizes(evenBatches(four, 2, 2048))).toEqual([1364, 1264]);
    });

    it('an even number of them', () => {
      expect(evenBatches(withPrompt([700, 650]), 1, 2048)).toHaveLength(2);
      expect(evenBatches(withPrompt([900, 900, 900, 900, 900]), 3, 2048)).toHaveLength(4);
      expect(evenBatches(withPrompt([900]), 1, 2048)).toHaveLength(1);
    });

    it('but not where one would be too large, where there are many, or where little is to be done', () => {
      expect(evenBatches(withPrompt([1100, 900, 700, 600]), 2, 1300)).toBeNull();
      expect(evenBatches(withPrompt(Array.from({ length: 9 }, () => 700)), 9, 700)).toBeNull();
      expect(evenBatches(sequences.slice(0, 2), 1, 2048)).toBeNull();
    });
  });
});
