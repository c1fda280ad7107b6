/**
 * What a visitor feels, in headless Chromium against the built page (`npx vite build` first):
 * initial JavaScript, time from a cold load to the first event, and main-thread tasks while 16
 * rollouts stream.
 *
 *   npm run -s lab -- bench page [--json]
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/server.mjs';

const DIST = resolve(import.meta.dirname, '../../dist');
const COLD_LOADS = 3;

/** Gzipped bytes of the scripts that index.html names, which the page needs before it can draw. */
function initialScriptBytes(): number {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  return [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)]
    .map((match) => gzipSync(readFileSync(join(DIST, match[1] ?? ''))).length)
    .reduce((sum, size) => sum + size, 0);
}

async function freshPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return context.newPage();
}

/** Seconds from the start of the navigation to the first event of the first rollout. */
async function coldLoad(browser: Browser, url: string): Promise<number> {
  const page = await freshPage(browser);
  const start = performance.now();
  await page.goto(`${url}?device=wasm`);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await page.waitForSelector('.card');
  const seconds = (performance.now() - start) / 1000;
  await page.context().close();
  return seconds;
}

interface Streaming {
  rollouts: number;
  seconds: number;
  /** Durations in milliseconds of the main-thread tasks over 50 ms (the Long Tasks API). */
  longTasks: number[];
}

async function stream(browser: Browser, url: string, rollouts: number): Promise<Streaming> {
  const page = await freshPage(browser);
  await page.goto(`${url}?device=wasm`);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await page.waitForSelector('[data-testid="run-status"]:has-text("done")', { timeout: 120_000 });
  await page.getByRole('textbox', { name: 'Rollouts' }).fill(String(rollouts));
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { longTasks: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.push(entry.duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  const start = performance.now();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.column[data-finished="true"]').length === count,
    rollouts,
    { timeout: 300_000 },
  );
  const seconds = (performance.now() - start) / 1000;
  const longTasks = await page.evaluate(
    () => (globalThis as unknown as { longTasks: number[] }).longTasks,
  );
  await page.context().close();
  return { rollouts, seconds, longTasks };
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const loads: number[] = [];
  for (let i = 0; i < COLD_LOADS; i++) loads.push(await coldLoad(browser, server.url));
  const streaming = await stream(browser, server.url, 16);
  const result = {
    initialScriptKilobytes: initialScriptBytes() / 1000,
    coldLoadSeconds: loads,
    streaming,
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(
      `initial JavaScript      ${result.initialScriptKilobytes.toFixed(0)} kB compressed (limit 350)`,
    );
    console.log(
      `cold load, first event  ${loads.map((s) => s.toFixed(2)).join(' s, ')} s (limit 5)`,
    );
    const longest = Math.max(0, ...streaming.longTasks);
    console.log(
      `16 rollouts streamed in ${streaming.seconds.toFixed(1)} s: ${streaming.longTasks.length} main-thread tasks over 50 ms` +
        (longest > 0 ? `, the longest ${longest.toFixed(0)} ms` : ''),
    );
  }
} finally {
  await browser.close();
  await server.close();
}
