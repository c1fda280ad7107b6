import { expect, it } from 'vitest';
import { z } from 'zod';
import { runStatus, useStage } from './browser.ts';

const stage = useStage();

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

/** Milliseconds of every task of the page's main thread: its own time, and by the clock. */
const mainThreadTasks = (trace: Buffer): { own: number; wall: number }[] => {
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

it('keeps every main-thread task under 50 ms while sixteen rollouts stream', async () => {
  const { page, browser } = stage;
  await page.goto(`${stage.url}?device=wasm&n=16`);
  await page.locator('[role=option]').nth(4).click();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline'],
  });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done', 150_000);
  const tasks = mainThreadTasks(await browser.stopTracing());
  const own = Math.max(...tasks.map((task) => task.own));
  const wall = Math.max(...tasks.map((task) => task.wall));
  console.log(
    `${tasks.length} tasks, longest ${own.toFixed(1)} ms of its own, ${wall.toFixed(1)} ms by the clock`,
  );
  expect(tasks.length).toBeGreaterThan(100);
  // The thread's own time: on a busy machine the clock also counts what other programs took.
  expect(own).toBeLessThan(50);
}, 180_000);
