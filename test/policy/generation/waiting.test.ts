import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { loadWeights } from '../../../src/policy/open/load.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';

/** Contexts for which there is no memory as long as others hold it. */

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const sampling = { temperature: 1, topK: 0, topP: 1 };
const plan = (maxTokens: number) => ({ maxTokens, stopIds: [], sampling });
const text = (length: number, from: number): number[] =>
  Array.from({ length }, (_, i) => from + (i % 40));

/** An engine on a device that says later that it has no memory for more than this many positions. */
async function limited(positions: number, memoryWaitMs?: number) {
  const ops = await createWasmOps();
  const decoder = await uploadDecoder(ops, sourceOf(await loadWeights(files)), { type: 'f32' });
  const tooLarge = { keys: false };
  const kvCache = ops.kvCache.bind(ops);
  ops.kvCache = (shape, label) => {
    if (shape.positions > positions) tooLarge.keys = true;
    return kvCache(shape, label);
  };
  Object.assign(ops, {
    attempt: async <T>(make: () => T): Promise<T> => {
      tooLarge.keys = false;
      const made = make();
      await Promise.resolve();
      if (!tooLarge.keys) return made;
      ops.free(...[made].flat().filter((one): one is never => one !== undefined));
      throw new MemoryError('the device has no memory for it');
    },
  });
  const options = { maxSlots: 4, prefillChunk: 64, keys: 'f32' } as const;
  const engine = new GenerationEngine(decoder, {
    ...options,
    ...(memoryWaitMs && { memoryWaitMs }),
  });
  const opened = (seed: number, ids: readonly number[]) => {
    const session = engine.open(seed);
    session.append(ids);
    return session;
  };
  return { ops, engine, opened };
}

async function alone(seed: number, ids: readonly number[], tokens: number): Promise<number[]> {
  const { engine, opened } = await limited(Infinity);
  const { ids: written } = await opened(seed, ids).generate(plan(tokens));
  engine.dispose();
  return written;
}

test('wait while another one works, and then write what they would have written alone', async () => {
  // Room for one context of 128 positions, not for two.
  const { engine, opened } = await limited(150);
  const [first, second] = [opened(1, text(60, 30)), opened(2, text(60, 60))];
  const order: string[] = [];
  const ended = first.generate(plan(30)).then((generated) => {
    order.push('first');
    first.close();
    return generated;
  });
  const waited = second.generate(plan(20)).then((generated) => {
    order.push('second');
    return generated;
  });
  expect((await ended).ids).toEqual(await alone(1, text(60, 30), 30));
  expect((await waited).ids).toEqual(await alone(2, text(60, 60), 20));
  expect(order).toEqual(['first', 'second']);
  engine.dispose();
});

test('that there is no memory to move write on in the room that they have', async () => {
  const { engine, opened } = await limited(150);
  // Room for 128 is all that there is: moved ahead of need, it would end long before that.
  const { ids } = await opened(1, text(60, 30)).generate(plan(68));
  expect(ids).toEqual(await alone(1, text(60, 30), 68));
  engine.dispose();
});

test('wait for contexts at rest, until these are closed', async () => {
  const { engine, opened } = await limited(150, 30_000);
  const [first, second] = [opened(1, text(60, 30)), opened(2, text(60, 60))];
  await first.generate(plan(5));
  let over = false;
  const waited = second.generate(plan(20)).finally(() => {
    over = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(over).toBe(false);
  first.close();
  expect((await waited).ids).toEqual(await alone(2, text(60, 60), 20));
  engine.dispose();
});

test('are refused when nobody gives room for long, and say what to do; the others go on', async () => {
  const { engine, opened } = await limited(150, 60);
  const [first, second] = [opened(1, text(60, 30)), opened(2, text(60, 60))];
  await first.generate(plan(5));
  const refused = second.generate(plan(20));
  await expect(refused).rejects.toThrow(MemoryError);
  await expect(refused).rejects.toThrow(
    /no memory for this context.*f16.*fewer rollouts at a time/,
  );
  second.close();
  const whole = await alone(1, text(60, 30), 25);
  expect((await first.generate(plan(20))).ids).toEqual(whole.slice(5));
  engine.dispose();
});

test('that wait end when they are aborted', async () => {
  const { engine, opened } = await limited(150, 30_000);
  const [first, second] = [opened(1, text(60, 30)), opened(2, text(60, 60))];
  await first.generate(plan(5));
  const abort = new AbortController();
  const waited = second.generate({ ...plan(20), signal: abort.signal });
  setTimeout(() => abort.abort(), 30);
  expect((await waited).finish).toBe('abort');
  engine.dispose();
});

test('a fork that there is no memory for fails, and its parent goes on', async () => {
  const { engine, ops, opened } = await limited(150);
  const first = opened(1, text(60, 30));
  await first.generate(plan(5));
  const held = ops.bytes;
  await expect(first.fork(2)).rejects.toThrow(/no memory for this context/);
  expect(ops.bytes).toBe(held);
  const whole = await alone(1, text(60, 30), 25);
  expect((await first.generate(plan(20))).ids).toEqual(whole.slice(5));
  engine.dispose();
});
