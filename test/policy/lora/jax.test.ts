import { defaultDevice, init } from '@jax-js/jax';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loraSize, loraSlots, LORA_TARGETS, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { createJaxLoraTrainer } from '../../../src/policy/lora/jax/trainer.ts';
import { padBatch } from '../../../src/policy/lora/jax/padding.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import type { LoraTrainer } from '../../../src/policy/lora/trainer.ts';
import { createWasmLoraTrainer } from '../../../src/policy/lora/wasm/trainer.ts';
import { Random } from '../../../src/base/random.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { relativeError, unweighted } from './numbers.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = loadLoraFixture();
const adapter = readPeft(fixture.config, fixture.files);
const limits = { maxTokens: 128, maxLength: 64 };

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

describe('against PyTorch and PEFT', () => {
  const { expected, weights, config } = fixture;
  const batch = unweighted(expected.sequences);
  const rows = (pick: (s: (typeof expected.sequences)[number]) => number[]): number[] =>
    expected.sequences.flatMap((s) => pick(s).slice(1));
  let trainer: LoraTrainer;
  beforeAll(async () => {
    trainer = await createJaxLoraTrainer(weights, adapter.spec, limits);
  });

  it('scores as PEFT does, with the adapter and without it', async () => {
    await trainer.setAdapter(adapter.flat);
    const { logprobs, entropies } = await trainer.score(batch);
    rows((s) => s.logprobs).forEach((value, i) => expect(logprobs[i]).toBeCloseTo(value, 3));
    rows((s) => s.entropies).forEach((value, i) => expect(entropies[i]).toBeCloseTo(value, 3));
    await trainer.setAdapter(null);
    const reference = await trainer.score(batch);
    rows((s) => s.referenceLogprobs).forEach((value, i) =>
      expect(reference.logprobs[i]).toBeCloseTo(value, 3),
    );
    await expect(trainer.accumulate(batch, (s) => s.logprobs)).rejects.toThrow(/switched off/);
  });

  it('has PEFT’s gradients, every tensor to 1e-3, and adds them up over calls', async () => {
    await trainer.setAdapter(adapter.flat);
    trainer.zeroGradients();
    const given = Float32Array.from(rows((s) => s.coefficients));
    await trainer.accumulate(batch, () => given);
    const once = await trainer.gradients();
    for (const slot of loraSlots(config, adapter.spec)) {
      const got = once.subarray(slot.offset, slot.offset + slot.length);
      expect(relativeError(got, expected.gradients[slot.name]!), slot.name).toBeLessThan(1e-3);
    }
    await trainer.accumulate(batch, () => given);
    expect(
      relativeError(
        await trainer.gradients(),
        once.map((value) => 2 * value),
      ),
    ).toBeLessThan(1e-6);
  });
});

describe('beside the WASM kernels', () => {
  const specs: LoraSpec[] = [
    { rank: 3, alpha: 7, targets: ['k_proj', 'up_proj'] },
    { rank: 8, alpha: 4, targets: [...LORA_TARGETS] },
  ];

  it.each(specs)('gives the same scores and gradients: %o', async (spec) => {
    const config = { ...fixture.config, layers: 3 };
    const weights = initWeights(config, 5);
    const flat = new Float32Array(loraSize(config, spec));
    new Random(9).fillNormal(flat, 0.2);
    const ids = (n: number): number[] => Array.from({ length: n }, (_, i) => (7 * i + n) % 40);
    const batch = unweighted([ids(40), ids(9), ids(33), ids(3)].map((list) => ({ ids: list })));
    const given = Float32Array.from(batch.rows, (_, i) => [0.7, -0.4, 0, 1.1, -0.2][i % 5]!);
    const results = await Promise.all(
      [createWasmLoraTrainer, createJaxLoraTrainer].map(async (create) => {
        const trainer = await create(weights, spec, limits);
        await trainer.setAdapter(flat);
        const scores = await trainer.accumulate(batch, () => given);
        return { scores, gradient: await trainer.gradients() };
      }),
    );
    const [wasm, jax] = results;
    expect(relativeError(jax!.scores.logprobs, wasm!.scores.logprobs)).toBeLessThan(1e-5);
    expect(relativeError(jax!.scores.entropies, wasm!.scores.entropies)).toBeLessThan(1e-5);
    expect(relativeError(jax!.gradient, wasm!.gradient)).toBeLessThan(1e-4);
  });
});

describe('rectangles', () => {
  it('hold at most the tokens allowed, padding included, and every row once', () => {
    const batch = unweighted([40, 9, 33, 3, 64, 1].map((n) => ({ ids: Array<number>(n).fill(1) })));
    const parts = padBatch(batch, 128);
    for (const { sequences, tokens } of parts) expect(sequences * tokens).toBeLessThanOrEqual(128);
    const places = parts.flatMap(({ rows }) => rows.map(({ place }) => place));
    expect(places.toSorted((a, b) => a - b)).toEqual(Array.from(batch.rows, (_, i) => i));
    expect(parts.flatMap(({ lengths }) => lengths)).toEqual([40, 9, 33, 3, 64, 1]);
  });
});
