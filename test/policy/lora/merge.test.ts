import { describe, expect, it } from 'vitest';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { mergeAdapter } from './merge-adapter.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { LORA_TARGETS, loraSlots, type LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

const { config, weights, files, expected } = loadLoraFixture();

/** ‖got − want‖ / ‖want‖ */
function relativeError(got: ArrayLike<number>, want: ArrayLike<number>): number {
  expect(got.length).toBe(want.length);
  const norm = (values: number[]): number => Math.sqrt(values.reduce((s, x) => s + x * x, 0));
  const wanted = Array.from(want);
  return norm(wanted.map((x, i) => got[i]! - x)) / norm(wanted);
}

describe('a fresh adapter', () => {
  const spec: LoraSpec = { rank: 8, alpha: 16, targets: LORA_TARGETS };
  const flat = initAdapter(config, spec, 5);

  it('has B zero and A uniform in ±1/√in, as PEFT starts it', () => {
    for (const { factor, shape, offset, length } of loraSlots(config, spec)) {
      const values = flat.subarray(offset, offset + length);
      if (factor === 'B') {
        expect(values.every((x) => x === 0)).toBe(true);
        continue;
      }
      const bound = 1 / Math.sqrt(shape[1]);
      const largest = Math.max(...values.map(Math.abs));
      expect(largest).toBeLessThanOrEqual(bound);
      expect(largest).toBeGreaterThan(0.95 * bound);
      // A uniform variable in ±b has variance b²/3; 256 draws or more give it to 20 %.
      const variance = values.reduce((sum, x) => sum + x * x, 0) / length;
      expect(Math.abs(variance / (bound ** 2 / 3) - 1)).toBeLessThan(0.2);
    }
  });

  it('depends on the seed alone', () => {
    expect(initAdapter(config, spec, 5)).toEqual(flat);
    expect(initAdapter(config, spec, 6)).not.toEqual(flat);
  });

  it('merged, leaves the policy as it was', () => {
    expect(mergeAdapter(weights, spec, flat).flat).toEqual(weights.flat);
  });

  it('is refused for a rank that no adapter has', () => {
    expect(() => initAdapter(config, { ...spec, rank: 1.5 }, 0)).toThrow(/rank must be/);
    expect(() => initAdapter(config, { ...spec, alpha: Number.NaN }, 0)).toThrow(/alpha must be/);
    expect(() => initAdapter(config, { ...spec, targets: [] }, 0)).toThrow(/no target/);
  });
});

describe('merging', () => {
  it('adds alpha / rank · B A to the target, and nothing elsewhere', () => {
    const spec: LoraSpec = { rank: 2, alpha: 3, targets: ['v_proj'] };
    const flat = initAdapter(config, spec, 0).fill(0);
    const [a, b] = loraSlots(config, spec).filter((slot) => slot.layer === 1);
    // A rows 0 and 1 at column 5 are 2 and 10; B row 4 is (7, −1): W[4, 5] grows by 1.5 (14 − 10).
    flat[a!.offset + 5] = 2;
    flat[a!.offset + 48 + 5] = 10;
    flat[b!.offset + 2 * 4] = 7;
    flat[b!.offset + 2 * 4 + 1] = -1;
    const before = weights.flat.slice();
    const merged = mergeAdapter(weights, spec, flat);
    expect(weights.flat).toEqual(before);
    const at = 4 * config.hiddenSize + 5;
    expect(merged.layers[1]!.v[at]).toBeCloseTo(weights.layers[1]!.v[at]! + 6, 6);
    const changed = merged.flat.reduce((n, x, i) => n + (x === before[i] ? 0 : 1), 0);
    expect(changed).toBe(1);
  });

  it('refuses values of another adapter', () => {
    const spec: LoraSpec = { rank: 2, alpha: 3, targets: ['v_proj'] };
    expect(() => mergeAdapter(weights, spec, new Float32Array(7))).toThrow(/7 values given/);
  });

  it('gives the log-probabilities that PEFT computes, and without it those of the base', async () => {
    const { spec, flat } = readPeft(config, files);
    const trainer = await Trainer.create(config, { maxTokens: 128, maxLength: 64 });
    const batch = packBatch(
      expected.sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) })),
    );
    const worst = async (
      want: (s: (typeof expected.sequences)[number]) => number[],
    ): Promise<number> => {
      const { nll } = await trainer.evaluate(batch);
      const all = expected.sequences.flatMap((s) => want(s).slice(1));
      expect(nll).toHaveLength(all.length);
      return Math.max(...all.map((x, i) => Math.abs(x + nll[i]!)));
    };
    trainer.setWeights(mergeAdapter(weights, spec, flat).flat);
    expect(await worst((s) => s.logprobs)).toBeLessThan(1e-4);
    expect(await worst((s) => s.referenceLogprobs)).toBeGreaterThan(1);
    trainer.setWeights(weights.flat);
    expect(await worst((s) => s.referenceLogprobs)).toBeLessThan(1e-4);
  });

  it('has, through the merged weights, the loss and the gradients that PEFT has', async () => {
    const { spec, flat } = readPeft(config, files);
    const trainer = await Trainer.create(config, { maxTokens: 128, maxLength: 64 });
    trainer.setWeights(mergeAdapter(weights, spec, flat).flat);
    trainer.zeroGradients();
    const batch = packBatch(
      expected.sequences.map(({ ids, coefficients }) => ({ ids, weights: coefficients })),
    );
    const { nll } = await trainer.accumulate(batch);
    const loss = nll.reduce((sum, value, i) => sum + batch.weights[i]! * value, 0);
    expect(Math.abs(loss - expected.loss)).toBeLessThan(1e-3 * Math.abs(expected.loss));

    const slots = loraSlots(config, spec);
    const scale = spec.alpha / spec.rank;
    const gradients = await trainer.gradients();
    for (let i = 0; i < slots.length; i += 2) {
      const [a, b] = [slots[i]!, slots[i + 1]!];
      const name = a.name.replace('base_model.model.', '').replace('.lora_A', '');
      const place = weights.slots.find((slot) => slot.name === name)!;
      const dW = gradients.subarray(place.offset, place.offset + place.length);
      const [A, B] = [a, b].map((s) => flat.subarray(s.offset, s.offset + s.length));
      const [out, columns] = [b.shape[0], a.shape[1]];
      // W + s B A: dA = s Bᵀ dW and dB = s dW Aᵀ.
      const dA = new Float64Array(a.length);
      const dB = new Float64Array(b.length);
      for (let o = 0; o < out; o++)
        for (let r = 0; r < spec.rank; r++)
          for (let j = 0; j < columns; j++) {
            const g = scale * dW[o * columns + j]!;
            dA[r * columns + j]! += g * B![o * spec.rank + r]!;
            dB[o * spec.rank + r]! += g * A![r * columns + j]!;
          }
      expect(relativeError(dA, expected.gradients[a.name]!), a.name).toBeLessThan(1e-3);
      expect(relativeError(dB, expected.gradients[b.name]!), b.name).toBeLessThan(1e-3);
    }
  });
});
