import { beforeAll, describe, expect, it } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { sourceOf, type TensorSource } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { agreement, type Agreement } from '../../../src/policy/model/agreement.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { MatrixType, StoreType } from '../../../src/policy/ops/values.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';

const config = parsePolicyConfig({
  model_type: 'qwen2',
  vocab_size: 300,
  hidden_size: 96,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 160,
  max_position_embeddings: 128,
  rope_theta: 1e6,
  tie_word_embeddings: false,
});
/** Random weights; logits have a deviation of about 1, so that some tokens are likelier than others. */
const random = (seed: number): TensorSource => {
  const weights = initWeights(config, seed);
  for (let i = 0; i < weights.head.length; i++) weights.head[i] = 6 * (weights.head[i] ?? 0);
  return sourceOf(weights);
};
const source = random(5);
const ids = Array.from({ length: 72 }, (_, i) => (i * 7919) % 300);

/** Agreement of a decoder in a type, the layers that were told, and bytes that were left behind. */
async function compared(type: MatrixType, keys: StoreType = 'f32') {
  const ops = await createWasmOps();
  const decoder = await uploadDecoder(ops, source, { type });
  const layers: number[] = [];
  const once = (): Promise<Agreement> =>
    agreement(decoder, source, ids, { type: 'f32', keys, onLayer: (done) => layers.push(done) });
  const found = await once();
  const before = ops.bytes;
  await once();
  return { ...found, layers: layers.slice(0, 3), left: ops.bytes - before };
}

describe('agreement with the checkpoint', () => {
  const found = {} as Record<MatrixType, Awaited<ReturnType<typeof compared>>>;
  beforeAll(async () => {
    for (const type of ['f32', 'int8', 'int4'] as const) found[type] = await compared(type);
  });

  it('of the checkpoint itself is whole, after each of its layers, and leaves nothing behind', () => {
    expect(found.f32).toEqual({ tokens: 72, kl: 0, top1: 1, layers: [1, 2, 3], left: 0 });
  });

  it('of fewer bits is worse', () => {
    expect(found.int8.kl).toBeGreaterThan(0);
    expect(found.int4.kl).toBeGreaterThan(10 * found.int8.kl);
    expect(found.int4.top1).toBeLessThanOrEqual(found.int8.top1);
  });

  it('of contexts in halves is worse than whole, and better than of weights in int8', async () => {
    const { kl, top1, left } = await compared('f32', 'f16');
    expect(kl).toBeGreaterThan(0);
    expect(kl).toBeLessThan(found.int8.kl / 10);
    expect(top1).toBeGreaterThan(0.95);
    expect(left).toBe(0);
  });

  it('in int4 is far nearer than another model', async () => {
    const other = random(6);
    const decoder = await uploadDecoder(await createWasmOps(), other, { type: 'f32' });
    const strange = await agreement(decoder, source, ids, { type: 'f32' });
    expect(found.int4.kl).toBeLessThan(strange.kl / 4);
    expect(found.int4.top1).toBeGreaterThan(strange.top1 + 0.4);
  });

  it('ends when it is stopped, with the reason', async () => {
    const decoder = await uploadDecoder(await createWasmOps(), source, { type: 'int4' });
    const { bytes } = decoder.ops;
    const abort = new AbortController();
    const stopped = agreement(decoder, source, ids, {
      type: 'f32',
      signal: abort.signal,
      onLayer: () => abort.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    // But for what kernels keep to work in.
    expect(decoder.ops.bytes - bytes).toBeLessThan(2 ** 20);
  });
});
