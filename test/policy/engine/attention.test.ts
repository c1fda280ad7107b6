import { readFile } from 'node:fs/promises';
import { defaultDevice, init, numpy as np } from '@jax-js/jax';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { attend, HIDDEN, scoreBound } from '../../../src/policy/engine/decoder.ts';
import { uploadWeights } from '../../../src/policy/engine/device-weights.ts';
import { KvCache } from '../../../src/policy/engine/kv-cache.ts';
import { CHUNK } from '../../../src/policy/engine/shapes.ts';
import { Stepper } from '../../../src/policy/engine/stepper.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { readWeights, viewWeights } from '../../../src/policy/checkpoint/weights.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const read = (name: string) => readFile(new URL(name, fixture));
const config = parsePolicyConfig(JSON.parse((await read('config.json')).toString()));
const weights = readWeights(config, await read('model.safetensors'));
const tensors = readSafetensors(await read('expected.safetensors'));
const { sequences } = JSON.parse((await read('expected.json')).toString()) as {
  sequences: { ids: number[] }[];
};
const ids = sequences[0]!.ids;
const { heads, kvHeads, headDim } = config;

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
});

async function cacheAfter(tokens: readonly number[]): Promise<KvCache> {
  const cache = new KvCache(config, 1, 64);
  await new Stepper(uploadWeights(weights), true).prefill(cache, [
    { slot: 0, position: 0, ids: tokens },
  ]);
  return cache;
}

describe('the first layer against transformers', () => {
  test('RoPE: keys in the cache are normalised and turned as there', async () => {
    const { ringK } = (await cacheAfter(ids)).layers[0]!;
    const ours = ringK.dataSync() as Float32Array; // [kvHeads, headDim, CHUNK]
    const theirs = tensors.get('layer0.k')!.data; // [kvHeads, length, headDim]
    for (let head = 0; head < kvHeads; head++)
      for (let p = 0; p < ids.length; p++)
        for (let i = 0; i < headDim; i++)
          expect(ours[(head * headDim + i) * CHUNK + p]!).toBeCloseTo(
            theirs[(head * ids.length + p) * headDim + i]!,
            4,
          );
  });

  /** Attention of the last position, from the fixture's queries over our cache. */
  async function attended(bound: number): Promise<Float32Array> {
    const cache = await cacheAfter(ids);
    const queries = tensors.get('layer0.q')!.data; // [heads, length, headDim]
    const last = ids.length - 1;
    const q = new Float32Array(heads * headDim);
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < headDim; i++)
        q[head * headDim + i] =
          queries[(head * ids.length + last) * headDim + i]! / Math.sqrt(headDim);
    const hideRing = new Float32Array(CHUNK).fill(HIDDEN).fill(0, 0, ids.length);
    const unused = np.zeros([1]);
    const step = {
      cos: unused,
      sin: unused,
      write: unused,
      hideMain: np.array(new Float32Array(64).fill(HIDDEN), { shape: [1, 1, 1, 64] }),
      hideRing: np.array(hideRing, { shape: [1, 1, 1, CHUNK] }),
    };
    const shaped = np.array(q, { shape: [1, kvHeads, heads / kvHeads, headDim] });
    return attend(shaped, cache.layers[0]!, step, bound).dataSync() as Float32Array;
  }

  for (const [name, bound] of [
    ['scores known to be small', 0],
    ['any scores', 1e6],
  ] as const)
    test(`attention with grouped queries, softmax for ${name}`, async () => {
      const ours = await attended(bound);
      const all = tensors.get('layer0.attended')!.data; // [length, heads headDim]
      const theirs = all.subarray((ids.length - 1) * heads * headDim);
      ours.forEach((value, i) => expect(value).toBeCloseTo(theirs[i]!, 4));
    });
});

test('no score exceeds the bound that chooses the softmax', () => {
  const [q, k] = [tensors.get('layer0.q')!.data, tensors.get('layer0.k')!.data];
  const length = ids.length;
  let largest = 0;
  for (let head = 0; head < heads; head++)
    for (let a = 0; a < length; a++)
      for (let b = 0; b < length; b++) {
        const kvHead = Math.floor((head * kvHeads) / heads);
        let score = 0;
        for (let i = 0; i < headDim; i++)
          score += q[(head * length + a) * headDim + i]! * k[(kvHead * length + b) * headDim + i]!;
        largest = Math.max(largest, Math.abs(score) / Math.sqrt(headDim));
      }
  expect(largest).toBeGreaterThan(0);
  expect(largest).toBeLessThanOrEqual(scoreBound(weights.layers[0]!));
});

test('norm weights that allow large scores give the same kind of numbers', async () => {
  const sharp = viewWeights(config, Float32Array.from(weights.flat));
  for (const layer of sharp.layers) {
    layer.qNorm!.fill(6);
    layer.kNorm!.fill(6);
  }
  expect(scoreBound(sharp.layers[0]!)).toBeGreaterThan(88);
  const cache = new KvCache(config, 4, 64);
  const stepper = new Stepper(uploadWeights(sharp), true);
  for (const [position, id] of ids.entries()) {
    const logits = await stepper.decode(cache, [{ slot: 0, position, ids: [id] }]);
    expect(logits.subarray(0, config.vocabSize).every((x) => Number.isFinite(x))).toBe(true);
  }
});
