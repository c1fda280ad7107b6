import { wrap, type Endpoint, type Remote } from 'comlink';
import { WorkerLost } from './failures.ts';

/**
 * A worker whose death is noticed. Comlink waits for ever for an answer of a worker that died; here
 * every call ends with `WorkerLost` when the worker reports an error, misses its start, or ends: it
 * holds a lock as long as it lives, and the lock is granted to us when it does not.
 */

/** What is used of a Worker; tests stand a message port in its place. */
export interface WorkerLike extends Endpoint {
  terminate(): void;
}

/** What is used of navigator.locks. */
export interface Locks {
  request(name: string, granted: () => Promise<unknown>): Promise<unknown>;
}

export interface SupervisedWorker<T> {
  /**
   * Calls the worker. Rejects with what the worker throws, with `WorkerLost` when it is gone, or
   * after `timeoutMs` where that is given.
   */
  call<R>(use: (api: Remote<T>) => Promise<R>, timeoutMs?: number): Promise<R>;
  /** Ends the worker on purpose; calls under way reject, `onLost` is not called. */
  terminate: () => void;
}

export interface SuperviseOptions {
  /** In the words of the user: "policy", "retrieval", "lab". */
  name: string;
  /** Starts the worker; it must call `announce` with this life name. */
  create: (life: string) => WorkerLike;
  locks: Locks;
  /** Told once, when the worker ended without being asked to. */
  onLost: (error: WorkerLost) => void;
  /** Longest time until the worker is alive. */
  startMs?: number;
}

const ALIVE = 'alive';

interface LifeSign {
  life: typeof ALIVE;
}

const isLifeSign = (data: unknown): data is LifeSign =>
  typeof data === 'object' && data !== null && 'life' in data && data.life === ALIVE;

/** Called by a worker when its module is ready: takes the lock of its life, then says so. */
export const announce = (life: string, locks: Locks, say: (sign: LifeSign) => void): void => {
  const forever = () => {
    say({ life: ALIVE });
    return new Promise<never>(() => undefined);
  };
  locks.request(life, forever).catch(() => undefined);
};

let lives = 0;

/** A name for the life of a worker that is about to be started; no other life has it. */
export const newLife = (name: string): string =>
  `forage-${name}-${Date.now().toString(36)}-${++lives}`;

export interface WatchOptions {
  /** Name that the worker was started under; it must call `announce` with it. */
  life: string;
  locks: Locks;
  /** Longest time until the worker is alive. */
  startMs?: number;
}

/**
 * Tells when a worker is gone however it ended, on purpose included. The sign of its life goes to
 * nobody else: to be called before others listen to the worker's messages.
 * @returns how to stop waiting for its start
 */
export const watchLife = (
  worker: Pick<WorkerLike, 'addEventListener' | 'removeEventListener'>,
  { life, locks, startMs = 30_000 }: WatchOptions,
  onGone: (reason: string) => void,
): (() => void) => {
  const startTimer = setTimeout(() => onGone('it did not start'), startMs);
  const onMessage = (event: Event) => {
    if (!('data' in event) || !isLifeSign(event.data)) return;
    event.stopImmediatePropagation();
    clearTimeout(startTimer);
    worker.removeEventListener('message', onMessage);
    // Granted only when the worker no longer holds it.
    locks.request(life, () => Promise.resolve(onGone('it ended'))).catch(() => undefined);
  };
  worker.addEventListener('message', onMessage);
  return () => clearTimeout(startTimer);
};

export const supervise = <T>(options: SuperviseOptions): SupervisedWorker<T> => {
  const { name, locks, startMs } = options;
  const life = newLife(name);
  const worker = options.create(life);
  const api = wrap<T>(worker);
  let ended: Error | null = null;
  const waiting = new Set<(error: Error) => void>();

  const end = (error: Error) => {
    if (ended) return false;
    ended = error;
    started();
    worker.terminate();
    for (const reject of waiting) reject(error);
    waiting.clear();
    return true;
  };
  const lose = (reason: string) => {
    const error = new WorkerLost(name, reason);
    if (end(error)) options.onLost(error);
  };
  const started = watchLife(
    worker,
    { life, locks, ...(startMs !== undefined && { startMs }) },
    lose,
  );

  worker.addEventListener('error', (event) => {
    // Else it would go on to our own owner, who would take us for lost.
    event.preventDefault();
    const message = 'message' in event && typeof event.message === 'string' ? event.message : '';
    lose(message || 'its script could not be loaded');
  });
  const call = <R>(use: (api: Remote<T>) => Promise<R>, timeoutMs?: number): Promise<R> =>
    new Promise<R>((resolve, reject) => {
      if (ended) return reject(ended);
      const fail = (error: unknown) => {
        waiting.delete(fail);
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => fail(new Error(`the ${name} worker did not answer`)), timeoutMs);
      waiting.add(fail);
      use(api).then((value) => {
        waiting.delete(fail);
        clearTimeout(timer);
        resolve(value);
      }, fail);
    });

  return { call, terminate: () => void end(new WorkerLost(name, 'it was stopped')) };
};
