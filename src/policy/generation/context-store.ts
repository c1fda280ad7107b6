import { messageOf } from '../../base/errors.ts';
import { EngineFault } from '../engine-fault.ts';
import type { Decoder } from '../model/decoder.ts';
import type { KeyMove, KeyStore, StoreType } from '../ops/values.ts';

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
const SPARE = 1.125;

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
  /** Why what the stores hold is not to be read: layers disagree on where a context lies. */
  #lost: EngineFault | null = null;
  readonly #held = new Set<Held>();

  constructor(decoder: Decoder, type: StoreType, contexts: number) {
    this.#decoder = decoder;
    this.#type = type;
    this.#most = contexts * aligned(decoder.config.maxPositions);
  }

  /** One a layer. @throws EngineFault where contexts were lost */
  get stores(): readonly KeyStore[] {
    if (this.#lost) throw this.#lost;
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
    this.#decoder.ops.copyKeys(this.stores, [{ from: from.start, to: to.start, count }]);
  }

  give(place: Place): void {
    for (const held of this.#held) if (held === place) this.#held.delete(held);
  }

  /** Makes the stores large enough for so many contexts of so many positions. @throws MemoryError */
  reserve(contexts: number, positions: number): void {
    const total = contexts * this.#roomFor(positions);
    if (total > this.#positions) this.#rebuild(total);
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

  /**
   * Stores of `total` positions, at whose beginning the contexts lie side by side. Where a layer's store
   * cannot be made, the layers before it get their old stores back, so that every place is where it was.
   * @throws MemoryError
   */
  #rebuild(total: number): void {
    const places = this.#inOrder();
    let end = 0;
    const moves = places.map(({ start, positions }) => {
      const move = { from: start, to: end, count: positions };
      end += positions;
      return move;
    });
    const layers = this.#decoder.config.layers;
    let layer = 0;
    try {
      for (; layer < layers; layer++) this.#remake(layer, total, moves);
    } catch (error) {
      this.#undo(layer, moves, error);
      throw error;
    }
    for (const [i, place] of places.entries()) place.start = moves[i]?.to ?? place.start;
    this.#positions = total;
  }

  /** A new store for a layer, with `moves` copied out of its old one. */
  #remake(layer: number, positions: number, moves: readonly KeyMove[]): void {
    const { ops, config } = this.#decoder;
    const shape = { kvHeads: config.kvHeads, headDim: config.headDim, type: this.#type };
    const fresh = ops.keyStore({ ...shape, positions }, `keys of layer ${layer}`);
    const old = this.#stores[layer];
    if (old) {
      if (moves.length > 0) ops.copyKeys([old], moves, [fresh]);
      ops.free(old);
      // It is there until its copy was handed over: one layer has two stores at a time.
      ops.submit();
    }
    this.#stores[layer] = fresh;
  }

  /** Gives the first `layers` layers stores of the old size, with the contexts where they were. */
  #undo(layers: number, moves: readonly KeyMove[], reason: unknown): void {
    if (this.#positions === 0) return this.clear();
    const back = moves.map(({ from, to, count }) => ({ from: to, to: from, count }));
    try {
      for (let layer = 0; layer < layers; layer++) this.#remake(layer, this.#positions, back);
    } catch {
      this.#lost = new EngineFault(
        `policy: contexts were lost when they grew (${messageOf(reason)}); load the policy again, for fewer rollouts at a time or a smaller model`,
      );
      throw this.#lost;
    }
  }

  #inOrder(): Held[] {
    return [...this.#held].toSorted((a, b) => a.start - b.start);
  }
}
