import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import type { CheckpointSource } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { variantOf } from '../../../src/policy/checkpoint/config.ts';
import { ropeFrequencies } from '../../../src/policy/checkpoint/rope.ts';
import { parameterSlots } from '../../../src/policy/checkpoint/weights.ts';
import { openGguf, type GgufModel } from '../../../src/policy/gguf/open.ts';
import { uploadDecoder, type Rounded } from '../../../src/policy/model/upload.ts';
import { heldTypesFor } from '../../../src/policy/open/device.ts';
import { planFit } from '../../../src/policy/open/fit.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import type { HeldTypes } from '../../../src/policy/checkpoint/weight-type.ts';
import type { Generated } from '../../../src/policy/policy.ts';
import { Random } from '../../../src/base/random.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { relativeError } from '../lora/numbers.ts';
import { engineOn } from '../model/on-ops.ts';
import { loadFamily } from '../../fixtures/families/load.ts';
import { bytesNamed } from './bytes.ts';

const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/gguf/${name}.gguf`, import.meta.url)));

const open = (name: string): Promise<GgufModel> =>
  openGguf([bytesNamed(`${name}.gguf`, read(name))]);

const source = async (name: string): Promise<CheckpointSource> =>
  openCheckpoint((await open(name)).files);

describe('a checkpoint that llama.cpp converted', () => {
  test.each(['llama3', 'qwen2', 'smollm3', 'gemma3'] as const)(
    '%s: every value is that of the checkpoint, in its rows and columns',
    async (name) => {
      const [gguf, { source: given }] = [await source(name), await loadFamily(name)];
      const slots = parameterSlots(given.config);
      expect(parameterSlots(gguf.config)).toEqual(slots);
      for (const slot of slots)
        expect(await gguf.read(slot.name), slot.name).toEqual(await given.read(slot.name));
      expect(gguf.dtype).toBe(given.dtype);
      expect(gguf.notes).toEqual([]);
    },
  );

  test('its config is that of config.json', async () => {
    expect((await source('qwen2')).config).toEqual((await loadFamily('qwen2')).source.config);
  });

  test('that of Gemma 3 too, but for what no GGUF file says, where it is as llama.cpp computes', async () => {
    const [gguf, { source: given }] = [await source('gemma3'), await loadFamily('gemma3')];
    const { window, ...variant } = variantOf(given.config);
    // √32 unrounded, queries divided by the root of the head size, and every sixth layer sees all positions.
    const own = { embedScale: Math.fround(Math.sqrt(32)), queryScale: 1 };
    const sliding = { ...window, layers: [0, 1, 2] };
    expect(gguf.config).toEqual({
      ...given.config,
      variant: { ...variant, ...own, window: sliding },
    });
  });

  test("Llama 3's rotary scaling comes back from the divisors that the file holds", async () => {
    const [gguf, { source: given }] = [await source('llama3'), await loadFamily('llama3')];
    const frequencies = ({ config }: CheckpointSource): Float64Array =>
      ropeFrequencies(config.headDim, config.ropeTheta, variantOf(config).rope);
    expect(variantOf(gguf.config).rope.type).toBe('llama3');
    expect(furthest(frequencies(gguf), frequencies(given))).toBeLessThan(1e-7);
    expect({ ...gguf.config, variant: null }).toEqual({ ...given.config, variant: null });
  });

  test.each(['llama3', 'qwen2'] as const)('%s: it samples as transformers does', async (name) => {
    const { expected } = await loadFamily(name);
    const { prompt, ids, logprobs } = expected.greedy;
    const found = await sampled(await source(name), 'f32', prompt, ids.length);
    expect(found.ids).toEqual(ids);
    expect(furthest(found.logprobs, logprobs)).toBeLessThan(1e-4);
  });

  test('values of any range are those of the whole tensor', async () => {
    for (const name of ['llama3', 'mixed']) {
      const gguf = await source(name);
      for (const part of ['self_attn.q_proj', 'self_attn.k_proj', 'mlp.gate_proj']) {
        const tensor = `model.layers.0.${part}.weight`;
        const all = await gguf.read(tensor);
        for (const [from, to] of [
          [0, 1],
          [31, 33],
          [300, 555],
          [all.length - 3, all.length],
        ] as const)
          expect(await gguf.read(tensor, from, to)).toEqual(all.slice(from, to));
      }
    }
  });
});

describe('matrices of different types in one file', () => {
  test('each is held as it is stored, where that is a type of ours', async () => {
    const gguf = await source('mixed');
    const rounded: Rounded[] = [];
    const ops = oracleOps();
    const type = heldTypesFor(gguf, 'wasm');
    const held = await uploadDecoder(ops, gguf, { type, onRounded: (one) => rounded.push(one) });
    const { embed, layers } = held.weights;
    const [layer] = layers;
    // q and k are four bits, v is eight: eight bits hold the three exactly.
    expect(
      [embed, layer!.qkv.matrix, layer!.o.matrix, layer!.down.matrix].map((m) => m.type),
    ).toEqual(['int8', 'int8', 'int4', 'int8']);
    // Only Q4_K has a minimum and is rounded.
    expect(new Set(rounded.map(({ stored }) => stored))).toEqual(new Set(['Q4_K']));
    expect(rounded).toHaveLength(2);
    for (const { worst, share } of rounded) {
      expect(worst).toBeGreaterThan(0);
      expect(share).toBeLessThan(0.5 / 127 + 1e-3);
    }
  });

  test('a model held as its file stores it gives the numbers of float32', async () => {
    const gguf = await source('mixed');
    const types = heldTypesFor(gguf, 'wasm');
    if (typeof types === 'string') throw new Error('the fixture has several types');
    const exact = Object.fromEntries(
      Object.entries(types).map(([name, type]) => [
        name,
        gguf.packing!.storedAs(name) === 'Q4_K' ? 'f32' : type,
      ]),
    );
    const [wide, packed] = [await sampled(gguf, 'f32'), await sampled(gguf, exact)];
    expect(packed.ids).toEqual(wide.ids);
    expect(furthest(packed.logprobs, wide.logprobs)).toBeLessThan(1e-5);
    expect(Math.min(...wide.logprobs)).toBeLessThan(-0.5);
  });

  test('an adapter learns over it as over float32', async () => {
    const gguf = await source('exact');
    const spec: LoraSpec = {
      rank: 4,
      alpha: 8,
      targets: ['q_proj', 'v_proj', 'gate_proj', 'down_proj'],
    };
    const flat = initAdapter(gguf.config, spec, 1);
    new Random(2).fillNormal(flat, 0.1);
    const ids = [3, 17, 4, 90, 22, 8, 41, 200];
    const learned = async (
      type: HeldTypes,
    ): Promise<{ gradient: Float32Array; logprobs: Float32Array }> => {
      const decoder = await uploadDecoder(await createWasmOps(), gguf, { type });
      const trainer = new DecoderLoraTrainer(decoder, spec, { maxTokens: 16, maxLength: 16 });
      await trainer.setAdapter(flat);
      const batch = packBatch([{ ids, weights: ids.map(() => 1) }]);
      const { logprobs } = await trainer.accumulate(batch, () => new Float32Array(7).fill(1));
      const gradient = await trainer.gradients();
      trainer.dispose();
      return { gradient, logprobs };
    };
    const [wide, packed] = [await learned('f32'), await learned(heldTypesFor(gguf, 'wasm'))];
    expect(furthest(packed.logprobs, wide.logprobs)).toBeLessThan(1e-5);
    expect(relativeError(packed.gradient, wide.gradient)).toBeLessThan(1e-4);
    expect(Math.max(...wide.gradient)).toBeGreaterThan(0);
  });

  test('types that are ours take no more memory than the file, as the plan says', async () => {
    const gguf = await source('exact');
    const ops = await createWasmOps();
    const type = heldTypesFor(gguf, 'wasm');
    const before = ops.bytes;
    const rounded: Rounded[] = [];
    await uploadDecoder(ops, gguf, { type, onRounded: (one) => rounded.push(one) });
    expect(rounded).toEqual([]);
    const bytes = ops.bytes - before;
    ops.dispose();
    expect(bytes).toBeLessThan(1.25 * gguf.bytes);
    const limits = { maxBinding: Infinity, maxBuffer: Infinity, memory: Infinity };
    const plan = planFit({
      config: gguf.config,
      type,
      keys: 'f32',
      slots: 1,
      context: 8,
      train: null,
      limits: { device: 'wasm', ...limits },
    });
    expect(plan.weightBytes).toBe(bytes);
  });
});

const greedy = { temperature: 0, topK: 0, topP: 1 };

async function sampled(
  from: CheckpointSource,
  type: HeldTypes,
  prompt = [3, 17, 4],
  maxTokens = 8,
): Promise<Generated> {
  const engine = await engineOn(await createWasmOps(), from, type);
  const session = engine.open(1);
  session.append(prompt);
  const generated = await session.generate({ maxTokens, stopIds: [], sampling: greedy });
  session.close();
  engine.dispose();
  return generated;
}

function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
}
