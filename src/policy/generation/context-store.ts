import type { Decoder } from '../model/decoder.ts';
import type { KeyStore, StoreType } from '../ops/values.ts';

/** Places of a context's positions in every layer's store. */
export interface Place {
  readonly start: number;
  readonly positions: number;
}

/** Contexts get room for a power of two of positions, at least so many. */
const LEAST = 64;
/** Ranges lie at multiples of it. */
const ALIGNED = 8;
/** How much larger the stores become when they are full. */
const GROWTH = 1.5;

const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/**
 * Keys and values of all contexts: one store a layer, in which a context has a range of places. What is
 * full grows by being copied, a layer at a time; what is free is used again.
 */
export class ContextStore {
  readonly #decoder: Decoder;
  readonly #type: StoreType;
  #stores: KeyStore[] = [];
  #positions = 0;
  /** Free ranges by start, neighbours joined. */
  #free: Place[] = [];

  constructor(decoder: Decoder, type: StoreType) {
    this.#decoder = decoder;
    this.#type = type;
  }

  /** One a layer. */
  get stores(): readonly KeyStore[] {
    return this.#stores;
  }

  /** Room for a context of at least `length` positions. @throws MemoryError */
  take(length: number): Place {
    const positions = this.#roomFor(length);
    const found = this.#free.find((range) => range.positions >= positions) ?? this.#grow(positions);
    this.#free = this.#free.flatMap((range) => {
      if (range !== found) return [range];
      const rest = { start: range.start + positions, positions: range.positions - positions };
      return rest.positions > 0 ? [rest] : [];
    });
    this.#decoder.reach(positions);
    return { start: found.start, positions };
  }

  /** A place that holds `length` positions, with the first `held` of them copied where it is another one. */
  widen(place: Place, length: number, held: number): Place {
    if (length <= place.positions) return place;
    const wider = this.take(length);
    this.copy(place, wider, held);
    this.give(place);
    return wider;
  }

  copy(from: Place, to: Place, count: number): void {
    if (count === 0) return;
    this.#decoder.ops.copyKeys(this.#stores, [{ from: from.start, to: to.start, count }]);
  }

  give(place: Place): void {
    const ranges = [...this.#free, place].toSorted((a, b) => a.start - b.start);
    this.#free = [];
    for (const range of ranges) {
      const last = this.#free.at(-1);
      if (last && last.start + last.positions === range.start)
        this.#free[this.#free.length - 1] = joined(last, range);
      else this.#free.push(range);
    }
  }

  /** Frees the memory; only when no context has a place. */
  clear(): void {
    if (this.#stores.length > 0) this.#decoder.ops.free(...this.#stores);
    this.#stores = [];
    this.#positions = 0;
    this.#free = [];
  }

  #roomFor(length: number): number {
    let positions = LEAST;
    while (positions < length) positions *= 2;
    return Math.max(
      aligned(length),
      Math.min(positions, aligned(this.#decoder.config.maxPositions)),
    );
  }

  /** The free range at the end, which then holds `positions`. */
  #grow(positions: number): Place {
    const { ops, config } = this.#decoder;
    const last = this.#free.at(-1);
    const atEnd = last && last.start + last.positions === this.#positions ? last : null;
    const wanted = this.#positions - (atEnd?.positions ?? 0) + positions;
    const total = aligned(Math.max(wanted, Math.ceil(this.#positions * GROWTH)));
    const shape = { kvHeads: config.kvHeads, headDim: config.headDim, type: this.#type };
    for (let layer = 0; layer < config.layers; layer++) {
      const larger = ops.keyStore({ ...shape, positions: total }, `keys of layer ${layer}`);
      const old = this.#stores[layer];
      if (old) {
        ops.copyKeys([old], [{ from: 0, to: 0, count: this.#positions }], [larger]);
        ops.free(old);
      }
      this.#stores[layer] = larger;
    }
    const range = {
      start: this.#positions - (atEnd?.positions ?? 0),
      positions: total - this.#positions + (atEnd?.positions ?? 0),
    };
    this.#free = [...this.#free.filter((one) => one !== atEnd), range];
    this.#positions = total;
    return range;
  }
}

const joined = (a: Place, b: Place): Place => ({
  start: a.start,
  positions: a.positions + b.positions,
});
