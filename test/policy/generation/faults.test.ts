import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EngineFault } from '../../../src/policy/engine-fault.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { NonFiniteLogits } from '../../../src/policy/generation/non-finite.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { Decoder } from '../../../src/policy/model/decoder.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { DeviceError, MemoryError } from '../../../src/policy/ops/faults.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { oracleOps } from '../ops/oracle/oracle.ts';
import { loadPolicy, loadWeights } from '../../../src/policy/open/load.ts';
import type { Generated, Policy } from '../../../src/policy/policy.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const plan = { maxTokens: 10, stopIds: [], sampling: { temperature: 1, topK: 0, topP: 1 } };

/** The token whose embedding is not a number. */
const BAD = 200;
const prompt = Array.from({ length: 40 }, (_, i) => 30 + i);

/** The fixture with a broken embedding, which no checkpoint is loaded with. */
async function broken(): Promise<GenerationEngine> {
  const weights = await loadWeights(files);
  const { vocabSize, hiddenSize } = weights.config;
  const ops = await createWasmOps();
  const whole = await uploadDecoder(ops, sourceOf(weights), { type: 'f32' });
  const table = new Float32Array(weights.embed);
  table.fill(Number.NaN, BAD * hiddenSize, (BAD + 1) * hiddenSize);
  const writer = ops.matrix({ out: vocabSize, in: hiddenSize, type: 'f32' }, 'broken');
  writer.write(0, table);
  const decoder = new Decoder(ops, weights.config, { ...whole.weights, embed: writer.finish() });
  return new GenerationEngine(decoder, { maxSlots: 64, prefillChunk: 256, keys: 'f32' });
}

let policy: GenerationEngine;
let whole: Policy;
beforeAll(async () => {
  whole = await loadPolicy({ files, id: 'tiny', device: 'wasm' });
  policy = await broken();
});
afterAll(() => {
  policy.dispose();
  whole.dispose();
});

async function opened(
  seed: number,
  ids: readonly number[] = prompt,
  from: Pick<Policy, 'open'> | GenerationEngine = policy,
) {
  const session = await from.open(seed);
  session.append(ids);
  return session;
}

async function alone(seed: number, ids?: readonly number[]): Promise<Generated> {
  const session = await opened(seed, ids, whole);
  const generated = await session.generate(plan);
  session.close();
  return generated;
}

describe('a listener that throws', () => {
  test('ends its own call; other sessions and later calls go on', async () => {
    const [expected, later] = [await alone(2), await alone(3)];
    const [bad, good] = [await opened(1), await opened(2)];
    const onTokens = (): void => {
      throw new Error('the page could not show it');
    };
    const running = good.generate(plan);
    await expect(bad.generate({ ...plan, onTokens })).rejects.toThrow('the page could not show it');
    expect(await running).toEqual(expected);
    bad.close();
    const next = await opened(3);
    expect(await next.generate(plan)).toEqual(later);
    for (const session of [good, next]) session.close();
  });
});

describe('logits that are no finite numbers', () => {
  test('end their session with an error that says so; the others do not notice', async () => {
    const expected = await Promise.all([2, 3].map((seed) => alone(seed)));
    const bad = await opened(1, [...prompt, BAD, 40, 41]);
    const good = await Promise.all([2, 3].map((seed) => opened(seed)));
    const failed = bad.generate(plan).catch((error: unknown) => error);
    expect(await Promise.all(good.map((session) => session.generate(plan)))).toEqual(expected);
    const error = await failed;
    expect(error).toBeInstanceOf(NonFiniteLogits);
    expect(String(error)).toMatch(/logits of the next token are not finite.*weights are broken/);
    // What it has read stays in its context, which is of no use any more.
    expect(() => bad.append([40])).toThrow(NonFiniteLogits);
    expect(() => bad.fork(9)).toThrow(NonFiniteLogits);
    for (const session of [bad, ...good]) session.close();
  });

  test('leave nothing behind for the next session in the slot', async () => {
    const expected = await alone(5, [40]);
    // Another session holds the cache open, so that its slots are handed out again.
    const other = await opened(2);
    await other.generate(plan);
    const bad = await opened(1, [...prompt, BAD, 40, 41]);
    await expect(bad.generate(plan)).rejects.toThrow(NonFiniteLogits);
    bad.close();
    const next = await opened(5, [40]);
    expect(await next.generate(plan)).toEqual(expected);
    for (const session of [other, next]) session.close();
  });
});

describe('a step that fails', () => {
  test('ends all calls with a fault of the engine, and nothing is opened after it', async () => {
    const decoder = await uploadDecoder(oracleOps(), sourceOf(await loadWeights(files)), {
      type: 'f32',
    });
    const engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 16, keys: 'f32' });
    const session = engine.open(1);
    session.append(prompt);
    // Stands for any reason, such as a device that was taken away.
    decoder.ops.attend = () => {
      throw new DeviceError('the GPU was taken away');
    };
    const failed = session.generate(plan);
    await expect(failed).rejects.toThrow(EngineFault);
    await expect(failed).rejects.toThrow('the GPU was taken away');
    expect(() => engine.open(2)).toThrow(EngineFault);
  });
});

describe('without memory for another context', () => {
  /** Two contexts of which only the first has a place; `fails` says which further stores cannot be made. */
  async function full(fails: (store: number) => boolean) {
    const decoder = await uploadDecoder(oracleOps(), sourceOf(await loadWeights(files)), {
      type: 'f32',
    });
    const { ops } = decoder;
    const engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 16, keys: 'f32' });
    const gap = engine.open(7);
    gap.append(prompt);
    await gap.generate(plan);
    const first = await opened(1, prompt, engine);
    const ids = [...(await first.generate(plan)).ids];
    // What is held moves to where the gap was, so that a layer that has not moved holds other keys there.
    gap.close();
    const kvCache = ops.kvCache.bind(ops);
    let made = 0;
    ops.kvCache = (...wanted) => {
      if (fails(made++)) throw new MemoryError('the device has no memory for it');
      return kvCache(...wanted);
    };
    const long = Array.from({ length: 140 }, (_, i) => 30 + (i % 40));
    const second = await opened(2, long, engine);
    return { engine, first, second, ids };
  }

  async function alone(): Promise<number[]> {
    const { engine, first } = await full(() => false);
    const { ids } = await first.generate(plan);
    engine.dispose();
    return [...ids];
  }

  test.each([
    ['of the first layer', 0],
    ['of a later layer', 1],
  ])('for keys %s, its own call fails and says so; the others go on as alone', async (_, layer) => {
    const { engine, first, second, ids } = await full((store) => store === layer);
    await expect(second.generate(plan)).rejects.toThrow(MemoryError);
    const then = await first.generate(plan);
    expect([...then.ids]).toEqual(await alone());
    // There is memory now.
    expect((await second.generate(plan)).ids).not.toEqual(ids);
    engine.dispose();
  });

  test('where the layers that had moved cannot move back, all contexts fail, with what to do', async () => {
    const { engine, first, second } = await full((store) => store > 0);
    await expect(second.generate(plan)).rejects.toThrow(/fewer rollouts at a time/);
    await expect(first.generate(plan)).rejects.toThrow(EngineFault);
    expect(() => engine.open(3)).toThrow(EngineFault);
  });
});
