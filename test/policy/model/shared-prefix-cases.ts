import { expect } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { packShared } from '../../../src/policy/lora/shared-prefix.ts';
import { packBatch, type TrainSequence } from '../../../src/policy/lora/train-batch.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import type { StoreType } from '../../../src/policy/ops/values.ts';
import { loadFamily } from '../../fixtures/families/load.ts';
import { relativeError } from '../lora/numbers.ts';

/** Sequences of a group: prefixes that all, some or none of them share, and scored tokens from the seam on. */
export function groupOf(count: number, vocabulary: number, seed = 7): TrainSequence[] {
  const random = new Random(seed);
  const some = (n: number): number[] =>
    Array.from({ length: n }, () => random.between(1, vocabulary - 1));
  const [prompt, first] = [some(41), some(40)];
  return Array.from({ length: count }, (_, i) => {
    // Every third shares no prefix, every second of the others a further piece.
    const prefix = i % 3 === 2 ? some(20) : i % 2 === 1 ? prompt : [...prompt, ...first];
    const ids = [...prefix, ...some(9 + i)];
    // Of the first one the loss begins at the very seam.
    const from = prefix.length + (i === 0 ? 0 : i % 4);
    return { ids, weights: ids.map((_id, t) => Number(t >= from && (t - from) % 5 !== 3)) };
  });
}

/** Both ways of packing give the same scores and gradients; the shared one has fewer rows. */
export async function expectSameStep(
  ops: Ops,
  name: Parameters<typeof loadFamily>[0],
  count: number,
  tolerance: number,
  keys: StoreType = 'f32',
): Promise<void> {
  const { source, adapter } = await loadFamily(name);
  const sequences = groupOf(count, source.config.vocabSize);
  const limits = { maxTokens: 1024, maxLength: 128 };
  const decoder = await uploadDecoder(ops, source, { type: 'f32' });
  const trainer = new DecoderLoraTrainer(decoder, adapter.spec, limits, keys);
  await trainer.setAdapter(adapter.flat);
  const [plain, shared] = [packBatch(sequences), packShared(sequences)];
  expect(shared.ids.length).toBeLessThan(plain.ids.length);
  const stepOf = async (batch: typeof plain) => {
    trainer.zeroGradients();
    const scores = await trainer.accumulate(batch, ({ logprobs }) =>
      Float32Array.from(logprobs, (_, i) => [0.7, -0.4, 0, 1.1, -0.2][i % 5] ?? 0),
    );
    return { ...scores, gradients: await trainer.gradients() };
  };
  const [wanted, got] = [await stepOf(plain), await stepOf(shared)];
  const again = await stepOf(shared);
  for (const one of ['logprobs', 'entropies', 'gradients'] as const) {
    expect(relativeError(got[one], wanted[one]), one).toBeLessThan(tolerance);
    // A step is deterministic, so that a run resumes to the bit.
    expect(again[one]).toEqual(got[one]);
  }
}
