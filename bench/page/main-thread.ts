import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';

/** Events of Chromium's trace; durations are microseconds, `tdur` is the thread's own time. */
const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

/** Tasks of the page's main thread. On a busy machine the clock also counts what other programs took. */
export interface MainThread {
  tasks: number;
  /** Milliseconds of the longest task: the thread's own time, and by the clock. */
  longestOwnMs: number;
  longestWallMs: number;
  /** Tasks over 50 ms, by either measure. */
  overLimitOwn: number;
  overLimitWall: number;
  /** Milliseconds of all tasks, the thread's own time. */
  totalOwnMs: number;
}

export const LIMIT_MS = 50;

const tasksOf = (trace: Buffer): { own: number; wall: number }[] => {
  const { traceEvents } = traceSchema.parse(JSON.parse(trace.toString()));
  const isMain = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && isMain.has(`${pid}/${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ own: tdur / 1000, wall: dur / 1000 }));
};

const longest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

/** Traces the page's main thread while `work` runs. @throws Error where the trace holds no task */
export async function traceMainThread(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<MainThread> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline'],
  });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const tasks = tasksOf(trace);
  if (tasks.length === 0) throw new Error('The trace holds no task of the main thread.');
  const own = tasks.map((task) => task.own);
  const wall = tasks.map((task) => task.wall);
  return {
    tasks: tasks.length,
    longestOwnMs: longest(own),
    longestWallMs: longest(wall),
    overLimitOwn: own.filter((ms) => ms > LIMIT_MS).length,
    overLimitWall: wall.filter((ms) => ms > LIMIT_MS).length,
    totalOwnMs: own.reduce((sum, ms) => sum + ms, 0),
  };
}
