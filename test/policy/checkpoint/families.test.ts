import { defaultDevice, init } from '@jax-js/jax';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { uploadFrom } from '../../../src/policy/engine/device-weights.ts';
import { GenerationEngine } from '../../../src/policy/engine/engine.ts';
import { createLoraTrainer, wasmKernelFault } from '../../../src/policy/open/create.ts';
import { createJaxLoraTrainer } from '../../../src/policy/lora/jax/trainer.ts';
import { loraSlots } from '../../../src/policy/lora/spec.ts';
import type { LoraTrainer } from '../../../src/policy/lora/trainer.ts';
import { createWasmLoraTrainer } from '../../../src/policy/lora/wasm/trainer.ts';
import { weightsOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { relativeError } from '../lora/numbers.ts';
import { FAMILY_FIXTURES, loadFamily, type Family } from '../../fixtures/families/load.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const limits = { maxTokens: 128, maxLength: 64 };

const furthest = (a: ArrayLike<number>, b: readonly number[]): number => {
  expect(a.length).toBe(b.length);
  return b.reduce((max, value, i) => Math.max(max, Math.abs(value - a[i]!)), 0);
};

const greedy = { temperature: 0, topK: 0, topP: 1 };

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

describe.each(FAMILY_FIXTURES)('%s', (name) => {
  let family: Family;
  beforeAll(async () => {
    family = await loadFamily(name);
  });

  const trainers: Record<string, () => Promise<LoraTrainer>> = {
    'the WASM kernels': async () =>
      createWasmLoraTrainer(await weightsOf(family.source), family.adapter.spec, limits),
    'jax-js': () => createJaxLoraTrainer(family.source, family.adapter.spec, limits),
  };

  it.each(Object.keys(trainers))('trains by %s as PEFT does', async (kind) => {
    const { expected, adapter, source, gradients } = family;
    const trainer = await trainers[kind]!();
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

  it('generates as transformers does, and reports the probabilities that training scores', async () => {
    const { source, expected } = family;
    const engine = new GenerationEngine(await uploadFrom(source), { maxSlots: 4, sync: true });
    const { prompt, ids, logprobs, entropies } = expected.greedy;
    const session = engine.open(1);
    session.append(prompt);
    const options = { maxTokens: ids.length, stopIds: [], sampling: greedy };
    const generated = await session.generate(options);
    expect(generated.ids).toEqual(ids);
    expect(furthest(generated.logprobs, logprobs)).toBeLessThan(1e-4);
    expect(furthest(generated.entropies, entropies)).toBeLessThan(1e-4);
    session.close();

    const sampled = engine.open(5);
    sampled.append(prompt.slice(0, 9));
    const drawn = await sampled.generate({
      ...options,
      sampling: { temperature: 1, topK: 0, topP: 1 },
    });
    const all = [...prompt.slice(0, 9), ...drawn.ids];
    const trainer = await createJaxLoraTrainer(source, family.adapter.spec, limits);
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

describe('a trainer on the CPU', () => {
  it('is jax-js where the kernels cannot train a shape, and says why', async () => {
    const { source, adapter } = await loadFamily('qwen2');
    const plain = await createLoraTrainer(source, adapter.spec, limits, 'wasm');
    expect(plain).toMatchObject({ kernels: 'wasm', fallback: null });
    const odd = initWeights({ ...source.config, intermediateSize: 36 }, 1);
    const other = await createLoraTrainer(odd, adapter.spec, limits, 'wasm');
    expect(other).toMatchObject({
      kernels: 'jax',
      fallback: 'intermediate_size is 36, no multiple of 8',
    });
    other.trainer.dispose();
    const large = { ...source.config, vocabSize: 151_936, hiddenSize: 4096 };
    expect(wasmKernelFault({ ...large, layers: 24 })).toMatch(
      /^weights and .* GiB; WebAssembly has 4/,
    );
  });
});
