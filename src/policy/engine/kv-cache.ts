import { jit, numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../checkpoint/config.ts';
import type { LayerCache } from './decoder.ts';
import { CHUNK } from './shapes.ts';

type Arrays = { mainK: np.Array; mainV: np.Array; ringK: np.Array; ringV: np.Array };

/** Writes ring entries into the main store where `mask` [slots, capacity] is 1. */
const flushLayer = jit((layer: Arrays, mask: np.Array) => {
  const [slots, kvHeads, headDim, capacity] = layer.mainK.shape as [number, number, number, number];
  const turns = capacity / CHUNK;
  const take = mask.greater(0.5);
  const tiledK = np
    .broadcastTo(layer.ringK.reshape([slots, kvHeads, headDim, 1, CHUNK]), [
      slots,
      kvHeads,
      headDim,
      turns,
      CHUNK,
    ])
    .reshape([slots, kvHeads, headDim, capacity]);
  const tiledV = np
    .broadcastTo(layer.ringV.reshape([slots, kvHeads, 1, CHUNK, headDim]), [
      slots,
      kvHeads,
      turns,
      CHUNK,
      headDim,
    ])
    .reshape([slots, kvHeads, capacity, headDim]);
  return {
    mainK: np.where(take.ref.reshape([slots, 1, 1, capacity]), tiledK, layer.mainK),
    mainV: np.where(take.reshape([slots, 1, capacity, 1]), tiledV, layer.mainV),
  };
});

/**
 * Rows `slot % rows of from` where `selected[slot]` is 1, else the rows of `to`. Views alone lead to
 * the source, which is several times as fast as an index.
 */
const copyPeriodic = jit((to: Arrays, from: Arrays, selected: np.Array) => {
  const slots = to.mainK.shape[0]!;
  const take = selected.greater(0.5).reshape([slots, 1, 1, 1]);
  const merge = (a: np.Array, b: np.Array): np.Array => {
    const [rows, ...rest] = b.shape as [number, ...number[]];
    const repeated = np.broadcastTo(b.reshape([1, rows, ...rest]), [slots / rows, rows, ...rest]);
    return np.where(take.ref, repeated.reshape([slots, ...rest]), a);
  };
  const merged = {
    mainK: merge(to.mainK, from.mainK),
    mainV: merge(to.mainV, from.mainV),
    ringK: merge(to.ringK, from.ringK),
    ringV: merge(to.ringV, from.ringV),
  };
  take.dispose();
  return merged;
});

/** Rows `index[slot]` of `from` where `selected[slot]` is 1, else the rows of `to`. */
const copyRows = jit((to: Arrays, from: Arrays, index: np.Array, selected: np.Array) => {
  const slots = to.mainK.shape[0]!;
  const take = selected.greater(0.5).reshape([slots, 1, 1, 1]);
  const merge = (a: np.Array, b: np.Array): np.Array =>
    np.where(take.ref, np.take(b, index.ref, 0), a);
  const merged = {
    mainK: merge(to.mainK, from.mainK),
    mainV: merge(to.mainV, from.mainV),
    ringK: merge(to.ringK, from.ringK),
    ringV: merge(to.ringV, from.ringV),
  };
  take.dispose();
  index.dispose();
  return merged;
});

const withRefs = (a: LayerCache): Arrays => ({
  mainK: a.mainK.ref,
  mainV: a.mainV.ref,
  ringK: a.ringK.ref,
  ringV: a.ringV.ref,
});

/** Keys and values of several contexts, all layers; arrays are replaced, never changed. */
export class KvCache {
  layers: LayerCache[];
  readonly config: PolicyConfig;
  #slots: number;
  #capacity: number;

  /** @param layers contents, if not zeros */
  constructor(config: PolicyConfig, slots: number, capacity: number, layers?: LayerCache[]) {
    this.config = config;
    this.#slots = slots;
    this.#capacity = capacity;
    this.layers = layers ?? this.#zeros();
  }

  #zeros(): LayerCache[] {
    const { config } = this;
    const [slots, capacity] = [this.#slots, this.#capacity];
    const { kvHeads, headDim } = config;
    const zeros = (shape: number[]): np.Array =>
      np.array(new Float32Array(shape.reduce((a, b) => a * b, 1)), { shape });
    return Array.from({ length: config.layers }, () => ({
      mainK: zeros([slots, kvHeads, headDim, capacity]),
      mainV: zeros([slots, kvHeads, capacity, headDim]),
      ringK: zeros([slots, kvHeads, headDim, CHUNK]),
      ringV: zeros([slots, kvHeads, CHUNK, headDim]),
    }));
  }

  get slots(): number {
    return this.#slots;
  }

  /** Positions that the main store of a slot can hold. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Makes room for more slots or positions; contents keep their places. */
  grow(slots: number, capacity: number): void {
    const newSlots = Math.max(slots, this.#slots);
    const newCapacity = Math.max(capacity, this.#capacity);
    const [moreSlots, more] = [newSlots - this.#slots, newCapacity - this.#capacity];
    if (moreSlots === 0 && more === 0) return;
    const pad = (a: np.Array, axis: number): np.Array =>
      np.pad(
        a,
        [0, 1, 2, 3].map((i): [number, number] => [0, i === 0 ? moreSlots : i === axis ? more : 0]),
      );
    this.layers = this.layers.map((a) => ({
      mainK: pad(a.mainK, 3),
      mainV: pad(a.mainV, 2),
      ringK: pad(a.ringK, -1),
      ringV: pad(a.ringV, -1),
    }));
    this.#slots = newSlots;
    this.#capacity = newCapacity;
  }

  /** Writes ring positions [from, to) of each slot into the main store. */
  flush(ranges: readonly { slot: number; from: number; to: number }[]): void {
    this.grow(0, 0);
    const mask = new Float32Array(this.#slots * this.#capacity);
    for (const { slot, from, to } of ranges)
      mask.fill(1, slot * this.#capacity + from, slot * this.#capacity + to);
    const maskArray = np.array(mask, { shape: [this.#slots, this.#capacity] });
    this.layers = this.layers.map((layer) => {
      const { mainK, mainV } = flushLayer(withRefs(layer), maskArray.ref);
      layer.mainK.dispose();
      layer.mainV.dispose();
      return { ...layer, mainK, mainV };
    });
    maskArray.dispose();
  }

  /**
   * Copies whole slots of another cache (of the same shape of model) into slots of this one; fast
   * where each `to` is `from` plus a multiple of the source's slots.
   */
  copyFrom(source: KvCache, pairs: readonly { from: number; to: number }[]): void {
    if (pairs.length === 0) return;
    source.grow(0, this.#capacity);
    this.grow(0, source.capacity);
    const index = new Int32Array(this.#slots);
    const selected = new Float32Array(this.#slots);
    for (const { from, to } of pairs) {
      index[to] = from;
      selected[to] = 1;
    }
    const periodic =
      this.#slots % source.slots === 0 && pairs.every(({ from, to }) => to % source.slots === from);
    const indexArray = np.array(index, { shape: [this.#slots] });
    const selectedArray = np.array(selected, { shape: [this.#slots] });
    this.layers = this.layers.map((layer, i) => {
      const from = withRefs(source.layers[i]!);
      return periodic
        ? copyPeriodic(layer, from, selectedArray.ref)
        : copyRows(layer, from, indexArray.ref, selectedArray.ref);
    });
    indexArray.dispose();
    selectedArray.dispose();
  }

  /** `copyFrom` where the source may have a larger capacity, beyond which nothing is in use. */
  copyPrefix(source: KvCache, pairs: readonly { from: number; to: number }[]): void {
    const layers = source.layers.map((layer) => ({
      mainK: layer.mainK.ref.slice([], [], [], [0, this.#capacity]),
      mainV: layer.mainV.ref.slice([], [], [0, this.#capacity]),
      ringK: layer.ringK.ref,
      ringV: layer.ringV.ref,
    }));
    const cut = new KvCache(this.config, source.slots, this.#capacity, layers);
    this.copyFrom(cut, pairs);
    cut.dispose();
  }

  /** A cache of one slot with a copy of `slot`. */
  snapshot(slot: number): KvCache {
    const copy = new KvCache(this.config, 1, this.#capacity);
    copy.copyFrom(this, [{ from: slot, to: 0 }]);
    return copy;
  }

  dispose(): void {
    for (const layer of this.layers)
      for (const array of [layer.mainK, layer.mainV, layer.ringK, layer.ringV]) array.dispose();
    this.layers = [];
  }
}
