import type { PolicyConfig } from '../checkpoint/config.ts';
import { KvCache } from './kv-cache.ts';
import type { EngineSession } from './session.ts';
import { bucketOf } from './shapes.ts';

/** Steps in a row that a smaller cache must have been enough before it is made. */
const STEPS_BEFORE_COMPACTION = 24;

/** A cache whose slots are handed out to sessions; it grows in buckets. */
export class SlotTable {
  readonly #config: PolicyConfig;
  readonly #maxSlots: number;
  readonly #slotSizes: readonly number[];
  readonly #capacities: readonly number[];
  #cache: KvCache | null = null;
  #owners: (EngineSession | null)[] = [];
  /** Slots that were given back and not made blank since. */
  readonly #used = new Set<number>();
  #roomySteps = 0;

  constructor(
    config: PolicyConfig,
    maxSlots: number,
    sizes: { slots: readonly number[]; capacity: readonly number[] },
  ) {
    this.#slotSizes = sizes.slots;
    this.#capacities = sizes.capacity;
    this.#config = config;
    this.#maxSlots = maxSlots;
  }

  /** The cache; there is one as soon as a slot was handed out. */
  get cache(): KvCache {
    this.#cache ??= new KvCache(this.#config, this.#bucket(1), this.#capacityFor([]));
    return this.#cache;
  }

  sessions(): EngineSession[] {
    return this.#owners.filter((owner) => owner !== null);
  }

  get free(): number {
    return this.#maxSlots - this.sessions().length;
  }

  owns(session: EngineSession): boolean {
    return session.home !== null && session.home.cache === this.#cache;
  }

  /**
   * Moves sessions in, copying the keys and values they have elsewhere. Fresh ones get slots of zeros:
   * what lies in a slot beyond its context has no weight, but a NaN that another left there would
   * still spoil the sums.
   */
  admit(sessions: readonly EngineSession[]): void {
    const total = this.sessions().length + sessions.length;
    const bound = Math.max(this.#bucket(total), this.cache.slots);
    const places = sessions.map((session) => this.#place(session, bound));
    this.cache.grow(bound, this.#capacityFor(sessions));
    const moves = new Map<KvCache, { from: number; to: number }[]>();
    for (const [i, { home }] of sessions.entries()) {
      if (!home) continue;
      const pairs = moves.get(home.cache) ?? [];
      pairs.push({ from: home.slot, to: places[i]! });
      moves.set(home.cache, pairs);
    }
    for (const [source, pairs] of moves) this.cache.copyFrom(source, pairs);
    this.#blank(places.filter((_, i) => !sessions[i]!.home));
    for (const [i, session] of sessions.entries())
      session.home = { cache: this.cache, slot: places[i]! };
  }

  /** Gives a slot back. */
  remove(session: EngineSession): void {
    const slot = this.#owners.indexOf(session);
    if (slot < 0) return;
    this.#owners[slot] = null;
    this.#used.add(slot);
  }

  /** Zeros in those of the slots that others had before. */
  #blank(slots: readonly number[]): void {
    const left = slots.filter((slot) => this.#used.has(slot));
    if (left.length === 0) return;
    const zeros = new KvCache(this.#config, 1, this.cache.capacity);
    this.cache.copyFrom(
      zeros,
      left.map((to) => ({ from: 0, to })),
    );
    zeros.dispose();
    for (const slot of left) this.#used.delete(slot);
  }

  /** Writes everything that sessions of this table hold into the main store. */
  flush(sessions: readonly EngineSession[]): void {
    this.cache.grow(0, this.#capacityFor(sessions));
    this.cache.flush(
      sessions
        .filter((s) => s.cached > s.flushed)
        .map((s) => ({ slot: s.home!.slot, from: s.flushed, to: s.cached })),
    );
    for (const session of sessions) session.flushed = session.cached;
  }

  /**
   * Called before every step: moves to a smaller cache once one of half the slots or half the
   * capacity has been enough for a while, since a step costs what its cache could hold.
   */
  compact(): void {
    const sessions = this.sessions();
    const slots = this.#bucket(sessions.length);
    const needed = this.#capacityFor(sessions);
    const capacity = Math.min(needed, this.cache.capacity);
    const roomy = 2 * slots <= this.cache.slots || 2 * capacity <= this.cache.capacity;
    this.#roomySteps = roomy ? this.#roomySteps + 1 : 0;
    if (this.#roomySteps < STEPS_BEFORE_COMPACTION) return;
    this.#roomySteps = 0;
    const smaller = new KvCache(this.#config, slots, capacity);
    smaller.copyPrefix(
      this.cache,
      sessions.map((s, to) => ({ from: s.home!.slot, to })),
    );
    this.cache.dispose();
    this.#cache = smaller;
    this.#used.clear();
    this.#owners = [...sessions];
    for (const [slot, session] of sessions.entries()) session.home = { cache: smaller, slot };
  }

  /** Frees the device memory; only when no session is left. */
  dispose(): void {
    this.#cache?.dispose();
    this.#cache = null;
    this.#used.clear();
    this.#owners = [];
  }

  #bucket(count: number): number {
    return bucketOf(this.#slotSizes, count);
  }

  #capacityFor(sessions: readonly EngineSession[]): number {
    return bucketOf(this.#capacities, Math.max(1, ...sessions.map((session) => session.length)));
  }

  /** A free slot below `bound`, one that `copyFrom` fills fast if there is one. */
  #place(session: EngineSession, bound: number): number {
    while (this.#owners.length < bound) this.#owners.push(null);
    const period = session.home?.cache.slots ?? 1;
    const row = session.home?.slot ?? 0;
    let slot = this.#owners.findIndex((owner, i) => owner === null && i % period === row);
    if (slot < 0) slot = this.#owners.indexOf(null);
    this.#owners[slot] = session;
    return slot;
  }
}
