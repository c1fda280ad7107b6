import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TableTurns } from '../../../src/ui/evaluate/table/use-tables.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What asks again and again, an answer taking this many ms. */
const asker = (turns: TableTurns, took: number, every: number) => {
  const times: number[] = [];
  const begun = Date.now();
  const ask = async (): Promise<void> => {
    times.push(Date.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, took));
    turns.add(ask, Date.now() + every);
  };
  turns.add(ask, null);
  return times;
};

it('one table that fills is asked for by and by, a slow one so rarely that it takes a tenth of the time', async () => {
  const quick = asker(new TableTurns(), 40, 2500);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(quick.slice(0, 3)).toEqual([0, 2540, 5080]);
  const slow = asker(new TableTurns(), 12_000, 2500);
  await vi.advanceTimersByTimeAsync(360_000);
  expect(slow.slice(0, 3)).toEqual([0, 120_000, 240_000]);
});

it('many share that tenth, take turns, and never ask two at once', async () => {
  const turns = new TableTurns();
  const took = 1000;
  const all = Array.from({ length: 5 }, () => asker(turns, took, 2500));
  await vi.advanceTimersByTimeAsync(500_000);
  const times = all.flat().toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(took);
  // The first five are waited for, and are paid back.
  expect(times.slice(0, 5).map((time) => Math.round(time / 100) * 100)).toEqual([
    0, 1000, 2000, 3000, 4000,
  ]);
  expect((times.length * took) / 500_000).toBeLessThan(0.105);
  const counts = all.map(({ length }) => length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
});

it('what somebody waits for goes next, and what was taken back is not asked', async () => {
  const turns = new TableTurns();
  const asked: string[] = [];
  const say = (name: string) => async (): Promise<void> => {
    asked.push(name);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  };
  turns.add(say('first'), null);
  const back = turns.add(say('left'), 0);
  turns.add(say('later'), 0);
  await vi.advanceTimersByTimeAsync(500);
  turns.add(say('at once'), null);
  back();
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toEqual(['first', 'at once']);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toEqual(['first', 'at once', 'later']);
});
