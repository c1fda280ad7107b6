import { afterEach, expect, it } from 'vitest';
import { CountedEngine } from '../../../bench/gpu-counts/count.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { ContextStore } from '../../../src/policy/generation/context-store.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';

/** Contexts that grow on a GPU whose memory ends, which says so after the call that asked for it. */

const config = parsePolicyConfig({
  vocab_size: 40,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 8,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: 24,
  max_position_embeddings: 500,
});
/** Keys and values of a position, of one layer. */
const POSITION = 2 * 4 * 8 * 128;
const MB = 1e6;

let engine: CountedEngine | null = null;
afterEach(() => engine?.close());

/** A device with memory for three whole contexts beside the decoder, and unless there is more none for growth to four. */
async function three(memory = 44 * MB) {
  engine = await CountedEngine.start(config, 'f32', { memory });
  const { ops } = engine.decoder;
  const store = new ContextStore(engine.decoder, 'f32', 4);
  const places = [await store.allocate(500), await store.allocate(500), await store.allocate(500)];
  return { ops, store, places, counter: engine.gpu.counter };
}

it('that the device has no memory for is refused, and everything stays as it was', async () => {
  const { ops, store, places, counter } = await three();
  const [before, starts] = [[...store.stores], places.map(({ start }) => start)];
  const held = counter.liveBytes;
  counter.restart();
  await expect(store.allocate(500)).rejects.toThrow(MemoryError);
  expect(counter.counts.errors.length).toBeGreaterThan(0);
  for (const error of counter.counts.errors) expect(error).toMatch(/^out-of-memory/);
  // Nothing was handed over that uses what was not there.
  expect(counter.counts.dispatches).toBe(0);
  expect(counter.liveBytes).toBe(held);
  expect(ops.bytes).toBe(held);
  expect(store.stores).toEqual(before);
  expect(places.map(({ start }) => start)).toEqual(starts);
  // The device continues.
  await ops.settled();
  ops.submit();
});

it('has room again once a context is closed, without growth', async () => {
  const { store, places, counter } = await three();
  await expect(store.allocate(500)).rejects.toThrow(MemoryError);
  const [, second] = places;
  if (!second) throw new Error('three were taken');
  store.release(second);
  const held = counter.liveBytes;
  expect((await store.allocate(500)).start).toBe(second.start);
  expect(counter.liveBytes).toBe(held);
});

it('is made a layer at a time where there is memory', async () => {
  const { ops, store, places, counter } = await three(60 * MB);
  const [first, second, third] = places;
  const [before] = store.stores;
  if (!first || !second || !third || !before) throw new Error('three were taken');
  store.release(second);
  expect(await store.allocate(200)).toEqual({ start: 504, positions: 256 });
  counter.restart();
  const last = await store.allocate(500);
  expect([first, third, last].map(({ start }) => start)).toEqual([0, 760, 1264]);
  // Beside what is held then, the old store of one layer.
  const { peakBytes, errors } = counter.counts;
  expect(peakBytes).toBeLessThanOrEqual(counter.liveBytes + POSITION * before.positions);
  expect(peakBytes).toBeGreaterThan(counter.liveBytes);
  expect(errors).toEqual([]);
  expect(ops.bytes).toBe(counter.liveBytes);
});

it('at first, where not even one context fits, leaves nothing behind', async () => {
  engine = await CountedEngine.start(config, 'f32', { memory: 8 * MB });
  const { counter } = engine.gpu;
  const held = counter.liveBytes;
  const store = new ContextStore(engine.decoder, 'f32', 4);
  await expect(store.allocate(500)).rejects.toThrow(/out of memory at keys of layer 1/);
  expect(counter.liveBytes).toBe(held);
  expect((await store.allocate(60)).positions).toBe(64);
});

it('beyond what the device binds at once is refused as well', async () => {
  engine = await CountedEngine.start(config, 'f32', {
    limits: { maxStorageBufferBindingSize: 5 * MB },
  });
  const store = new ContextStore(engine.decoder, 'f32', 4);
  const one = await store.allocate(500);
  await store.allocate(500);
  await expect(store.allocate(500)).rejects.toThrow(/allows 10000000.*Hold contexts in f16/);
  expect(one.start).toBe(0);
  // The same contexts in halves fit.
  const halves = new ContextStore(engine.decoder, 'f16', 4);
  for (let i = 0; i < 4; i++) await halves.allocate(500);
  await engine.decoder.ops.settled();
});
