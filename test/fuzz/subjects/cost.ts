import { expect } from 'vitest';

/** What work costs, said so that neither a slow nor a busy machine fails a test. */

/** Processor time of this process in milliseconds: a busy machine adds little to it. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const TRIES = 3;

async function costOf(work: () => unknown): Promise<number> {
  const start = cpuMs();
  await work();
  return cpuMs() - start;
}

/** Least processor time of a few tries, in milliseconds: other threads and the collector are not the work's. */
export async function leastCpuMs(work: () => unknown, enough: number): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < TRIES && least > enough; i++) least = Math.min(least, await costOf(work));
  return least;
}

/** Below this a ratio of two times says nothing. */
const SOON_MS = 100;
const TIMES = 8;
const WORST = 3 * TIMES;

/**
 * Asserts that work grows with its size, not with the square of it: work of 8 times the size takes about 8 times as
 * long, 64 times where it is quadratic. 24 is refused.
 */
export async function expectLinear(
  work: (size: number) => unknown,
  size: number,
  name: string,
): Promise<void> {
  let [whole, part] = [Infinity, Infinity];
  for (let i = 0; i < TRIES && whole > SOON_MS && !(whole < WORST * part); i++) {
    whole = Math.min(whole, await costOf(() => work(size)));
    part = Math.min(part, await costOf(() => work(size / TIMES)));
  }
  if (whole > SOON_MS) expect(whole / part, `${name}: ${part} ms, ${whole} ms`).toBeLessThan(WORST);
}
