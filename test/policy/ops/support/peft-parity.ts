import { expect } from 'vitest';
import { present } from '../../../../src/base/items.ts';
import { readPeft } from '../../../../src/policy/lora/peft.ts';
import { loraSlots } from '../../../../src/policy/lora/spec.ts';
import type { Ops } from '../../../../src/policy/ops/ops.ts';
import { loadLoraFixture } from '../../../fixtures/qwen3-lora/load.ts';
import { relativeError, unweighted } from '../../lora/numbers.ts';
import { Decoder } from './decoder.ts';

/**
 * A decoder of block operations against what PyTorch and PEFT computed: log-probabilities, entropies and
 * the gradient of every factor.
 */
export async function expectPeftParity(ops: Ops): Promise<void> {
  const { expected, weights, config, files } = loadLoraFixture();
  const adapter = readPeft(config, files);
  const batch = unweighted(expected.sequences);
  const rows = (pick: (s: (typeof expected.sequences)[number]) => number[]): number[] =>
    expected.sequences.flatMap((s) => pick(s).slice(1));
  const decoder = new Decoder(ops, weights, {
    type: 'f32',
    spec: adapter.spec,
    rows: batch.ids.length,
    places: batch.ids.length + 8 * batch.lengths.length + 8,
  });
  ops.writeAdapter(decoder.adapter, new Float32Array(decoder.adapter.length));
  const reference = await decoder.learn(batch, null);
  rows((s) => s.referenceLogprobs).forEach((value, i) =>
    expect(reference.scores.logprobs[i]).toBeCloseTo(value, 4),
  );
  ops.writeAdapter(decoder.adapter, adapter.flat);
  const coefficients = Float32Array.from(rows((s) => s.coefficients));
  const { scores, gradients } = await decoder.learn(batch, coefficients);
  rows((s) => s.logprobs).forEach((value, i) => expect(scores.logprobs[i]).toBeCloseTo(value, 4));
  rows((s) => s.entropies).forEach((value, i) => expect(scores.entropies[i]).toBeCloseTo(value, 4));
  for (const slot of loraSlots(config, adapter.spec)) {
    const wanted = present(expected.gradients[slot.name], slot.name);
    const got = present(gradients, 'gradients').subarray(slot.offset, slot.offset + slot.length);
    expect(relativeError(got, wanted), slot.name).toBeLessThan(1e-4);
  }
}
