import { proxy, wrap, type Endpoint } from 'comlink';
import {
  invoke,
  packError,
  subscribes,
  unpackError,
  withMarked,
  type Outcome,
  type Served,
} from './wire.ts';
import { errorOf } from '../../base/errors.ts';

/** The near end of a call: the host of a worker as an object whose methods return promises. */

/** Methods of a host, and of the hosts in its fields, as they are called from another thread. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Remote<T[K]>;
};

/** Longest time that the caller waits for a method, ms; a method that is not named may take any time. */
export type TimeLimits<T> = {
  readonly [K in keyof T]?: T[K] extends (...args: never) => unknown ? number : TimeLimits<T[K]>;
};

/** Makes a call: `path` leads from the host to the method. */
export type Invoke = (path: readonly string[], args: unknown[]) => Promise<unknown>;

/** An object that turns each method call into a call of `invoke`. */
export function remoteOver<T>(invoke: Invoke): Remote<T> {
  const at = (path: readonly string[]): object => {
    const fields = new Map<string, object>();
    return new Proxy(() => undefined, {
      get: (_, key) => {
        // A promise that resolves with a remote must not take it for another promise.
        if (typeof key === 'symbol' || key === 'then') return undefined;
        const field = fields.get(key) ?? at([...path, key]);
        fields.set(key, field);
        return field;
      },
      apply: (_target, _self, args: unknown[]) => invoke(path, args),
    });
  };
  return at([]) as unknown as Remote<T>;
}

/** A host that is there later: each call waits for it. */
export const remoteLater = <T extends object>(host: () => Promise<T>): Remote<T> =>
  remoteOver<T>(async (path, args) => invoke(await host(), path, args));

type Callback = (...args: unknown[]) => unknown;

interface Pending {
  fail: (error: Error) => void;
  /** Callbacks of the call: comlink drops one that is garbage collected. */
  callbacks: Set<unknown>;
}

/** One connection to a served host. */
export class Connection {
  readonly #name: string;
  readonly #far: ReturnType<typeof wrap<Served>>;
  readonly #pending = new Map<number, Pending>();
  readonly #subscribed = new Set<unknown>();
  #calls = 0;
  #ended: Error | null = null;

  /** @param name of the worker, for messages */
  constructor(endpoint: Endpoint, name: string) {
    this.#name = name;
    this.#far = wrap<Served>(endpoint);
  }

  /** Rejects all calls under way and all later ones. @returns false where it had ended before */
  end(reason: Error): boolean {
    if (this.#ended) return false;
    this.#ended = reason;
    for (const { fail } of this.#pending.values()) fail(reason);
    this.#subscribed.clear();
    return true;
  }

  /**
   * Calls the method at a path.
   * @throws what the host throws, with its name, message and cause; the reason of an AbortSignal among
   *   the arguments, at once; Error after `timeoutMs`; what the connection ended with
   */
  invoke(path: readonly string[], args: unknown[], timeoutMs?: number): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const at = args.findIndex((arg) => arg instanceof AbortSignal);
    const signal = args[at];
    if (!(signal instanceof AbortSignal)) return this.#call(path, args, null, timeoutMs);
    if (signal.aborted) return Promise.reject(errorOf(signal.reason));
    return this.#call(path, args, { at, signal }, timeoutMs);
  }

  #call(
    path: readonly string[],
    args: unknown[],
    stop: { at: number; signal: AbortSignal } | null,
    timeoutMs: number | undefined,
  ): Promise<unknown> {
    const call = ++this.#calls;
    const callbacks = new Set<unknown>();
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        if (!this.#pending.delete(call)) return;
        clearTimeout(timer);
        stop?.signal.removeEventListener('abort', onAbort);
        settle();
      };
      const fail = (error: Error): void => end(() => reject(error));
      /** Tells the host to stop without waiting for its answer. */
      const giveUp = (error: Error): void => {
        fail(error);
        this.#far.abort(call, packError(error)).catch(() => undefined);
      };
      const onAbort = (): void => giveUp(errorOf(stop?.signal.reason));
      stop?.signal.addEventListener('abort', onAbort, { once: true });
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(
              () => giveUp(new Error(`the ${this.#name} worker did not answer`)),
              timeoutMs,
            );
      this.#pending.set(call, { fail, callbacks });
      this.#send(call, path, args, stop?.at ?? null, callbacks).then(
        (outcome) => {
          if ('threw' in outcome) fail(unpackError(outcome.threw));
          else end(() => resolve(outcome.returned));
        },
        (error: unknown) => fail(errorOf(error)),
      );
    });
  }

  /** Asynchronous, so that an argument that cannot be cloned rejects the call. */
  async #send(
    call: number,
    path: readonly string[],
    args: unknown[],
    signal: number | null,
    callbacks: Set<unknown>,
  ): Promise<Outcome> {
    const lasts = subscribes(path);
    const sent = args.map((arg, at): unknown => {
      if (at === signal) return null;
      if (typeof arg === 'object' && arg !== null) return withMarked(arg, arg);
      if (typeof arg !== 'function') return arg;
      const shared = this.#shared(call, arg as Callback, lasts);
      (lasts ? this.#subscribed : callbacks).add(shared);
      return shared;
    });
    return this.#far.call({ call, path, signal }, ...sent);
  }

  /** A callback as the host gets it: silent once the call, or for a subscription the worker, has ended. */
  #shared(call: number, callback: Callback, lasts: boolean): Callback {
    return proxy((...args: unknown[]) => {
      const over = lasts ? this.#ended !== null : !this.#pending.has(call);
      return over ? undefined : callback(...args);
    });
  }
}
