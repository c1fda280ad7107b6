import { beforeAll, describe, expect, it, vi } from 'vitest';
import { oracleOps } from '../ops/oracle/oracle.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { loraSlots } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { relativeError } from '../lora/numbers.ts';
import { FAMILY_FIXTURES, loadFamily, type Family } from '../../fixtures/families/load.ts';
import { engineOn, trainerOn } from './on-ops.ts';

/** Every family on every device that needs no adapter, against transformers and PEFT. */

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const limits = { maxTokens: 128, maxLength: 64 };

const furthest = (a: ArrayLike<number>, b: readonly number[]): number => {
  expect(a.length).toBe(b.length);
  return b.reduce((max, value, i) => Math.max(max, Math.abs(value - a[i]!)), 0);
};

const greedy = { temperature: 0, topK: 0, topP: 1 };

const DEVICES: Record<string, () => Promise<Ops>> = {
  wasm: () => createWasmOps(),
  oracle: () => Promise.resolve(oracleOps()),
};

describe.each(FAMILY_FIXTURES)('%s', (name) => {
  let family: Family;
  beforeAll(async () => {
    family = await loadFamily(name);
  });

  it.each(Object.keys(DEVICES))('trains on %s as PEFT does', async (device) => {
    const { expected, adapter, source, gradients } = family;
    const trainer = await trainerOn(await DEVICES[device]!(), source, adapter.spec, limits);
    const batch = packBatch(
      expected.sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) })),
    );
    const rows = (pick: (s: (typeof expected.sequences)[number]) => number[]): number[] =>
      expected.sequences.flatMap((s) => pick(s).slice(1));

    await trainer.setAdapter(null);
    const reference = await trainer.score(batch);
    expect(
      furthest(
        reference.logprobs,
        rows((s) => s.referenceLogprobs),
      ),
    ).toBeLessThan(1e-4);
    await trainer.setAdapter(adapter.flat);
    const given = Float32Array.from(rows((s) => s.coefficients));
    const { logprobs, entropies } = await trainer.accumulate(batch, () => given);
    expect(
      furthest(
        logprobs,
        rows((s) => s.logprobs),
      ),
    ).toBeLessThan(1e-4);
    expect(
      furthest(
        entropies,
        rows((s) => s.entropies),
      ),
    ).toBeLessThan(1e-4);
    const gradient = await trainer.gradients();
    for (const slot of loraSlots(source.config, adapter.spec)) {
      const got = gradient.subarray(slot.offset, slot.offset + slot.length);
      expect(relativeError(got, gradients.get(slot.name)!.data), slot.name).toBeLessThan(1e-4);
    }
    trainer.dispose();
  });

  it.each(Object.keys(DEVICES))('generates on %s as transformers does', async (device) => {
    const { source, expected } = family;
    const engine = await engineOn(await DEVICES[device]!(), source);
    const { prompt, ids, logprobs, entropies } = expected.greedy;
    const session = engine.open(1);
    session.append(prompt);
    const options = { maxTokens: ids.length, stopIds: [], sampling: greedy };
    const generated = await session.generate(options);
    expect(generated.ids).toEqual(ids);
    expect(furthest(generated.logprobs, logprobs)).toBeLessThan(1e-4);
    expect(furthest(generated.entropies, entropies)).toBeLessThan(1e-4);
    session.close();
    engine.dispose();
  });

  it.each(Object.keys(DEVICES))('training on %s scores what sampling reports', async (device) => {
    const { source, expected, adapter } = family;
    const engine = await engineOn(await DEVICES[device]!(), source);
    const prompt = expected.greedy.prompt.slice(0, 9);
    const sampled = engine.open(5);
    sampled.append(prompt);
    const drawn = await sampled.generate({
      maxTokens: 20,
      stopIds: [],
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    const all = [...prompt, ...drawn.ids];
    const trainer = await trainerOn(await DEVICES[device]!(), source, adapter.spec, limits);
    await trainer.setAdapter(null);
    const scored = await trainer.score(
      packBatch([{ ids: all, weights: all.map((_, i) => (i < 9 ? 0 : 1)) }]),
    );
    expect(furthest(scored.logprobs, drawn.logprobs)).toBeLessThan(1e-4);
    sampled.close();
    engine.dispose();
    trainer.dispose();
  });
});
