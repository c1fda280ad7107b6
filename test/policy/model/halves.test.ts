import { expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { LORA_TARGETS, loraSize } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import type { StoreType } from '../../../src/policy/ops/values.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { relativeError } from '../lora/numbers.ts';
import { difference } from '../ops/support/compare.ts';

/** Keys and values in halves, of sampler and trainer. */

const config = {
  vocabSize: 60,
  hiddenSize: 24,
  layers: 3,
  heads: 4,
  kvHeads: 2,
  headDim: 10,
  intermediateSize: 40,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 256,
};
const weights = initWeights(config, 5);
// At their first size the logits are all but equal.
for (let i = 0; i < weights.flat.length; i++) weights.flat[i] = 4 * (weights.flat[i] ?? 0);
const prompt = Array.from({ length: 30 }, (_, i) => (7 * i) % 60);
const spec = { rank: 3, alpha: 6, targets: [...LORA_TARGETS] };
const flat = new Float32Array(loraSize(config, spec));
new Random(3).fillNormal(flat, 0.05);

async function sampled(ops: Ops, keys: StoreType) {
  const decoder = await uploadDecoder(ops, sourceOf(weights), { type: 'f32' });
  const engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 16, keys });
  const session = engine.open(1);
  session.append(prompt);
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  return session.generate({ maxTokens: 60, stopIds: [], sampling });
}

/** What a trainer without an adapter gives these tokens, and with one its gradients. */
async function trained(ops: Ops, keys: StoreType, ids: readonly number[]) {
  const decoder = await uploadDecoder(ops, sourceOf(weights), { type: 'f32' });
  const limits = { maxTokens: 128, maxLength: 128 };
  const trainer = new DecoderLoraTrainer(decoder, spec, limits, keys);
  const all = [...prompt, ...ids];
  const batch = packBatch([{ ids: all, weights: all.map((_, i) => Number(i >= prompt.length)) }]);
  await trainer.setAdapter(null);
  const { logprobs } = await trainer.score(batch);
  await trainer.setAdapter(flat);
  trainer.zeroGradients();
  await trainer.accumulate(batch, (scores) => scores.logprobs.map((_, i) => (i % 5) - 2));
  return { logprobs, gradient: await trainer.gradients() };
}

it('are those of the oracle: samples, scores and gradients', async () => {
  const [ours, exact] = [
    await sampled(await createWasmOps(), 'f16'),
    await sampled(oracleOps(), 'f16'),
  ];
  expect(ours.ids).toEqual(exact.ids);
  expect(difference(ours.logprobs, exact.logprobs)).toBeLessThan(2e-4);
  const [got, wanted] = [
    await trained(await createWasmOps(), 'f16', ours.ids),
    await trained(oracleOps(), 'f16', ours.ids),
  ];
  expect(difference([...got.logprobs], [...wanted.logprobs])).toBeLessThan(2e-4);
  expect(relativeError(got.gradient, [...wanted.gradient])).toBeLessThan(2e-3);
});

it('give sampler and trainer the same probabilities, which one of them alone would not have', async () => {
  const { ids, logprobs } = await sampled(await createWasmOps(), 'f16');
  const gap = async (keys: StoreType): Promise<number> => {
    const scored = await trained(await createWasmOps(), keys, ids);
    return Math.max(
      ...logprobs.map((one, i) => Math.abs(one - (scored.logprobs[i] ?? Number.NaN))),
    );
  };
  expect(await gap('f16')).toBeLessThan(1e-5);
  expect(await gap('f32')).toBeGreaterThan(1e-4);
});

it('change probabilities and gradients by little', async () => {
  const { ids } = await sampled(await createWasmOps(), 'f32');
  const [halves, whole] = [
    await trained(await createWasmOps(), 'f16', ids),
    await trained(await createWasmOps(), 'f32', ids),
  ];
  expect(difference([...halves.logprobs], [...whole.logprobs])).toBeLessThan(0.02);
  expect(relativeError(halves.gradient, [...whole.gradient])).toBeLessThan(0.02);
});
