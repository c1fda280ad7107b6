import { MemoryError } from '../ops/faults.ts';
import type { ContextStore } from './context-store.ts';
import type { EngineSession } from './session.ts';

/** Extra positions allocated ahead, so that a context is not moved at every step. */
const AHEAD = 32;

/**
 * Admission control: grows a session's cache range. When memory is short, a session waits until others release theirs
 * (so fewer contexts run), and is refused when none does within `memoryWaitMs`.
 */
export class MemoryAdmission {
  readonly #contexts: ContextStore;
  readonly #maxPositions: number;
  readonly #memoryWaitMs: number;
  /** Sessions that were refused memory, with the release count at that time. */
  readonly #denied = new Map<EngineSession, { error: MemoryError; releases: number }>();
  /** Since when every active session has been waiting. */
  #stalledAt: number | null = null;

  constructor(contexts: ContextStore, maxPositions: number, memoryWaitMs: number) {
    this.#contexts = contexts;
    this.#maxPositions = maxPositions;
    this.#memoryWaitMs = memoryWaitMs;
  }

  /** Whether it waits for memory: its cache range is too short for its tokens. */
  isWaiting(session: EngineSession): boolean {
    return this.#denied.has(session) && session.length > (session.cacheRange?.positions ?? 0);
  }

  /** Whether there is work and all of it waits for memory. */
  allWait(active: ReadonlySet<EngineSession>): boolean {
    for (const session of active) if (!this.isWaiting(session)) return false;
    return active.size > 0;
  }

  /** Makes room for its next tokens, if the device has the memory. */
  async growRange(session: EngineSession): Promise<void> {
    const length = Math.min(session.length + AHEAD, this.#maxPositions);
    const { cacheRange: place } = session;
    if (place && length <= place.positions) return;
    if (this.#denied.get(session)?.releases === this.#contexts.releases) return;
    this.#denied.delete(session);
    try {
      const wider = place
        ? await this.#contexts.widen(place, length, session.cached)
        : await this.#contexts.allocate(length);
      if (session.closed) this.#contexts.release(wider);
      else session.cacheRange = wider;
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      // A session that closed meanwhile no longer waits.
      if (!session.closed) this.#denied.set(session, { error, releases: this.#contexts.releases });
    }
  }

  /** Copies a session's cache range to its fork. @throws MemoryError */
  async copyRange(parent: EngineSession, child: EngineSession): Promise<void> {
    if (!parent.cacheRange) return;
    try {
      const place = await this.#contexts.branch(
        parent.cacheRange,
        child.length + AHEAD,
        child.cached,
      );
      if (child.closed) this.#contexts.release(place);
      else child.cacheRange = place;
    } catch (error) {
      throw error instanceof MemoryError ? this.#toError(child, error) : error;
    }
  }

  /** It no longer needs memory. */
  forget(session: EngineSession): void {
    this.#denied.delete(session);
  }

  /**
   * The session to refuse now: the youngest that waits, if every active session waits and none released memory for
   * `memoryWaitMs` although idle sessions hold some.
   * @param active sessions with a request
   * @param open all sessions
   */
  nextRefused(
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
    const others = [...open].some((one) => one !== last && one.cacheRange !== null);
    if (others && now - this.#stalledAt < this.#memoryWaitMs) return null;
    this.#stalledAt = null;
    return { session: last, error: this.#toError(last, why.error) };
  }

  #toError({ length }: EngineSession, { message }: MemoryError): MemoryError {
    return new MemoryError(
      `policy: there is no memory for this context (${length} tokens so far) beside the open ones, which continue. ` +
        `Hold contexts in f16 or weights in int4, or ask for fewer rollouts at a time. (${message})`,
    );
  }
}
