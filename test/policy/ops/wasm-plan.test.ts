import { expect, it } from 'vitest';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { LORA_TARGETS } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { planDecoder } from '../../../src/policy/model/plan.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { plannedOps } from '../../../src/policy/ops/planned.ts';
import { MATRIX_TYPES } from '../../../src/policy/ops/values.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { wasmSizes } from '../../../src/policy/wasm/planned.ts';

const config = {
  vocabSize: 1501,
  hiddenSize: 100,
  layers: 3,
  heads: 6,
  kvHeads: 2,
  headDim: 20,
  intermediateSize: 270,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 256,
};
const options = { maxSlots: 8, prefillChunk: 256, keys: 'f32' } as const;
const spec = { rank: 8, alpha: 8, targets: [...LORA_TARGETS] };
const limits = { maxTokens: 512, maxLength: 128 };
const length = 128;

it.each(MATRIX_TYPES)('a plan of %s weights is what is held, to the byte', async (type) => {
  const planned = plannedOps(wasmSizes);
  const plan = planDecoder(planned, config, type);
  const weights = planned.bytes;
  // Tables of angles are made when the first text is read.
  plan.reach(1);
  await new GenerationEngine(plan, options).reserve(8, config.maxPositions);
  const { prefillChunk } = options;
  const working = { config, type, slots: 8, context: config.maxPositions, prefillChunk };
  const sampling = planned.bytes + wasmSizes.working({ ...working, train: null });
  const before = planned.bytes;
  void new DecoderLoraTrainer(plan.view(), spec, limits);
  const training =
    sampling +
    (planned.bytes - before) +
    wasmSizes.working({ ...working, train: { adapter: spec, limits } });

  const ops = await createWasmOps();
  const decoder = await uploadDecoder(ops, sourceOf(initWeights(config, 1)), { type });
  expect(ops.bytes).toBe(weights);
  const engine = new GenerationEngine(decoder, options);
  await engine.reserve(8, config.maxPositions);
  const sessions = Array.from({ length: 8 }, (_, i) => engine.open(i));
  // Each a text of its own: what they have in common would be read once.
  for (const [s, session] of sessions.entries())
    session.append(Array.from({ length: 240 }, (_, i) => (i + s) % 240));
  const greedy = { temperature: 0.9, topK: 0, topP: 1 };
  await Promise.all(
    sessions.map((s) => s.generate({ maxTokens: 10, stopIds: [], sampling: greedy })),
  );
  expect(ops.bytes).toBe(sampling);

  const trainer = new DecoderLoraTrainer(decoder.view(), spec, limits);
  await trainer.setAdapter(initAdapter(config, spec, 1));
  const ids = Array.from({ length }, (_, i) => i);
  await trainer.accumulate(
    packBatch([1, 2, 3, 4].map(() => ({ ids, weights: ids.map(() => 1) }))),
    ({ logprobs }) => logprobs,
  );
  expect(ops.bytes).toBe(training);
});
