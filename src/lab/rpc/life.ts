import type { Endpoint } from 'comlink';

/**
 * Tells when a worker has died. Comlink waits for ever for the answer of a dead worker, and the platform
 * does not say that one died. So a worker holds a lock as long as it lives; the lock is granted to its
 * owner when the worker is gone, however it went.
 */

/** What is used of a Worker; tests put a message port in its place. */
export interface WorkerLike extends Endpoint {
  terminate(): void;
}

/** What is used of `navigator.locks`. */
export interface Locks {
  request(name: string, granted: () => Promise<unknown>): Promise<unknown>;
}

/** `deaf`: the worker received a call that it cannot read, as where memory is short; nobody would answer it. */
interface LifeSign {
  life: 'alive' | 'deaf';
}

const isLifeSign = (data: unknown): data is LifeSign =>
  typeof data === 'object' &&
  data !== null &&
  'life' in data &&
  (data.life === 'alive' || data.life === 'deaf');

/** Called in a worker when its module is ready: takes the lock named `life`, then says so. */
export const announce = (
  life: string,
  locks: Locks,
  endpoint: Pick<WorkerLike, 'addEventListener'>,
  post: (sign: LifeSign) => void,
): void => {
  endpoint.addEventListener('messageerror', () => post({ life: 'deaf' }));
  const forever = () => {
    post({ life: 'alive' });
    return new Promise<never>(() => undefined);
  };
  // A browser that stores nothing may refuse locks: the worker lives, and its end cannot be noticed.
  locks.request(life, forever).catch(() => post({ life: 'alive' }));
};

let lives = 0;

/** A lock name for a worker that is about to be started; no other worker has it. */
export const newLife = (name: string): string =>
  `forage-${name}-${Date.now().toString(36)}-${++lives}`;

export interface WatchOptions {
  /** The name that the worker was started with, and announces itself by. */
  life: string;
  locks: Locks;
  /** Longest time until the worker announces itself, ms. */
  startMs?: number;
}

/**
 * Calls `onGone` once the worker is gone or did not start in time; also where it was ended on purpose.
 * To be called before others listen to the worker's messages: they do not see its life sign.
 * @returns stops waiting for the start
 */
export const watchLife = (
  worker: Pick<WorkerLike, 'addEventListener'>,
  { life, locks, startMs = 30_000 }: WatchOptions,
  onGone: (reason: string) => void,
): (() => void) => {
  const startTimer = setTimeout(() => onGone('it did not start'), startMs);
  worker.addEventListener('messageerror', () => onGone('its answer could not be read'));
  worker.addEventListener('message', (event: Event) => {
    if (!('data' in event) || !isLifeSign(event.data)) return;
    event.stopImmediatePropagation();
    clearTimeout(startTimer);
    if (event.data.life === 'deaf') return onGone('it could not read a call');
    // Granted only when the worker no longer holds it.
    locks.request(life, () => Promise.resolve(onGone('it ended'))).catch(() => undefined);
  });
  return () => clearTimeout(startTimer);
};
