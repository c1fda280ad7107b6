import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { itemAt, present } from '../../../src/base/items.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { readWeights, viewWeights } from '../../../src/policy/checkpoint/weights.ts';
import type { Decoder } from '../../../src/policy/model/decoder.ts';
import { forwardBuffers, readKeys, runLayers } from '../../../src/policy/model/forward.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const read = (name: string) => readFile(new URL(name, fixture));
const config = parsePolicyConfig(JSON.parse((await read('config.json')).toString()));
const tensors = readSafetensors(await read('expected.safetensors'));
const { sequences } = JSON.parse((await read('expected.json')).toString()) as {
  sequences: { ids: number[]; positions: number[] }[];
};

const DEVICES: [string, () => Promise<Ops>][] = [
  ['WASM', () => createWasmOps()],
  ['the oracle', () => Promise.resolve(oracleOps())],
];

const STORE = 128;

/** Logits after the last of `ids`, of which all but the last `steps` are read at once. */
async function* logitsOf(decoder: Decoder, ids: readonly number[], steps: number) {
  const { ops } = decoder;
  const { kvHeads, headDim, hiddenSize, layers } = config;
  const stores = Array.from({ length: layers }, () =>
    ops.kvCache({ positions: STORE, kvHeads, headDim, type: 'f32' }, 'keys'),
  );
  const [tokens, picks] = [ops.tokens(STORE), ops.picks(1)];
  const x = ops.activations(STORE, hiddenSize, 'x');
  const buffers = forwardBuffers(ops, config, STORE);
  const first = ids.length - steps;
  decoder.reach(ids.length);
  if (first > 0) {
    ops.place(tokens, [{ ids: ids.slice(0, first), position: 0, start: 0 }], 'many');
    decoder.embed(tokens, x);
    readKeys(decoder, x, tokens, stores, buffers);
  }
  ops.placePicks(picks, { rows: [0], targets: [0] });
  for (let position = first; position < ids.length; position++) {
    ops.place(tokens, [{ ids: [itemAt(ids, position)], position, start: 0 }], 'few');
    decoder.embed(tokens, x);
    runLayers(decoder, x, tokens, stores, buffers);
    const { finalNorm: norm, head } = decoder.weights;
    yield { position, logits: await ops.readLogits({ x, norm, head, picks }) };
  }
}

const furthest = (a: ArrayLike<number>, b: Float32Array): number => {
  expect(a.length).toBe(b.length);
  return b.reduce((max, value, i) => Math.max(max, Math.abs(value - (a[i] ?? Number.NaN))), 0);
};

describe.each(DEVICES)('logits on %s', (_, device) => {
  it.each(['model.safetensors', 'model-f16.safetensors'])(
    'are those of transformers, token by token (%s)',
    async (file) => {
      const weights = readWeights(config, await read(file));
      const decoder = await uploadDecoder(await device(), sourceOf(weights), { type: 'f32' });
      for (const [n, { ids, positions }] of sequences.entries()) {
        const { data } = present(tensors.get(`logits.${n}`), 'logits');
        for await (const { position, logits } of logitsOf(decoder, ids, ids.length)) {
          const at = positions.indexOf(position);
          if (at < 0) continue;
          const row = data.subarray(at * config.vocabSize, (at + 1) * config.vocabSize);
          expect(furthest(logits, row)).toBeLessThan(1e-4);
        }
      }
    },
  );

  it('are those of transformers behind text that was read at once', async () => {
    const weights = readWeights(config, await read('model.safetensors'));
    const decoder = await uploadDecoder(await device(), sourceOf(weights), { type: 'f32' });
    for (const [n, { ids }] of sequences.entries()) {
      const { shape, data } = present(tensors.get(`logits.${n}`), 'logits');
      const last = data.subarray((itemAt(shape, 0) - 1) * config.vocabSize);
      for await (const { logits } of logitsOf(decoder, ids, 1))
        expect(furthest(logits, last)).toBeLessThan(1e-4);
    }
  });

  it('are finite where norms allow scores that overflow an exponential', async () => {
    const weights = readWeights(config, await read('model.safetensors'));
    const sharp = viewWeights(config, weights.flat);
    for (const { qNorm, kNorm } of sharp.layers) {
      present(qNorm, 'norm').fill(40);
      present(kNorm, 'norm').fill(40);
    }
    const decoder = await uploadDecoder(await device(), sourceOf(sharp), { type: 'f32' });
    const { ids } = itemAt(sequences, 0);
    for await (const { logits } of logitsOf(decoder, ids, ids.length))
      expect(logits.every((x) => Number.isFinite(x))).toBe(true);
  });
});
