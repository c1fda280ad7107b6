import { readFile } from 'node:fs/promises';
import { defaultDevice, init } from '@jax-js/jax';
import { beforeAll, expect, test, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { uploadWeights } from '../../../src/policy/engine/device-weights.ts';
import { KvCache } from '../../../src/policy/engine/kv-cache.ts';
import { CHUNK } from '../../../src/policy/engine/shapes.ts';
import { Stepper } from '../../../src/policy/engine/stepper.ts';
import { readSafetensors, type Tensor } from '../../../src/policy/checkpoint/safetensors.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const read = (name: string) => readFile(new URL(name, fixture));

interface Expected {
  sequences: { ids: number[]; positions: number[] }[];
}
let expected: Expected;
let tensors: Map<string, Tensor>;
const config = parsePolicyConfig(
  JSON.parse(await readFile(new URL('config.json', fixture), 'utf8')),
);

beforeAll(async () => {
  await init('wasm');
  defaultDevice('wasm');
  expected = JSON.parse((await read('expected.json')).toString()) as Expected;
  tensors = readSafetensors(await read('expected.safetensors'));
});

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i]!)), 0);
}

for (const file of ['model.safetensors', 'model-f16.safetensors'])
  test(`decode steps give the logits of transformers (${file})`, async () => {
    const stepper = new Stepper(uploadWeights(readWeights(config, await read(file))), true);
    for (const [n, { ids, positions }] of expected.sequences.entries()) {
      const cache = new KvCache(config, 1, 96);
      const want = tensors.get(`logits.${n}`)!.data;
      for (const [position, id] of ids.entries()) {
        if (position % 16 === 0 && position > 0)
          cache.flush([{ slot: 0, from: position - 16, to: position }]);
        const logits = await stepper.decode(cache, [{ slot: 0, position, ids: [id] }]);
        const at = positions.indexOf(position);
        if (at < 0) continue;
        const row = want.subarray(at * config.vocabSize, (at + 1) * config.vocabSize);
        expect(largestDifference(row, logits)).toBeLessThan(1e-4);
      }
      cache.dispose();
    }
  });

test('chunked prefill and one decode step give the logits of transformers', async () => {
  const weights = readWeights(config, await read('model.safetensors'));
  const stepper = new Stepper(uploadWeights(weights), true);
  for (const [n, { ids }] of expected.sequences.entries()) {
    const cache = new KvCache(config, 2, 96);
    for (let start = 0; start < ids.length - 1; start += CHUNK) {
      if (start > 0) cache.flush([{ slot: 1, from: start - CHUNK, to: start }]);
      const chunk = ids.slice(start, Math.min(start + CHUNK, ids.length - 1));
      await stepper.prefill(cache, [{ slot: 1, position: start, ids: chunk }]);
    }
    const last = ids.length - 1;
    cache.flush([{ slot: 1, from: last - ((last - 1) % CHUNK) - 1, to: last }]);
    const logits = await stepper.decode(cache, [{ slot: 1, position: last, ids: [ids[last]!] }]);
    const { shape, data } = tensors.get(`logits.${n}`)!;
    const want = data.subarray((shape[0]! - 1) * config.vocabSize);
    expect(largestDifference(want, logits.subarray(config.vocabSize))).toBeLessThan(1e-4);
    cache.dispose();
  }
});
