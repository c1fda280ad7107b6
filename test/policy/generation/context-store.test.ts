import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { ContextStore, type CacheRange } from '../../../src/policy/generation/context-store.ts';
import { planDecoder } from '../../../src/policy/model/plan.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';
import { plannedOps, type Sizes } from '../../../src/policy/ops/planned.ts';

const config = parsePolicyConfig({
  vocab_size: 40,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 24,
  max_position_embeddings: 500,
});

/** Bytes are counted for stores alone: one a position. */
const sizes: Sizes = {
  device: 'oracle',
  activations: () => 0,
  vector: () => 0,
  matrix: () => 0,
  rotary: () => 0,
  kvCache: ({ positions }) => positions,
  tokens: () => 0,
  picks: () => 0,
  draws: () => 0,
  adapter: () => 0,
  working: () => 0,
};

function opened() {
  const copies: { from: number; to: number; count: number }[] = [];
  const ops = plannedOps(sizes);
  ops.copyKeys = (_, moves) => copies.push(...moves);
  return { ops, copies, store: new ContextStore(planDecoder(ops, config, 'f32'), 'f32', 4) };
}

describe('places of contexts', () => {
  it('begin at multiples of 8 and hold what was asked for', async () => {
    const { store } = opened();
    const lengths = [1, 65, 200, 500];
    const places = await Promise.all(lengths.map((length) => store.allocate(length)));
    for (const [i, { start, positions }] of places.entries()) {
      expect(start % 8).toBe(0);
      expect(positions).toBeGreaterThanOrEqual(lengths[i] ?? 0);
    }
    // A power of two, but no more than the model has positions.
    expect(places.map(({ positions }) => positions)).toEqual([64, 128, 256, 504]);
  });

  it('never overlap, whatever is taken, widened and given back', async () => {
    const { store, ops } = opened();
    const random = new Random(7);
    const held: CacheRange[] = [];
    for (let turn = 0; turn < 2000; turn++) {
      const act = random.below(3);
      const at = random.below(Math.max(1, held.length));
      const place = held[at];
      if (act === 0 && held.length < 20) held.push(await store.allocate(1 + random.below(500)));
      else if (act === 1 && place) held[at] = await store.widen(place, 1 + random.below(500), 8);
      else if (place) {
        store.release(place);
        held.splice(at, 1);
      }
      const sorted = held.toSorted((a, b) => a.start - b.start);
      const end = store.stores[0]?.positions ?? 0;
      for (const [i, { start, positions }] of sorted.entries())
        expect(start + positions).toBeLessThanOrEqual(sorted[i + 1]?.start ?? end);
    }
    for (const place of held) store.release(place);
    // Everything is free again: the whole store can be taken without growing.
    const before = ops.bytes;
    const room = store.stores[0]?.positions ?? 0;
    for (let i = 0; i < Math.floor(room / 504); i++) await store.allocate(500);
    expect(ops.bytes).toBe(before);
  });

  it('of a wider context begin with what the narrower one held', async () => {
    const { store, copies } = opened();
    const place = await store.allocate(60);
    const other = await store.allocate(60);
    expect(await store.widen(place, 64, 60)).toBe(place);
    const wider = await store.widen(place, 65, 64);
    expect(copies.at(-1)).toEqual({ from: place.start, to: wider.start, count: 64 });
    // The place that was left is used next.
    expect((await store.allocate(10)).start).toBe(place.start);
    expect(other.start).not.toBe(place.start);
  });

  it('that a full store has no room for make it anew, with what it holds side by side', async () => {
    const { store, ops, copies } = opened();
    const places = [await store.allocate(500), await store.allocate(60), await store.allocate(500)];
    const [first, second, third] = places;
    if (!first || !second || !third) throw new Error('three were taken');
    store.release(second);
    // There is no gap of 504, but what is held and wanted is less than before with the gap.
    const fourth = await store.allocate(500);
    expect(copies.slice(-2)).toEqual([
      { from: 0, to: 0, count: 504 },
      { from: 568, to: 504, count: 504 },
    ]);
    expect([first.start, third.start, fourth.start]).toEqual([0, 504, 1008]);
    store.clear();
    expect(ops.bytes).toBe(0);
    expect(store.stores).toEqual([]);
  });

  it('of all contexts that there may be take no more than these need', async () => {
    const { store, ops } = opened();
    const four = await Promise.all([1, 2, 3, 4].map(() => store.allocate(500)));
    // Two layers; a layer at a time, so that one is held twice for a moment.
    expect(ops.bytes).toBe(2 * 4 * 504);
    expect(ops.peak).toBeLessThanOrEqual(3 * 4 * 504);
    for (const place of four) store.release(place);
    store.clear();
    await store.reserve(4, 500);
    expect(ops.bytes).toBe(2 * 4 * 504);
    store.release(await store.allocate(500));
    expect(ops.bytes).toBe(2 * 4 * 504);
    store.clear();
    // Contexts of 65 positions get room for 128.
    await store.reserve(3, 65);
    expect(ops.bytes).toBe(2 * 3 * 128);
    for (let i = 0; i < 3; i++) await store.allocate(65);
    expect(ops.bytes).toBe(2 * 3 * 128);
    await store.reserve(2, 128);
    expect(ops.bytes).toBe(2 * 3 * 128);
  });

  it('of more contexts than decode together do not make stores anew for each of them', async () => {
    const { store, ops } = opened();
    const sizes = new Set<number>();
    for (let i = 0; i < 32; i++) {
      await store.allocate(500);
      sizes.add(ops.bytes);
    }
    // From 4 contexts to 32 by an eighth at a time, rounded up: not 28 times.
    expect(sizes.size).toBeLessThan(22);
  });

  it('begin with what the last ones came to, if the device has the memory', async () => {
    const { store, ops, copies } = opened();
    const fill = async (): Promise<void> => {
      for (const place of await Promise.all([1, 2, 3].map(() => store.allocate(500))))
        store.release(place);
      store.clear();
    };
    await fill();
    copies.length = 0;
    await fill();
    expect(copies).toEqual([]);
    const kvCache = ops.kvCache.bind(ops);
    ops.kvCache = (shape, label) => {
      if (shape.positions > 600) throw new MemoryError('no memory for so many');
      return kvCache(shape, label);
    };
    await store.allocate(60);
    expect(ops.bytes).toBeLessThan(2 * 600);
  });
});
