import { messageOf } from '../../base/errors.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import { EngineFault } from '../engine-fault.ts';
import type { Decoder } from '../model/decoder.ts';
import { MemoryError } from '../ops/faults.ts';
import type { KvMove, KvCache, StoreType } from '../ops/values.ts';

/** Where a context's positions lie in every layer's store. It moves when stores grow. */
export interface CacheRange {
  readonly start: number;
  readonly positions: number;
}

interface Held extends CacheRange {
  start: number;
}

/** Contexts get room for a power of two of positions, at least this many. */
const LEAST = 64;
/** Ranges lie at multiples of it. */
export const ALIGNED = 8;
/** What stores that are full get beyond what is wanted of them. */
const SPARE = 1.125;

const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/** Places that a context of `length` positions gets: a power of two, but no more than a model has positions. */
function placesOf({ maxPositions }: Pick<PolicyConfig, 'maxPositions'>, length: number): number {
  let positions = LEAST;
  while (positions < length) positions *= 2;
  return Math.max(aligned(length), Math.min(positions, aligned(maxPositions)));
}

/**
 * A store per layer, for this many contexts of this many positions: what `ContextStore.reserve` comes to.
 * @throws MemoryError (a device may say so later)
 */
export function makeStores(
  { ops, config }: Decoder,
  type: StoreType,
  contexts: number,
  length: number,
): KvCache[] {
  const { kvHeads, headDim, layers } = config;
  const positions = contexts * placesOf(config, length);
  return Array.from({ length: layers }, (_, layer) =>
    ops.kvCache({ positions, kvHeads, headDim, type }, `keys of layer ${layer}`),
  );
}

/**
 * Keys and values of all contexts: one store per layer, in which a context has a range of places. Where no
 * range is free, the stores are made again, a layer at a time, with the contexts side by side. A device
 * that has no memory for that is asked before anything is moved; the stores stay as they are then.
 */
export class ContextStore {
  readonly #decoder: Decoder;
  readonly #type: StoreType;
  /** Positions of as many contexts as decode together. */
  readonly #most: number;
  #stores: KvCache[] = [];
  #positions = 0;
  /** How many there were when the stores were last given back. */
  #before = 0;
  /** Why what the stores hold is not to be read: layers disagree on where a context lies. */
  #lost: EngineFault | null = null;
  /** What moves the stores, or needs them where they are. */
  #busy: Promise<void> | null = null;
  readonly #held = new Set<Held>();
  /** How often places were given back: who was refused need not ask again before that. */
  releases = 0;

  constructor(decoder: Decoder, type: StoreType, contexts: number) {
    this.#decoder = decoder;
    this.#type = type;
    this.#most = contexts * aligned(decoder.config.maxPositions);
  }

  /** One a layer. @throws EngineFault where contexts were lost */
  get stores(): readonly KvCache[] {
    if (this.#lost) throw this.#lost;
    return this.#stores;
  }

  /** Runs a step, while which the stores stay what and where they are. */
  step(work: () => Promise<void>): Promise<void> {
    return this.#alone(work);
  }

  /** Room for a context of at least `length` positions. @throws MemoryError */
  allocate(length: number): Promise<CacheRange> {
    return this.#alone(() => this.#place(length));
  }

  /** A place that holds `length` positions, with the first `held` of them copied where it is another one. */
  async widen(place: CacheRange, length: number, held: number): Promise<CacheRange> {
    if (length <= place.positions) return place;
    const wider = await this.branch(place, length, held);
    this.release(place);
    return wider;
  }

  /** A second place that holds `length` positions, of which the first `held` are copied from another one. */
  branch(from: CacheRange, length: number, held: number): Promise<CacheRange> {
    return this.#alone(async () => {
      const place = await this.#place(length);
      if (held > 0) {
        const moves = [{ from: from.start, to: place.start, count: held }];
        this.#decoder.ops.copyKeys(this.stores, moves);
      }
      return place;
    });
  }

  release(place: CacheRange): void {
    for (const held of this.#held) if (held === place) this.#held.delete(held);
    this.releases++;
  }

  /** Makes the stores large enough for this many contexts of this many positions. @throws MemoryError */
  reserve(contexts: number, positions: number): Promise<void> {
    return this.#alone(async () => {
      const total = contexts * placesOf(this.#decoder.config, positions);
      if (total > this.#positions) await this.#rebuild(total);
    });
  }

  /** Frees the memory; only when no context has a place. */
  clear(): void {
    if (this.#stores.length > 0) this.#decoder.ops.free(...this.#stores);
    this.#stores = [];
    this.#before = this.#positions;
    this.#positions = 0;
    this.releases++;
  }

  /** One at a time, in the order of the calls. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy) await this.#busy;
    const mine = work();
    const over = (): void => void (this.#busy = null);
    this.#busy = mine.then(over, over);
    return mine;
  }

  async #place(length: number): Promise<CacheRange> {
    const positions = placesOf(this.#decoder.config, length);
    const start = this.#free(positions) ?? (await this.#makeRoom(positions));
    const place = { start, positions };
    this.#held.add(place);
    this.#decoder.reach(positions);
    return place;
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

  /** Start of this many free places at the end of stores that were made again. */
  async #makeRoom(positions: number): Promise<number> {
    if (this.#positions === 0 && (await this.#asBefore(positions))) return 0;
    let wanted = positions;
    for (const place of this.#held) wanted += place.positions;
    const spare = aligned(wanted * SPARE);
    // More contexts than decode together may be open, forks and those that wait for a search.
    await this.#rebuild(wanted <= this.#most ? Math.min(spare, this.#most) : spare);
    return wanted - positions;
  }

  /**
   * Makes stores as large as the last ones were, where that is enough and the device has the memory: a batch of rollouts
   * mostly comes to what the one before it came to, and growing there again copies every context several times.
   */
  async #asBefore(positions: number): Promise<boolean> {
    const before = this.#before;
    this.#before = 0;
    if (before < positions) return false;
    try {
      await this.#rebuild(before);
      return true;
    } catch (error) {
      if (error instanceof MemoryError) return false;
      throw error;
    }
  }

  /**
   * Stores of `total` positions, at whose beginning the contexts lie side by side. Where a layer's store
   * cannot be made, the layers before it get their old stores back, so that every place is where it was.
   * @throws MemoryError
   */
  async #rebuild(total: number): Promise<void> {
    if (this.#positions > 0) await this.#check(total);
    const places = this.#inOrder();
    let end = 0;
    const moves = places.map(({ start, positions }) => {
      const move = { from: start, to: end, count: positions };
      end += positions;
      return move;
    });
    const { layers } = this.#decoder.config;
    let layer = 0;
    try {
      for (; layer < layers; layer++) await this.#remake(layer, total, moves);
    } catch (error) {
      await this.#undo(layer, moves, error);
      throw error;
    }
    for (const [i, place] of places.entries()) place.start = moves[i]?.to ?? place.start;
    this.#positions = total;
  }

  /**
   * Asks the device for all that growth to `total` positions takes beyond what is held: what each layer gets,
   * and, while the last one is copied, its old store.
   * @throws MemoryError
   */
  async #check(total: number): Promise<void> {
    const { ops, config } = this.#decoder;
    if (!ops.attempt) return;
    const beyond = total - this.#positions;
    const probes =
      beyond > 0 ? [...Array<number>(config.layers).fill(beyond), this.#positions] : [total];
    ops.free(...(await ops.attempt(() => probes.map((positions) => this.#made(positions)))));
    await ops.settled();
  }

  #made(positions: number, label = 'contexts'): KvCache {
    const { ops, config } = this.#decoder;
    const { kvHeads, headDim } = config;
    return ops.kvCache({ positions, kvHeads, headDim, type: this.#type }, label);
  }

  /** A new store for a layer, with `moves` copied out of its old one. */
  async #remake(layer: number, positions: number, moves: readonly KvMove[]): Promise<void> {
    const { ops } = this.#decoder;
    const make = (): KvCache => this.#made(positions, `keys of layer ${layer}`);
    const fresh = ops.attempt ? await ops.attempt(make) : make();
    const old = this.#stores[layer];
    this.#stores[layer] = fresh;
    if (!old) return;
    if (moves.length > 0) ops.copyKeys([old], moves, [fresh]);
    ops.free(old);
    // It is there until its copy is done: one layer has two stores at a time.
    await ops.settled();
  }

  /** Gives the first `layers` layers stores of the old size, with the contexts where they were. */
  async #undo(layers: number, moves: readonly KvMove[], reason: unknown): Promise<void> {
    if (this.#positions === 0) return this.clear();
    const back = moves.map(({ from, to, count }) => ({ from: to, to: from, count }));
    try {
      for (let layer = 0; layer < layers; layer++) await this.#remake(layer, this.#positions, back);
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
