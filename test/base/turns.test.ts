import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sleep } from '../../src/base/sleep.ts';
import { createTurns } from '../../src/base/turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('sleep ends after its time, not before', async () => {
  let over = false;
  const slept = sleep(100).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(99);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await slept;
  expect(over).toBe(true);
});

it('sleep is ended by a signal with its reason, and leaves no timer', async () => {
  const stop = new AbortController();
  const slept = sleep(100, stop.signal);
  stop.abort(new Error('closed'));
  await expect(slept).rejects.toThrow('closed');
  expect(vi.getTimerCount()).toBe(0);
  await expect(sleep(100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
});

it('a turn is given only after a stretch of work', async () => {
  const turn = createTurns();
  await turn();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(31);
  const given = turn();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  await given;
  await turn();
  expect(vi.getTimerCount()).toBe(0);
});

it('a turn throws the reason of an abort, also of one that came while others had the turn', async () => {
  const stop = new AbortController();
  const turn = createTurns(stop.signal);
  vi.advanceTimersByTime(31);
  const given = expect(turn()).rejects.toThrow('stopped');
  stop.abort(new Error('stopped'));
  await vi.advanceTimersByTimeAsync(0);
  await given;
  await expect(turn()).rejects.toThrow('stopped');
});
