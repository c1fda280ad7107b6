import { expose, releaseProxy, type Endpoint, type ProxyMethods } from 'comlink';
import { announce, type Locks } from './life.ts';
import {
  invoke,
  packError,
  subscribes,
  unpackError,
  withMarked,
  type CallHeader,
  type Outcome,
  type PackedError,
  type Served,
} from './wire.ts';

/** The far end of a call: a worker exposes its host as it is. */

type Callback = ((...args: unknown[]) => unknown) & Partial<ProxyMethods>;

/** A callback of the near end, held while the host may use it: comlink drops one that is garbage collected. */
class PinnedCallback {
  readonly #callback: Callback;
  #released = false;

  constructor(callback: Callback) {
    this.#callback = callback;
  }

  /** What the host is given. A near end that is gone is not a fault of the host's. */
  readonly call = (...args: unknown[]): Promise<unknown> => {
    if (this.#released) return Promise.resolve(undefined);
    const answer = Promise.resolve(this.#callback(...args));
    answer.catch(() => undefined);
    return answer;
  };

  release(): void {
    this.#released = true;
    this.#callback[releaseProxy]?.();
  }
}

class HostServer implements Served {
  readonly #host: object;
  readonly #running = new Map<number, AbortController>();
  readonly #subscriptions = new Set<PinnedCallback>();

  constructor(host: object) {
    this.#host = host;
  }

  async call(header: CallHeader, ...args: unknown[]): Promise<Outcome> {
    const abort = new AbortController();
    const callbacks: PinnedCallback[] = [];
    this.#running.set(header.call, abort);
    const hold = (callback: Callback): PinnedCallback['call'] => {
      const held = new PinnedCallback(callback);
      if (subscribes(header.path)) this.#subscriptions.add(held);
      else callbacks.push(held);
      return held.call;
    };
    const given = args.map((arg, at) => {
      if (at === header.signal) return abort.signal;
      return typeof arg === 'function' ? hold(arg as Callback) : arg;
    });
    try {
      const returned = await invoke(this.#host, header.path, given);
      return withMarked({ returned }, returned);
    } catch (error) {
      return { threw: packError(error) };
    } finally {
      this.#running.delete(header.call);
      for (const callback of callbacks) callback.release();
    }
  }

  abort(call: number, reason: PackedError): void {
    this.#running.get(call)?.abort(unpackError(reason));
  }
}

export interface ServeOptions {
  /** Where calls come from; the worker's own scope by default. */
  endpoint?: Endpoint;
  /** The name that the worker was started with. */
  life?: string;
  locks?: Locks;
}

/** Serves a host's methods, and those of the hosts in its fields, to the page or worker that started this one. */
export function serve(host: object, options: ServeOptions = {}): void {
  const { endpoint, life = self.name, locks = navigator.locks } = options;
  const server: Served = new HostServer(host);
  expose(server, endpoint);
  announce(life, locks, endpoint ?? self, (sign) =>
    endpoint ? endpoint.postMessage(sign) : postMessage(sign),
  );
}
