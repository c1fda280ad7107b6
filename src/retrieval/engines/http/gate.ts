import { reasonOf } from '../../../base/errors.ts';

/** Politeness towards one host: how many calls at once, how far apart, and when it asked for rest. */

export interface GateLimits {
  /** Calls under way at once. */
  concurrency: number;
  /** Least milliseconds between the starts of two calls. */
  intervalMs: number;
}

export interface GateClock {
  /** Milliseconds, monotonic. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

interface Waiter {
  admit: () => void;
}

export class HostGate {
  readonly #limits: GateLimits;
  readonly #clock: GateClock;
  readonly #waiting: Waiter[] = [];
  #busy = 0;
  #nextStart = -Infinity;
  #restUntil = -Infinity;

  constructor(limits: GateLimits, clock: GateClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The host asked for rest (`Retry-After`): no call starts for `ms` milliseconds. */
  rest(ms: number): void {
    this.#restUntil = Math.max(this.#restUntil, this.#clock.now() + ms);
  }

  /**
   * Waits for a turn, first come first served.
   * @returns what must be called once when the call is over
   * @throws the signal's reason
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    await this.#slot(signal);
    try {
      await this.#turn(signal);
    } catch (error) {
      this.#leave();
      throw error;
    }
    return () => this.#leave();
  }

  async #slot(signal?: AbortSignal): Promise<void> {
    if (this.#busy < this.#limits.concurrency) {
      this.#busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reasonOf(signal));
      };
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /** The place of a call that ended goes to the next waiter without becoming free in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.admit();
    else this.#busy -= 1;
  }

  async #turn(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      const start = Math.max(this.#nextStart, this.#restUntil);
      if (start <= now) {
        this.#nextStart = now + this.#limits.intervalMs;
        return;
      }
      await this.#clock.sleep(start - now, signal);
    }
  }
}

/** One gate a host, shared by every source that is given the same object. */
export class HostGates {
  readonly #gates = new Map<string, HostGate>();
  readonly #limits: GateLimits;
  readonly #clock: GateClock;

  constructor(limits: GateLimits, clock: GateClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  of(url: string): HostGate {
    const { host } = new URL(url);
    const known = this.#gates.get(host);
    if (known) return known;
    const gate = new HostGate(this.#limits, this.#clock);
    this.#gates.set(host, gate);
    return gate;
  }
}
