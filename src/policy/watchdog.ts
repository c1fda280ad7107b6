/**
 * Tells a policy that is stuck from one that is slow: while a call is under way, its worker gives a sign
 * of work now and then, also before the first token. Without one for long, the worker is taken for stuck.
 */

/** What a policy is doing. A kernel that is made for the first time may keep a GPU busy for minutes. */
export type Work = 'compiling' | 'computing';

/** Longest time without a sign, in milliseconds, by what was being done. */
export type Patience = Readonly<Record<Work, number>>;

export const PATIENCE: Patience = { compiling: 15 * 60_000, computing: 3 * 60_000 };

/** A worker that lives, but has given no sign of work for longer than any step should take. */
export class PolicyStuck extends Error {
  override readonly name = 'PolicyStuck';

  constructor(work: Work, silentMs: number) {
    const silent =
      silentMs >= 60_000
        ? `${Math.round(silentMs / 60_000)} minutes`
        : `${Math.round(silentMs / 1000)} s`;
    super(
      `policy: it made no progress for ${silent} while ${work === 'compiling' ? 'compiling kernels' : 'generating'}. ` +
        'If that happens again, choose the CPU, fewer rollouts at a time or a smaller model',
    );
  }
}

/** How often it looks, at least this many times within its patience. */
const LOOKS = 8;
const MOST_BETWEEN_MS = 5000;

/** Watches as long as anything is awaited; told of every sign. */
export class Watchdog {
  readonly #patience: Patience;
  readonly #onStuck: (error: PolicyStuck) => void;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;
  /** Nothing was made yet when the first call is sent. */
  #work: Work = 'compiling';
  #silentMs = 0;
  #looked = 0;

  constructor(patience: Patience, onStuck: (error: PolicyStuck) => void) {
    this.#patience = patience;
    this.#onStuck = onStuck;
    const shortest = Math.min(patience.compiling, patience.computing);
    this.#everyMs = Math.min(MOST_BETWEEN_MS, shortest / LOOKS);
  }

  /** @param awaited whether a call is under way */
  watch(awaited: boolean): void {
    if (awaited === (this.#timer !== null)) return;
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    this.#silentMs = 0;
    this.#looked = performance.now();
    this.#timer = setInterval(() => this.#look(), this.#everyMs);
  }

  sign(work: Work = this.#work): void {
    this.#work = work;
    this.#silentMs = 0;
  }

  #look(): void {
    const now = performance.now();
    // A machine that slept, or a page that was held, counts one look, not the hours between two.
    this.#silentMs += Math.min(now - this.#looked, 2 * this.#everyMs);
    this.#looked = now;
    if (this.#silentMs < this.#patience[this.#work]) return;
    this.watch(false);
    this.#onStuck(new PolicyStuck(this.#work, this.#silentMs));
  }
}
