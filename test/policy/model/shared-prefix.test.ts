import { describe, expect, it, vi } from 'vitest';
import { packShared, sharedBatches } from '../../../src/policy/lora/shared-prefix.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { oracleOps } from '../../../src/policy/ops/oracle/oracle.ts';
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
});
