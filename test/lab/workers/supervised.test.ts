import { expose } from 'comlink';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WorkerLost } from '../../../src/lab/workers/failures.ts';
import { announce, supervise, type Locks } from '../../../src/lab/workers/supervised.ts';

/** Locks as the platform grants them: one holder a name, the next in line when it lets go. */
class FakeLocks implements Locks {
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

interface Api {
  add(a: number, b: number): number;
  fail(): void;
  hang(): Promise<void>;
}

const api: Api = {
  add: (a, b) => a + b,
  fail: () => {
    throw new RangeError('out of range');
  },
  hang: () => new Promise(() => undefined),
};

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

const start = (options: { silent?: boolean; startMs?: number } = {}) => {
  const locks = new FakeLocks();
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  const errors = new EventTarget();
  let life = '';
  const onLost = vi.fn();
  const worker = supervise<Api>({
    name: 'policy',
    locks,
    onLost,
    startMs: options.startMs ?? 30_000,
    create: (name) => {
      life = name;
      expose(api, port2);
      port1.start();
      if (!options.silent) announce(name, locks, (sign) => port2.postMessage(sign));
      return {
        postMessage: (message, transfer) => port1.postMessage(message, transfer ?? []),
        addEventListener: (type, listener) =>
          (type === 'error' ? errors : port1).addEventListener(type, listener),
        removeEventListener: (type, listener) =>
          (type === 'error' ? errors : port1).removeEventListener(type, listener),
        terminate: () => port2.close(),
      };
    },
  });
  return { worker, onLost, die: () => locks.release(life), errors };
};

describe('a supervised worker', () => {
  it('answers calls and hands on what the worker throws', async () => {
    const { worker } = start();
    expect(await worker.call((remote) => remote.add(2, 3))).toBe(5);
    await expect(worker.call((remote) => remote.fail())).rejects.toThrow('out of range');
    worker.terminate();
  });

  it('rejects calls under way, and later ones, when the worker dies silently', async () => {
    const { worker, onLost, die } = start();
    await worker.call((remote) => remote.add(1, 1));
    const hanging = worker.call((remote) => remote.hang());
    die();
    await expect(hanging).rejects.toThrow('The policy worker was lost');
    await expect(worker.call((remote) => remote.add(1, 1))).rejects.toBeInstanceOf(WorkerLost);
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('is lost when its script reports an error', async () => {
    const { worker, onLost, errors } = start();
    const hanging = worker.call((remote) => remote.hang());
    errors.dispatchEvent(Object.assign(new Event('error'), { message: 'boom' }));
    await expect(hanging).rejects.toThrow('boom');
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('is lost when it never says that it is alive', async () => {
    const { worker, onLost } = start({ silent: true, startMs: 20 });
    await expect(worker.call((remote) => remote.hang())).rejects.toThrow('did not start');
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('gives up waiting for one call without losing the worker', async () => {
    const { worker, onLost } = start();
    await expect(worker.call((remote) => remote.hang(), 10)).rejects.toThrow('did not answer');
    expect(await worker.call((remote) => remote.add(1, 2))).toBe(3);
    expect(onLost).not.toHaveBeenCalled();
    worker.terminate();
  });

  it('does not report a worker that was stopped on purpose', async () => {
    const { worker, onLost } = start();
    const hanging = worker.call((remote) => remote.hang());
    worker.terminate();
    await expect(hanging).rejects.toThrow('it was stopped');
    expect(onLost).not.toHaveBeenCalled();
  });
});
