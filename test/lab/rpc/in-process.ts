import { serve } from '../../../src/lab/rpc/serve.ts';
import type { Locks, WorkerLike } from '../../../src/lab/rpc/life.ts';

/** A worker in this thread: its host is served over a real message channel. */

/** Locks as the platform grants them: one holder a name, the next in line when it lets go. */
export class QueueLocks implements Locks {
  readonly #held = new Map<string, (() => void)[]>();

  async request(name: string, granted: () => Promise<unknown>): Promise<unknown> {
    const waiting = this.#held.get(name);
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.#held.set(name, []);
    return granted();
  }

  /** What the platform does when the holder dies. */
  release(name: string): void {
    this.#held.get(name)?.shift()?.();
  }
}

export interface InProcessWorker {
  worker: WorkerLike;
  /** Reports an error of its script, as the platform does. */
  fail: (message: string) => void;
  /** A message of that kind arrives and cannot be read, as where memory is short. */
  garble: (kind: 'call' | 'answer') => void;
  close: () => void;
}

/** @param silent never says that it is alive */
export function inProcessWorker(
  host: object,
  life: string,
  locks: Locks,
  { silent = false }: { silent?: boolean } = {},
): InProcessWorker {
  const { port1, port2 } = new MessageChannel();
  const errors = new EventTarget();
  const never: Locks = { request: () => new Promise(() => undefined) };
  serve(host, { endpoint: port2, life, locks: silent ? never : locks });
  port1.start();
  const listenersOf = (type: string): EventTarget => (type === 'error' ? errors : port1);
  return {
    worker: {
      postMessage: (message, transfer) => port1.postMessage(message, transfer ?? []),
      addEventListener: (type, listener) => listenersOf(type).addEventListener(type, listener),
      removeEventListener: (type, listener) =>
        listenersOf(type).removeEventListener(type, listener),
      terminate: () => port2.close(),
    },
    fail: (message) => void errors.dispatchEvent(Object.assign(new Event('error'), { message })),
    garble: (kind) =>
      void (kind === 'call' ? port2 : port1).dispatchEvent(new Event('messageerror')),
    close: () => {
      port1.close();
      port2.close();
    },
  };
}
