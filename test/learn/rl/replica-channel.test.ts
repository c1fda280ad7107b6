import { describe, expect, it } from 'vitest';
import {
  connectReplica,
  RemoteReplica,
  serveReplica,
  type FromReplica,
  type ToReplica,
} from '../../../src/learn/replicas/replica-channel.ts';
import type { ReplicaClient } from '../../../src/learn/replicas/replica.ts';
import type { Channel } from '../../../src/policy/serving/messages.ts';

type Listener<T> = (event: MessageEvent<T>) => void;

/** Two ends of a channel that hand over in a later turn, as workers do. */
function ends(): [Channel<ToReplica, FromReplica>, Channel<FromReplica, ToReplica>] {
  const here = new Set<Listener<ToReplica>>();
  const there = new Set<Listener<FromReplica>>();
  const send =
    <T>(listeners: Set<Listener<T>>) =>
    (data: T): void =>
      void Promise.resolve().then(() => {
        for (const listener of listeners) listener({ data } as MessageEvent<T>);
      });
  return [
    {
      addEventListener: (_, listener) => void here.add(listener),
      removeEventListener: (_, listener) => void here.delete(listener),
      postMessage: send(there),
    },
    {
      addEventListener: (_, listener) => void there.add(listener),
      removeEventListener: (_, listener) => void there.delete(listener),
      postMessage: send(here),
    },
  ];
}

function replica(change: Partial<ReplicaClient> = {}): ReplicaClient & { calls: unknown[][] } {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, result: T) =>
    (...args: unknown[]): Promise<T> => {
      calls.push([name, ...args]);
      return Promise.resolve(result);
    };
  const scores = { logprobs: Float32Array.of(-1), entropies: Float32Array.of(2) };
  return {
    calls,
    maxTokens: 64,
    setAdapter: note('setAdapter', undefined),
    gradient: note('gradient', { gradient: Float32Array.of(3), items: [] }),
    score: note('score', [scores]),
    bytes: note('bytes', 77),
    close: note('close', undefined),
    ...change,
  };
}

async function connected(served: ReplicaClient): Promise<RemoteReplica> {
  const [far, near] = ends();
  const connecting = connectReplica(near);
  serveReplica(served, far);
  return connecting;
}

describe('a replica in a worker', () => {
  it('does what it is told, with what it is given, and gives back the results', async () => {
    const served = replica();
    const remote = await connected(served);
    expect(remote.maxTokens).toBe(64);
    await remote.setAdapter(3, Float32Array.of(1));
    expect(await remote.gradient([], 'likelihood')).toEqual({
      gradient: Float32Array.of(3),
      items: [],
    });
    expect(await remote.score([])).toHaveLength(1);
    expect(await remote.bytes()).toBe(77);
    await remote.close();
    expect(served.calls).toEqual([
      ['setAdapter', 3, Float32Array.of(1)],
      ['gradient', [], 'likelihood'],
      ['score', []],
      ['bytes'],
      ['close'],
    ]);
  });

  it('gives each call its own answer, in whatever order they come', async () => {
    const waiting: ((bytes: number) => void)[] = [];
    const remote = await connected(
      replica({ bytes: () => new Promise((resolve) => waiting.push(resolve)) }),
    );
    const both = Promise.all([remote.bytes(), remote.bytes()]);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.(2);
    waiting[0]?.(1);
    expect(await both).toEqual([1, 2]);
  });

  it('rejects a call that fails there with its message, and goes on', async () => {
    const remote = await connected(
      replica({ score: () => Promise.reject(new Error('out of memory')) }),
    );
    await expect(remote.score([])).rejects.toThrow('out of memory');
    expect(await remote.bytes()).toBe(77);
  });

  it('refuses an answer of another kind than was asked for', async () => {
    const remote = await connected(
      replica({
        score: () => Promise.resolve(3 as never),
        gradient: () => Promise.resolve([] as never),
      }),
    );
    await expect(remote.score([])).rejects.toThrow('did not answer with scores');
    await expect(remote.gradient([], 'likelihood')).rejects.toThrow(
      'did not answer with a gradient',
    );
  });

  it.each([[null], [7]])('refuses %j for a gradient', async (said) => {
    const remote = await connected(replica({ gradient: () => Promise.resolve(said as never) }));
    await expect(remote.gradient([], 'likelihood')).rejects.toThrow(
      'did not answer with a gradient',
    );
  });

  it('heeds only messages of its own: others may share the channel', async () => {
    const [far, near] = ends();
    const started: string[] = [];
    const connecting = connectReplica({ ...near, start: () => void started.push('near') });
    far.postMessage('a word' as never);
    far.postMessage({ type: 'ready' } as never);
    far.postMessage({ replica: 7, result: 1 });
    const served = replica();
    serveReplica(served, { ...far, start: () => void started.push('far') });
    const remote = await connecting;
    expect(started).toEqual(['near', 'far']);
    near.postMessage('a word' as never);
    near.postMessage({ type: 'dispose' } as never);
    far.postMessage('a word' as never);
    far.postMessage({ type: 'tokens' } as never);
    // A second start, and answers that nobody waits for.
    far.postMessage({ replica: 'ready', maxTokens: 1 });
    far.postMessage({ replica: 5, error: 'late' });
    expect(await remote.bytes()).toBe(77);
    expect(served.calls).toEqual([['bytes']]);
    expect(remote.maxTokens).toBe(64);
  });

  it('is connected once: what starts behind it later is another', async () => {
    const [far, near] = ends();
    let listeners = 0;
    const counted: typeof near = {
      ...near,
      addEventListener: (type, listener) => {
        listeners++;
        near.addEventListener(type, listener);
      },
      removeEventListener: (type, listener) => {
        listeners--;
        near.removeEventListener(type, listener);
      },
    };
    const connecting = connectReplica(counted);
    serveReplica(replica(), far);
    await connecting;
    // The replica's own, none that still waits for a start.
    expect(listeners).toBe(1);
  });

  it('that is lost is not asked again: neither to close nor for what it was asked', async () => {
    const served = replica();
    const remote = await connected(served);
    remote.lost(new Error('the worker is gone'));
    await remote.close();
    await expect(remote.bytes()).rejects.toThrow('the worker is gone');
    expect(served.calls).toEqual([]);
  });

  it('that is lost rejects what waits and what comes, and can still be closed', async () => {
    const remote = await connected(replica({ bytes: () => new Promise(() => undefined) }));
    const waiting = remote.bytes();
    remote.lost(new Error('the worker is gone'));
    remote.lost(new Error('again'));
    await expect(waiting).rejects.toThrow('the worker is gone');
    await expect(remote.score([])).rejects.toThrow('the worker is gone');
    await remote.close();
  });
});
