import { describe, expect, it } from 'vitest';
import { SharedCalls } from '../../../../src/retrieval/engines/http/shared-call.ts';

/** Work that ends when it is told to. */
function work() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<string>((ok, fail) => {
    resolve = ok;
    reject = fail;
  });
  const started: AbortSignal[] = [];
  const run = (signal: AbortSignal): Promise<string> => {
    started.push(signal);
    return promise;
  };
  return { run, started, resolve, reject };
}

describe('equal calls at the same time', () => {
  it('are one: the second joins the first', async () => {
    const calls = new SharedCalls<string>();
    const { run, started, resolve } = work();
    const both = Promise.all([calls.run('a', run), calls.run('a', run)]);
    resolve('found');
    expect(await both).toEqual([
      { value: 'found', joined: false },
      { value: 'found', joined: true },
    ]);
    expect(started).toHaveLength(1);
  });

  it('are two where their keys differ, or where one has ended', async () => {
    const calls = new SharedCalls<string>();
    const { run, started, resolve } = work();
    const first = Promise.all([calls.run('a', run), calls.run('b', run)]);
    resolve('found');
    await first;
    expect((await calls.run('a', run)).joined).toBe(false);
    expect(started).toHaveLength(3);
  });

  it('go on for the others when one caller leaves, and stop with the last', async () => {
    const calls = new SharedCalls<string>();
    const { run, started } = work();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = calls.run('a', run, one.signal);
    const second = calls.run('a', run, two.signal);
    one.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect(started[0]?.aborted).toBe(false);
    two.abort(new Error('left too'));
    await expect(second).rejects.toThrow('left too');
    expect(started[0]?.aborted).toBe(true);
  });

  it('fail together, and the next one tries anew', async () => {
    const calls = new SharedCalls<string>();
    const { run, started, reject } = work();
    const both = [calls.run('a', run), calls.run('a', run)];
    reject(new Error('HTTP 500'));
    for (const call of both) await expect(call).rejects.toThrow('HTTP 500');
    await expect(calls.run('a', run)).rejects.toThrow('HTTP 500');
    expect(started).toHaveLength(2);
  });

  it('do not begin for a caller that has left', async () => {
    const { run, started } = work();
    const left = AbortSignal.abort(new Error('left'));
    await expect(new SharedCalls<string>().run('a', run, left)).rejects.toThrow('left');
    expect(started).toEqual([]);
  });
});
