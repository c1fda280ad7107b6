import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import type { Decoder } from '../../../src/policy/model/decoder.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { GenerateOptions, Generated } from '../../../src/policy/policy.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import type { Work } from '../../../src/policy/watchdog.ts';
import { difference } from '../ops/support/compare.ts';
import { config, weights } from './tiny-decoder.ts';

const sampling = { temperature: 1, topK: 0, topP: 1 };
const plan: GenerateOptions = { maxTokens: 12, stopIds: [], sampling };
const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => (7 * i) % 60);

let decoder: Decoder;
let engine: GenerationEngine;
beforeAll(async () => {
  decoder = await uploadDecoder(await createWasmOps(), sourceOf(weights), { type: 'f32' });
  engine = new GenerationEngine(decoder, { maxSlots: 4, prefillChunk: 8, keys: 'f32' });
});

/** Once the last turn is over, so that what closed sessions held is free. */
const idle = (): Promise<void> => engine.update(async () => undefined);

async function generated(options: GenerateOptions, seed = 3): Promise<Generated> {
  const session = engine.open(seed);
  session.append(ids(10));
  const result = await session.generate(options);
  session.close();
  return result;
}

describe('log-probabilities and entropies', () => {
  /** What the trainer, which draws nothing, gives the tokens that followed the ten. */
  async function scored(written: readonly number[], temperature: number) {
    const spec = { rank: 1, alpha: 1, targets: ['q_proj' as const] };
    const trainer = new DecoderLoraTrainer(decoder.view(), spec, { maxTokens: 64, maxLength: 64 });
    await trainer.setAdapter(null);
    const all = [...ids(10), ...written];
    const mask = all.map((_, i) => Number(i >= 10));
    return trainer.score(packBatch([{ ids: all, weights: mask, temperature }]));
  }

  test.each([
    ['sampling', 0.5, 0.5],
    ['sampling', 0, 1],
    ['model', 0.5, 1],
    ['model', 0, 1],
  ] as const)('as `%s` at temperature %d are of temperature %d', async (scores, drawn, given) => {
    const options = { ...plan, scores, sampling: { ...sampling, temperature: drawn } };
    const result = await generated(options);
    const wanted = await scored(result.ids, given);
    expect(difference(result.logprobs, wanted.logprobs)).toBeLessThan(1e-4);
    expect(difference(result.entropies, wanted.entropies)).toBeLessThan(1e-4);
  });

  test('what they are of changes no token', async () => {
    const cold = { temperature: 0.7, topK: 5, topP: 0.8 };
    const plain = await generated({ ...plan, sampling: cold });
    const ofModel = await generated({ ...plan, sampling: cold, scores: 'model' });
    expect(ofModel.ids).toEqual(plain.ids);
    expect(ofModel.logprobs).not.toEqual(plain.logprobs);
  });
});

test('while others read, a session that decodes waits at most three turns for its next token', async () => {
  const [writing, ...reading] = [1, 2, 3].map((seed) => engine.open(seed));
  writing?.append(ids(2));
  // Of 8 tokens per turn, the text of each takes 25 turns. No two are the same, which would be read once.
  for (const [i, session] of reading.entries()) session.append(ids(200 + i).slice(i));
  const stop = new AbortController();
  const times: number[] = [];
  let total = 0;
  const running = writing?.generate({
    ...plan,
    maxTokens: 500,
    signal: stop.signal,
    onTokens: () => total++,
  });
  const read = reading.map(async (session) => {
    await session.generate({ ...plan, maxTokens: 1 });
    times.push(total);
  });
  await Promise.all(read);
  stop.abort();
  await running;
  for (const session of [writing, ...reading]) session?.close();
  const [first = 0, second = 0] = times;
  // While most read, at every fourth of the 25 turns, and at the last one; then at every turn.
  expect(first).toBe(7);
  expect(second - first).toBeGreaterThanOrEqual(22);
});

test('memory of contexts goes when the last one closes, not before', async () => {
  await idle();
  const empty = decoder.ops.bytes;
  const [one, two] = [engine.open(1), engine.open(2)];
  for (const session of [one, two]) session.append(ids(20));
  await Promise.all([one.generate(plan), two.generate(plan)]);
  const held = decoder.ops.bytes;
  expect(held).toBeGreaterThan(empty);
  one.close();
  expect(decoder.ops.bytes).toBe(held);
  // What it wrote is still there to continue from.
  expect((await two.generate(plan)).ids).toHaveLength(12);
  two.close();
  await idle();
  expect(decoder.ops.bytes).toBe(empty);
});

test('reserved room need not grow', async () => {
  await idle();
  const made = vi.spyOn(decoder.ops, 'kvCache');
  await engine.reserve(3, 100 + 12 + 32);
  expect(made).toHaveBeenCalledTimes(config.layers);
  const sessions = [1, 2, 3].map((seed) => engine.open(seed));
  for (const session of sessions) session.append(ids(100));
  await Promise.all(sessions.map((session) => session.generate(plan)));
  expect(made).toHaveBeenCalledTimes(config.layers);
  for (const session of sessions) session.close();
  await idle();
  made.mockRestore();
});

test('a session generates once at a time, and not once it is closed', async () => {
  const session = engine.open(1);
  session.append(ids(3));
  const running = session.generate(plan);
  await expect(async () => session.generate(plan)).rejects.toThrow(/must not overlap/);
  await expect(async () => session.fork(2)).rejects.toThrow(/must not overlap/);
  expect((await running).ids).toHaveLength(12);
  session.close();
  await expect(async () => session.generate(plan)).rejects.toThrow(/closed/);
  await expect(async () => session.fork(2)).rejects.toThrow(/closed/);
});

test('tells when a kind of step is taken for the first time, which compiles', async () => {
  const fresh = new GenerationEngine(decoder.view(), { maxSlots: 1, prefillChunk: 8, keys: 'f32' });
  const heard: Work[] = [];
  fresh.onWork((work) => heard.push(work));
  const session = fresh.open(1);
  session.append(ids(5));
  await session.generate({ ...plan, maxTokens: 2 });
  session.close();
  // Reading, decoding, and decoding again.
  expect(heard.filter((work, i) => work !== heard[i - 1])).toEqual([
    'compiling',
    'computing',
    'compiling',
    'computing',
  ]);
});
