import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WorkerLost } from '../../../src/lab/contract/failures.ts';
import { remoteLater, type TimeLimits } from '../../../src/lab/rpc/remote.ts';
import { transfer } from '../../../src/lab/rpc/wire.ts';
import { startWorker, workerOnDemand } from '../../../src/lab/rpc/worker.ts';
import { inProcessWorker, QueueLocks, type InProcessWorker } from './in-process.ts';

type Tell = (line: string) => unknown;

/** A host with private state, as real ones have. */
class Host {
  readonly #words: string[] = [];
  /** Weak, so that only what holds the callback for the host keeps it. */
  listener: WeakRef<Tell> | null = null;
  late: Tell = () => undefined;
  stopped: unknown = null;
  readonly inner = { twice: (n: number) => 2 * n };

  add(a: number, b: number): number {
    return a + b;
  }

  remember(word: string): string[] {
    this.#words.push(word);
    return this.#words;
  }

  fail(): void {
    const cause = new TypeError('no such shard', { cause: new Error('HTTP 404') });
    throw new RangeError('out of range', { cause });
  }

  refuse(): Promise<void> {
    return Promise.reject(new DOMException('not now', 'NotAllowedError'));
  }

  hang(): Promise<void> {
    return new Promise(() => undefined);
  }

  /** Ends when it is stopped, and says why it was. */
  search(query: string, signal?: AbortSignal): Promise<string> {
    if (!signal) return Promise.resolve(query);
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.stopped = signal.reason;
        reject(new Error('stopped'));
      });
    });
  }

  async count(to: number, onCount: Tell): Promise<number> {
    this.late = onCount;
    for (let i = 1; i <= to; i++) await onCount(String(i));
    return to;
  }

  async spell(ids: number[], decode: (id: number) => unknown): Promise<unknown[]> {
    return Promise.all(ids.map((id) => decode(id)));
  }

  listen(listener: Tell): void {
    this.listener = new WeakRef(listener);
  }

  take(buffer: ArrayBuffer): number {
    return buffer.byteLength;
  }

  give(length: number): Float64Array<ArrayBuffer> {
    const values = new Float64Array(length).fill(0.5);
    return transfer(values, [values.buffer]);
  }

  hold(port: MessagePort): void {
    port.postMessage('held');
  }

  uncloneable(): unknown {
    return { call: () => undefined };
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const running: InProcessWorker[] = [];
afterEach(() => {
  for (const worker of running.splice(0)) worker.close();
});

function start(
  options: { silent?: boolean; startMs?: number; limits?: TimeLimits<Host> } = {},
  host = new Host(),
) {
  const locks = new QueueLocks();
  const onLost = vi.fn();
  let life = '';
  const { silent, ...rest } = options;
  const { api, terminate } = startWorker<Host>({
    name: 'policy',
    locks,
    onLost,
    ...rest,
    create: (name) => {
      life = name;
      const worker = inProcessWorker(host, name, locks, silent ? { silent } : {});
      running.push(worker);
      return worker.worker;
    },
  });
  const fail = (message: string): void => running.at(-1)?.fail(message);
  const garble = (kind: 'call' | 'answer'): void => running.at(-1)?.garble(kind);
  return { host, api, terminate, onLost, fail, garble, die: () => locks.release(life) };
}

describe('a host in a worker', () => {
  it('is called as it is: private state, and hosts in its fields', async () => {
    const { api } = start();
    expect(await api.add(2, 3)).toBe(5);
    await api.remember('one');
    expect(await api.remember('two')).toEqual(['one', 'two']);
    expect(await api.inner.twice(21)).toBe(42);
  });

  it('is not a promise, so that it can be awaited and passed on', async () => {
    const { api } = start();
    expect(await (await Promise.resolve(api)).add(1, 1)).toBe(2);
  });

  it('may be there later: each call waits for it', async () => {
    const { api } = start();
    let there = (): void => undefined;
    const opened = new Promise<void>((resolve) => (there = resolve));
    const later = remoteLater(async () => {
      await opened;
      return api;
    });
    const sum = later.add(20, 22);
    const doubled = later.inner.twice(4);
    there();
    expect([await sum, await doubled]).toEqual([42, 8]);
    const never = remoteLater<Host>(() => Promise.reject(new Error('retrieval is not loaded')));
    await expect(never.add(1, 1)).rejects.toThrow('retrieval is not loaded');
  });

  it('says which method it lacks', async () => {
    const { api } = start();
    const { inner } = api as unknown as { inner: { thrice(): Promise<void> } };
    await expect(inner.thrice()).rejects.toThrow('there is no method inner.thrice');
  });
});

describe('errors', () => {
  it('cross with name, message and causes', async () => {
    const { api } = start();
    const error = await api.fail().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'RangeError',
      message: 'out of range',
      cause: { name: 'TypeError', message: 'no such shard', cause: { message: 'HTTP 404' } },
      stack: expect.stringContaining('worker.test.ts'),
    });
    await expect(api.refuse()).rejects.toMatchObject({
      name: 'NotAllowedError',
      message: 'not now',
    });
  });

  it('reject the call alone, where an argument or a result cannot be cloned', async () => {
    const { api } = start();
    const bad = { method: () => undefined } as unknown as number;
    await expect(api.add(bad, 1)).rejects.toThrow(/clone/);
    await expect(api.uncloneable()).rejects.toThrow(/serializable/);
    expect(await api.add(1, 1)).toBe(2);
  });
});

describe('the death of a worker', () => {
  it('rejects calls under way, and later ones', async () => {
    const { api, onLost, die } = start();
    await api.add(1, 1);
    const hanging = Promise.allSettled([api.hang(), api.inner.twice(1), api.hang()]);
    die();
    for (const call of await hanging)
      expect(call).toMatchObject({ reason: { message: 'The policy worker was lost: it ended' } });
    await expect(api.add(1, 1)).rejects.toBeInstanceOf(WorkerLost);
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('is notified when its script reports an error', async () => {
    const { api, onLost, fail } = start();
    const hanging = api.hang();
    fail('boom');
    await expect(hanging).rejects.toThrow('boom');
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['answer', 'its answer could not be read'],
    ['call', 'it could not read a call'],
  ] as const)(
    'is assumed when a message cannot be read (%s): no call waits for ever',
    async (kind, why) => {
      const { api, onLost, garble } = start();
      await api.add(1, 1);
      const hanging = Promise.allSettled([api.hang(), api.hang()]);
      garble(kind);
      for (const call of await hanging)
        expect(call).toMatchObject({ reason: { message: `The policy worker was lost: ${why}` } });
      await expect(api.add(1, 1)).rejects.toBeInstanceOf(WorkerLost);
      expect(onLost).toHaveBeenCalledTimes(1);
    },
  );

  it('cannot be noticed where locks are refused; its calls are answered all the same', async () => {
    const refused = { request: () => Promise.reject(new DOMException('', 'SecurityError')) };
    const { api } = startWorker<Host>({
      name: 'policy',
      locks: refused,
      onLost: () => undefined,
      startMs: 30,
      create: (life) => {
        const worker = inProcessWorker(new Host(), life, refused);
        running.push(worker);
        return worker.worker;
      },
    });
    expect(await api.add(1, 1)).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await api.add(2, 2)).toBe(4);
  });

  it('is assumed when it never says that it is alive', async () => {
    const { api, onLost } = start({ silent: true, startMs: 20 });
    await expect(api.hang()).rejects.toThrow('did not start');
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  it('is not reported when it was stopped on purpose', async () => {
    const { api, onLost, terminate } = start();
    const hanging = api.hang();
    terminate();
    await expect(hanging).rejects.toThrow('it was stopped');
    expect(onLost).not.toHaveBeenCalled();
  });

  it('lets the next call start another one, where it starts on demand', async () => {
    const locks = new QueueLocks();
    const lives: string[] = [];
    const api = workerOnDemand<Host>({
      name: 'rollouts',
      locks,
      create: (life) => {
        lives.push(life);
        const worker = inProcessWorker(new Host(), life, locks);
        running.push(worker);
        return worker.worker;
      },
    });
    expect(lives).toEqual([]);
    expect(await api.remember('one')).toEqual(['one']);
    const hanging = api.hang();
    locks.release(lives[0] ?? '');
    await expect(hanging).rejects.toBeInstanceOf(WorkerLost);
    expect(await api.remember('two')).toEqual(['two']);
    expect(new Set(lives).size).toBe(2);
  });
});

describe('a time limit', () => {
  it('gives up waiting for one call without losing the worker', async () => {
    const { api, onLost } = start({ limits: { hang: 10, inner: { twice: 10_000 } } });
    await expect(api.hang()).rejects.toThrow('the policy worker did not answer');
    expect(await api.inner.twice(2)).toBe(4);
    expect(onLost).not.toHaveBeenCalled();
  });

  it('stops the work where the host listens to a signal', async () => {
    const { api, host } = start({ limits: { search: 10 } });
    const { signal } = new AbortController();
    await expect(api.search('a', signal)).rejects.toThrow('did not answer');
    await expect
      .poll(() => host.stopped)
      .toMatchObject({ message: expect.stringMatching(/answer/) });
  });
});

describe('an abort', () => {
  it('crosses with its reason; the call rejects with that very reason', async () => {
    const { api, host } = start();
    const abort = new AbortController();
    const call = api.search('a', abort.signal);
    await api.add(1, 1);
    const reason = new DOMException('another was chosen', 'AbortError');
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect
      .poll(() => host.stopped)
      .toMatchObject({ name: 'AbortError', message: 'another was chosen' });
  });

  it('ends the call where the worker does not answer, and one that comes before the call', async () => {
    const { api, host } = start({ silent: true });
    const abort = new AbortController();
    const hanging = api.search('a', abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(hanging).rejects.toThrow('cancelled');
    await expect(api.search('b', abort.signal)).rejects.toThrow('cancelled');
    await expect.poll(() => host.stopped).toMatchObject({ message: 'cancelled' });
  });

  it('after the end of the call does nothing', async () => {
    const { api, host } = start();
    const abort = new AbortController();
    await expect(api.add(1, 1)).resolves.toBe(2);
    expect(await api.search('a')).toBe('a');
    abort.abort();
    expect(host.stopped).toBeNull();
  });
});

describe('callbacks', () => {
  it('are called in order while their call lasts, and give an answer', async () => {
    const { api } = start();
    const told: string[] = [];
    expect(await api.count(3, (line) => told.push(line))).toBe(3);
    expect(told).toEqual(['1', '2', '3']);
    expect(await api.spell([1, 2], (id) => `#${id}`)).toEqual(['#1', '#2']);
  });

  it('are silent once their call has ended', async () => {
    const { api, host } = start();
    const told: string[] = [];
    await api.count(1, (line) => told.push(line));
    expect(await host.late('late')).toBeUndefined();
    await api.add(1, 1);
    expect(told).toEqual(['1']);
  });

  it('of a subscription outlive garbage collection', async () => {
    const { api, host } = start();
    const told: string[] = [];
    await api.listen((line) => told.push(line));
    for (let round = 0; round < 3; round++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await host.listener?.deref()?.('still here');
    expect(told).toEqual(['still here']);
  });

  it('of a subscription end with the worker', async () => {
    const { api, host, terminate } = start();
    const told: string[] = [];
    await api.listen((line) => told.push(line));
    void host.listener?.deref()?.('one');
    await expect.poll(() => told).toEqual(['one']);
    terminate();
    void host.listener?.deref()?.('two');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told).toEqual(['one']);
  });
});

describe('what is moved', () => {
  it('is not copied: ports always, and what was marked', async () => {
    const { api } = start();
    const buffer = new ArrayBuffer(64);
    expect(await api.take(transfer(buffer, [buffer]))).toBe(64);
    expect(buffer.byteLength).toBe(0);
    const kept = new ArrayBuffer(8);
    expect(await api.take(kept)).toBe(8);
    expect(kept.byteLength).toBe(8);
    expect(await api.give(3)).toEqual(new Float64Array([0.5, 0.5, 0.5]));
    const { port1, port2 } = new MessageChannel();
    const message = new Promise((resolve) =>
      port1.addEventListener('message', ({ data }) => resolve(data), { once: true }),
    );
    port1.start();
    await api.hold(port2);
    expect(await message).toBe('held');
    port1.close();
  });
});
