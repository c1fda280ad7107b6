/**
 * What a visitor feels, in headless Chromium against the built page (`npx vite build` first):
 * initial JavaScript, time from a cold load to the first event and what is fetched until the first
 * answer, and main-thread tasks while 16 rollouts stream.
 *
 *   npm run -s lab -- bench page [--json]
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { initialKilobytes } from './initial-scripts.ts';
import { LIMIT_MS, traceMainThread, type MainThread } from './main-thread.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const COLD_LOADS = 3;

/** @param motion plays recordings and replays, which wait for readers */
async function freshPage(browser: Browser, motion = false): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: motion ? 'no-preference' : 'reduce',
    // It stores all files for later, which no one waits for.
    serviceWorkers: 'block',
  });
  return context.newPage();
}

interface ColdLoad {
  /** From the start of the navigation to the first event of the first rollout. */
  seconds: number;
  /** Of all answers until the first rollout is done, as they were sent, in 10⁶ bytes. */
  megabytes: number;
}

async function coldLoad(browser: Browser, url: string): Promise<ColdLoad> {
  const page = await freshPage(browser);
  const sizes: Promise<number>[] = [];
  page.context().on('requestfinished', (request) => {
    const size = async () => (await request.sizes()).responseBodySize;
    sizes.push(size().catch(() => 0));
  });
  const start = performance.now();
  await page.goto(`${url}?device=wasm`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await page.waitForSelector('.part');
  const seconds = (performance.now() - start) / 1000;
  await page.waitForSelector('[data-testid="run-status"]:has-text("done")', { timeout: 120_000 });
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.context().close();
  return { seconds, megabytes: bytes / 1e6 };
}

interface Streaming {
  rollouts: number;
  seconds: number;
  mainThread: MainThread;
}

async function stream(browser: Browser, url: string, rollouts: number): Promise<Streaming> {
  const page = await freshPage(browser);
  await page.goto(`${url}?device=wasm`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await page.waitForSelector('[data-testid="run-status"]:has-text("done")', { timeout: 120_000 });
  await page.getByRole('textbox', { name: 'Rollouts' }).fill(String(rollouts));
  const start = performance.now();
  const mainThread = await traceMainThread(browser, page, async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForFunction(
      (count) => document.querySelectorAll('.column[data-finished="true"]').length === count,
      rollouts,
      { timeout: 300_000 },
    );
  });
  const seconds = (performance.now() - start) / 1000;
  await page.context().close();
  return { rollouts, seconds, mainThread };
}

interface FirstScreen {
  /** From the start of the navigation to the first words and buttons, and to the recording, by the clock. */
  paintSeconds: number;
  recordingSeconds: number;
  /** Sum of the layout shifts until the recording has ended (Cumulative Layout Shift). */
  layoutShift: number;
  /** Until the recording is there, and while it plays and the model is loaded. */
  opening: MainThread;
  playing: MainThread;
}

/** A stranger's first minute: nothing is clicked, the recording plays to its end. */
async function firstScreen(browser: Browser, url: string): Promise<FirstScreen> {
  const page = await freshPage(browser, true);
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ('value' in entry && typeof entry.value === 'number') shifts.push(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  let recordingSeconds = NaN;
  const opening = await traceMainThread(browser, page, async () => {
    const start = performance.now();
    await page.goto(url);
    await page.locator('.hero-tree').waitFor();
    recordingSeconds = (performance.now() - start) / 1000;
  });
  const playing = await traceMainThread(browser, page, async () => {
    await page.locator('.hero[data-ended="true"]').waitFor({ timeout: 120_000 });
  });
  const [paint, layoutShift] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
  ]);
  await page.context().close();
  return {
    paintSeconds: (paint ?? NaN) / 1000,
    recordingSeconds,
    layoutShift: layoutShift ?? NaN,
    opening,
    playing,
  };
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const first = await firstScreen(browser, server.url);
  const loads: ColdLoad[] = [];
  for (let i = 0; i < COLD_LOADS; i++) loads.push(await coldLoad(browser, server.url));
  const streaming = await stream(browser, server.url, 16);
  const result = {
    initialScriptKilobytes: initialKilobytes(DIST),
    firstScreen: first,
    coldLoadSeconds: loads.map(({ seconds }) => seconds),
    fetchedMegabytes: loads.map(({ megabytes }) => megabytes),
    streaming,
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(
      `initial JavaScript      ${result.initialScriptKilobytes.toFixed(0)} kB compressed (limit 330)`,
    );
    console.log(
      `cold load, first event  ${loads.map(({ seconds }) => seconds.toFixed(2)).join(' s, ')} s (limit 5)`,
    );
    console.log(
      `fetched to an answer    ${loads.map(({ megabytes }) => megabytes.toFixed(2)).join(' MB, ')} MB, as sent`,
    );
    console.log(
      `first screen            painted after ${first.paintSeconds.toFixed(2)} s, recording after ${first.recordingSeconds.toFixed(2)} s, layout shift ${first.layoutShift.toFixed(4)}`,
    );
    for (const part of ['opening', 'playing'] as const)
      console.log(
        `${part} it              longest task ${first[part].longestOwnMs.toFixed(1)} ms of its own (${first[part].overLimitOwn} over ${LIMIT_MS}), ${first[part].longestWallMs.toFixed(1)} ms by the clock`,
      );
    const { mainThread: main } = streaming;
    console.log(
      `16 rollouts streamed    in ${streaming.seconds.toFixed(1)} s; ${main.tasks} main-thread tasks, ${(main.totalOwnMs / 1000).toFixed(1)} s of the thread's own time`,
    );
    console.log(
      `longest task            ${main.longestOwnMs.toFixed(1)} ms of its own (${main.overLimitOwn} over ${LIMIT_MS}), ${main.longestWallMs.toFixed(1)} ms by the clock (${main.overLimitWall} over ${LIMIT_MS})`,
    );
  }
} finally {
  await browser.close();
  await server.close();
}
