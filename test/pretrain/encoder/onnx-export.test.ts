import { beforeAll, describe, expect, it } from 'vitest';
import { fromFloat16, toFloat16 } from '../../../src/base/float16.ts';
import { exportOnnx } from '../../../src/pretrain/encoder/onnx-export.ts';
import { pad, type PaddedBatch } from '../../../src/retrieval/encoder/tokens.ts';
import { Encoder } from '../../../src/pretrain/encoder/model.ts';
import { initialWeights } from '../../../src/pretrain/encoder/initial-weights.ts';
import type { EncoderConfig } from '../../../src/retrieval/encoder/built-in/weights.ts';
import { nodeOrt } from '../../retrieval/encoder/ort-node.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';

const config: EncoderConfig = {
  vocabSize: 50,
  hidden: 16,
  inner: 24,
  layers: 2,
  out: 8,
  maxTokens: 20,
};

/** A fixed, irregular stand-in for normal noise. */
const noise = (): (() => number) => {
  let i = 0;
  return () => Math.sin(++i * 12.9898) * 1.5;
};

/** Weights as the ONNX file stores them: rounded to halves; biases are given values. */
const weights = Object.fromEntries(
  Object.entries(initialWeights(config, noise())).map(([name, values]) => [
    name,
    fromFloat16(toFloat16(name.endsWith('Bias') ? values.map((_, i) => 0.1 * (i + 1)) : values)),
  ]),
);

const batch = pad([[3, 7, 49, 1, 0], [12], [], Array.from({ length: 30 }, (_, i) => i)], 20);

const ourForward = async (texts: PaddedBatch): Promise<Float32Array> =>
  (await Encoder.create(config, weights)).encode(texts);

describe('the exported ONNX encoder in onnxruntime', () => {
  let ort: OrtModule;
  let file: Uint8Array;
  beforeAll(async () => {
    ort = await nodeOrt();
    file = exportOnnx(config, weights);
  }, 60_000);

  const run = async ({ rows, length, ids, mask }: PaddedBatch): Promise<Float32Array> => {
    const session = await ort.InferenceSession.create(file, { executionProviders: ['wasm'] });
    const tensor = (values: Int32Array) =>
      new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [rows, length]);
    const outputs = await session.run({
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
    });
    const output = outputs['sentence_embedding'];
    expect(output?.dims).toEqual([rows, config.out]);
    if (!(output?.data instanceof Float32Array)) throw new Error('no float32 output');
    return output.data.slice();
  };

  it('equals our own forward pass to 1e-4 for ragged texts', async () => {
    const [theirs, ours] = [await run(batch), await ourForward(batch)];
    expect(theirs).toHaveLength(ours.length);
    theirs.forEach((value, i) => expect(Math.abs(value - (ours[i] ?? NaN))).toBeLessThan(1e-4));
  });

  it('gives unit vectors, and zeros for a text without tokens', async () => {
    const vectors = await run(batch);
    const norm = (row: number): number =>
      Math.hypot(...vectors.subarray(row * config.out, (row + 1) * config.out));
    expect([0, 1, 3].map(norm).every((value) => Math.abs(value - 1) < 1e-5)).toBe(true);
    expect(norm(2)).toBe(0);
  });

  it('does not depend on the padding', async () => {
    const narrow = await run(pad([[3, 7, 49, 1, 0]], 20));
    const wide = await run(pad([[3, 7, 49, 1, 0]], 20, 17));
    narrow.forEach((value, i) => expect(value).toBeCloseTo(wide[i] ?? NaN, 5));
  });
});
