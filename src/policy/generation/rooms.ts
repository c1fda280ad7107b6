import { MemoryError } from '../ops/faults.ts';
import type { ContextStore } from './context-store.ts';
import type { EngineSession } from './session.ts';

/** Room that a context gets beyond what it holds, so that it is not moved at once. */
const AHEAD = 32;

/**
 * Gives sessions room for what they hold and write next. Where there is no memory for one, it waits while
 * others may give theirs back: fewer contexts are worked on then. Where nobody does, one is refused.
 */
export class Rooms {
  readonly #contexts: ContextStore;
  readonly #maxPositions: number;
  readonly #patienceMs: number;
  /** Who was told that there is no memory, and how often places had been given back by then. */
  readonly #denied = new Map<EngineSession, { error: MemoryError; given: number }>();
  /** Since when nobody who has room continued. */
  #stalledAt: number | null = null;

  constructor(contexts: ContextStore, maxPositions: number, patienceMs: number) {
    this.#contexts = contexts;
    this.#maxPositions = maxPositions;
    this.#patienceMs = patienceMs;
  }

  /** Whether it waits for memory: it has no room for what it holds. */
  waits(session: EngineSession): boolean {
    return this.#denied.has(session) && session.length > (session.place?.positions ?? 0);
  }

  /** Whether there is work, all of which waits for memory. */
  allWait(active: ReadonlySet<EngineSession>): boolean {
    for (const session of active) if (!this.waits(session)) return false;
    return active.size > 0;
  }

  /** Room for its next tokens, if the device has the memory. */
  async give(session: EngineSession): Promise<void> {
    const length = Math.min(session.length + AHEAD, this.#maxPositions);
    const { place } = session;
    if (place && length <= place.positions) return;
    if (this.#denied.get(session)?.given === this.#contexts.given) return;
    this.#denied.delete(session);
    try {
      const wider = place
        ? await this.#contexts.widen(place, length, session.cached)
        : await this.#contexts.take(length);
      if (session.closed) this.#contexts.give(wider);
      else session.place = wider;
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      // Whoever closed meanwhile waits for nothing.
      if (!session.closed) this.#denied.set(session, { error, given: this.#contexts.given });
    }
  }

  /** Room for a copy of what a session holds. @throws MemoryError */
  async copy(parent: EngineSession, child: EngineSession): Promise<void> {
    if (!parent.place) return;
    try {
      const place = await this.#contexts.branch(parent.place, child.length + AHEAD, child.cached);
      if (child.closed) this.#contexts.give(place);
      else child.place = place;
    } catch (error) {
      throw error instanceof MemoryError ? this.#inWords(child, error) : error;
    }
  }

  /** It asks for nothing any more. */
  forget(session: EngineSession): void {
    this.#denied.delete(session);
  }

  /**
   * Who is refused now: the youngest of those that wait, where nobody who has room is at work, and nobody
   * gave any back for as long as `patienceMs` though others hold some.
   * @param active sessions with a request; @param open all there are
   */
  refused(
    active: ReadonlySet<EngineSession>,
    open: ReadonlySet<EngineSession>,
  ): { session: EngineSession; error: MemoryError } | null {
    if (!this.allWait(active)) {
      this.#stalledAt = null;
      return null;
    }
    const last = [...active].at(-1);
    const why = last && this.#denied.get(last);
    if (!last || !why) return null;
    const now = performance.now();
    this.#stalledAt ??= now;
    const others = [...open].some((one) => one !== last && one.place !== null);
    if (others && now - this.#stalledAt < this.#patienceMs) return null;
    this.#stalledAt = null;
    return { session: last, error: this.#inWords(last, why.error) };
  }

  #inWords({ length }: EngineSession, { message }: MemoryError): MemoryError {
    return new MemoryError(
      `policy: there is no memory for this context, of ${length} tokens so far, beside those that are open; they go on. ` +
        `Hold contexts in f16 or weights in int4, or ask for fewer rollouts at a time. (${message})`,
    );
  }
}
