import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loraSlots } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { FAMILY_FIXTURES, loadFamily } from '../../fixtures/families/load.ts';
import { relativeError } from '../lora/numbers.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { openOps } from '../ops/support/swiftshader.ts';
import { engineOn, trainerOn } from './on-ops.ts';
import { expectSameStep } from './shared-prefix-cases.ts';

/** Every family on WebGPU, by a software driver, against transformers and PEFT. */

// It compiles slowly.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

// One device for all: it compiles once what families have in common, and its memory is used before.
let ops: WebGpuOps;
beforeAll(async () => {
  ops = await openOps();
});
afterAll(() => ops.dispose());

const furthest = (a: ArrayLike<number>, b: readonly number[]): number => {
  expect(a.length).toBe(b.length);
  return b.reduce((max, value, i) => Math.max(max, Math.abs(value - (a[i] ?? Number.NaN))), 0);
};

describe.each(FAMILY_FIXTURES)('%s', (name) => {
  it('generates as transformers does', async () => {
    const { source, expected } = await loadFamily(name);
    const engine = await engineOn(ops, source);
    const { prompt, ids, logprobs, entropies } = expected.greedy;
    const session = engine.open(1);
    session.append(prompt);
    const generated = await session.generate({
      maxTokens: ids.length,
      stopIds: [],
      sampling: { temperature: 0, topK: 0, topP: 1 },
    });
    expect(generated.ids).toEqual(ids);
    expect(furthest(generated.logprobs, logprobs)).toBeLessThan(1e-4);
    expect(furthest(generated.entropies, entropies)).toBeLessThan(1e-4);
  });

  it('trains as PEFT does', async () => {
    const { source, expected, adapter, gradients } = await loadFamily(name);
    const limits = { maxTokens: 128, maxLength: 64 };
    const trainer = await trainerOn(ops, source, adapter.spec, limits);
    const batch = packBatch(
      expected.sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) })),
    );
    const rows = (pick: (s: (typeof expected.sequences)[number]) => number[]): number[] =>
      expected.sequences.flatMap((s) => pick(s).slice(1));
    await trainer.setAdapter(null);
    const reference = await trainer.score(batch);
    const withoutAdapter = rows((s) => s.referenceLogprobs);
    expect(furthest(reference.logprobs, withoutAdapter)).toBeLessThan(1e-4);
    await trainer.setAdapter(adapter.flat);
    const given = Float32Array.from(rows((s) => s.coefficients));
    const { logprobs, entropies } = await trainer.accumulate(batch, () => given);
    const [wantedLogprobs, wantedEntropies] = [rows((s) => s.logprobs), rows((s) => s.entropies)];
    expect(furthest(logprobs, wantedLogprobs)).toBeLessThan(1e-4);
    expect(furthest(entropies, wantedEntropies)).toBeLessThan(1e-4);
    const gradient = await trainer.gradients();
    for (const { name: slot, offset, length } of loraSlots(source.config, adapter.spec)) {
      const wanted = gradients.get(slot)?.data ?? [];
      const got = gradient.subarray(offset, offset + length);
      expect(relativeError(got, wanted), slot).toBeLessThan(1e-4);
    }
  });
});

// Grouped heads; and windows.
it.each(['qwen2', 'gemma3'] as const)('%s: a shared prefix changes no gradient', (name) =>
  expectSameStep(ops, name, 8, 1e-4),
);
