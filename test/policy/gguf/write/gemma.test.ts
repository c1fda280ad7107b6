import { expect, it } from 'vitest';
import { openCheckpoint } from '../../../../src/policy/checkpoint/checkpoint.ts';
import type { PolicyConfig, PolicyVariant } from '../../../../src/policy/checkpoint/config.ts';
import { sourceOf, type TensorSource } from '../../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../../src/policy/checkpoint/weights.ts';
import { openGguf } from '../../../../src/policy/gguf/open.ts';
import { architectureMetadata } from '../../../../src/policy/gguf/write/architecture.ts';
import { ggufOfSource } from '../../../../src/policy/gguf/write/model.ts';
import { packBatch } from '../../../../src/policy/lora/train-batch.ts';
import { createWasmOps } from '../../../../src/policy/wasm/ops.ts';
import { trainerOn } from '../../model/on-ops.ts';
import { bytesOf } from './made.ts';

const variant: PolicyVariant = {
  family: 'gemma3_text',
  qkNorm: true,
  qkvBias: false,
  oBias: false,
  mlpBias: false,
  rope: { type: 'linear', factor: 8 },
  unturnedLayers: [],
  gate: 'gelu',
  outputNorms: true,
  normOffset: 1,
  // √40 = 6.3246 in bfloat16
  embedScale: 6.3125,
  queryScale: 1,
  window: {
    positions: 9,
    layers: [0, 1, 2, 3, 4, 6],
    ropeTheta: 10_000,
    rope: { type: 'default' },
  },
};
const config: PolicyConfig = {
  vocabSize: 48,
  hiddenSize: 40,
  layers: 7,
  heads: 2,
  kvHeads: 1,
  headDim: 12,
  intermediateSize: 24,
  rmsNormEps: 1e-6,
  ropeTheta: 1_000_000,
  tieWordEmbeddings: true,
  maxPositions: 64,
  variant,
};

async function logprobsOf(source: TensorSource): Promise<Float32Array> {
  const spec = { rank: 1, alpha: 1, targets: ['q_proj'] } as const;
  const trainer = await trainerOn(await createWasmOps(), source, spec, {
    maxTokens: 64,
    maxLength: 64,
  });
  await trainer.setAdapter(null);
  const ids = Array.from({ length: 40 }, (_, i) => (i * i + 3) % 48);
  const { logprobs } = await trainer.score(packBatch([{ ids, weights: ids.map(() => 1) }]));
  trainer.dispose();
  return logprobs;
}

it('a Gemma 3 that is written as GGUF is the same model when it is read', async () => {
  const weights = initWeights(config, 3);
  for (let i = 0; i < weights.flat.length; i++) weights.flat[i] = 4 * (weights.flat[i] ?? 0);
  const source = sourceOf(weights);
  const metadata = architectureMetadata(config, 'gemma');
  const bytes = await bytesOf(ggufOfSource('gemma.gguf', source, metadata, 'F32'));
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
  const { files } = await openGguf([{ name: 'gemma.gguf', size: bytes.length, read }]);
  const opened = await openCheckpoint(files);
  // The file's scale is √hidden; what bfloat16 rounds is in the embedding and the last norm.
  expect(opened.config.variant).toEqual({ ...variant, embedScale: Math.fround(Math.sqrt(40)) });
  const [given, got] = [await logprobsOf(source), await logprobsOf(opened)];
  expect(new Set(given.map((value) => Math.round(10 * value))).size).toBeGreaterThan(10);
  given.forEach((value, i) => expect(Math.abs(value - got[i]!)).toBeLessThan(1e-4));
});

it.each([
  [{ window: { ...variant.window!, layers: [0, 1] } }, /every sixth layer of gemma3/],
  [
    { window: { ...variant.window!, ropeTheta: 5000 } },
    /sliding layers of gemma3 by the base 10000/,
  ],
  [{ queryScale: 0.9 }, /divides queries of gemma3 by the root of the head size/],
])('a Gemma 3 that llama.cpp would compute otherwise is not written: %o', (change, message) => {
  const other = { ...config, variant: { ...variant, ...change } };
  expect(() => architectureMetadata(other, 'gemma')).toThrow(message);
});
