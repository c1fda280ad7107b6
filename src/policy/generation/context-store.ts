import type { Decoder } from '../model/decoder.ts';
import type { KeyStore, StoreType } from '../ops/values.ts';

/** Where a context's positions lie in every layer's store. It moves when stores grow. */
export interface Place {
  readonly start: number;
  readonly positions: number;
}

interface Held extends Place {
  start: number;
}

/** Contexts get room for a power of two of positions, at least so many. */
const LEAST = 64;
/** Ranges lie at multiples of it. */
const ALIGNED = 8;
/** What stores that are full get beyond what is wanted of them. */
const SPARE = 1.25;

const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/**
 * Keys and values of all contexts: one store a layer, in which a context has a range of places. Where no
 * range is free, the stores are made anew, a layer at a time, with the contexts side by side.
 */
export class ContextStore {
  readonly #decoder: Decoder;
  readonly #type: StoreType;
  /** Contexts that there will be at most, as far as that is known. */
  readonly #most: number;
  #stores: KeyStore[] = [];
  #positions = 0;
  readonly #held = new Set<Held>();

  constructor(decoder: Decoder, type: StoreType, contexts: number) {
    this.#decoder = decoder;
    this.#type = type;
    this.#most = contexts * aligned(decoder.config.maxPositions);
  }

  /** One a layer. */
  get stores(): readonly KeyStore[] {
    return this.#stores;
  }

  /** Room for a context of at least `length` positions. @throws MemoryError */
  take(length: number): Place {
    const positions = this.#roomFor(length);
    const start = this.#free(positions) ?? this.#makeRoom(positions);
    const place = { start, positions };
    this.#held.add(place);
    this.#decoder.reach(positions);
    return place;
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
    for (const held of this.#held) if (held === place) this.#held.delete(held);
  }

  /** Makes the stores large enough for so many positions in all. @throws MemoryError */
  reserve(positions: number): void {
    if (positions > this.#positions) this.#rebuild(aligned(positions));
  }

  /** Frees the memory; only when no context has a place. */
  clear(): void {
    if (this.#stores.length > 0) this.#decoder.ops.free(...this.#stores);
    this.#stores = [];
    this.#positions = 0;
  }

  #roomFor(length: number): number {
    let positions = LEAST;
    while (positions < length) positions *= 2;
    const most = aligned(this.#decoder.config.maxPositions);
    return Math.max(aligned(length), Math.min(positions, most));
  }

  /** Start of the first gap that is wide enough; null where there is none. */
  #free(positions: number): number | null {
    let start = 0;
    for (const place of this.#inOrder()) {
      if (place.start - start >= positions) return start;
      start = place.start + place.positions;
    }
    return this.#positions - start >= positions ? start : null;
  }

  /** Start of so many free places at the end of stores that were made anew. */
  #makeRoom(positions: number): number {
    let wanted = positions;
    for (const place of this.#held) wanted += place.positions;
    const spare = Math.min(aligned(wanted * SPARE), Math.max(wanted, this.#most));
    this.#rebuild(spare);
    return wanted - positions;
  }

  /** Stores of `total` positions, at whose beginning the contexts lie side by side. */
  #rebuild(total: number): void {
    const { ops, config } = this.#decoder;
    const places = this.#inOrder();
    let end = 0;
    const moves = places.map(({ start, positions }) => {
      const move = { from: start, to: end, count: positions };
      end += positions;
      return move;
    });
    const shape = { kvHeads: config.kvHeads, headDim: config.headDim, type: this.#type };
    for (let layer = 0; layer < config.layers; layer++) {
      const fresh = ops.keyStore({ ...shape, positions: total }, `keys of layer ${layer}`);
      const old = this.#stores[layer];
      if (old) {
        if (moves.length > 0) ops.copyKeys([old], moves, [fresh]);
        ops.free(old);
      }
      this.#stores[layer] = fresh;
    }
    for (const [i, place] of places.entries()) place.start = moves[i]?.to ?? place.start;
    this.#positions = total;
  }

  #inOrder(): Held[] {
    return [...this.#held].toSorted((a, b) => a.start - b.start);
  }
}
