/**
 * Every system that runs with the built-in policy, on the page, in headless Chromium against the built page (`npx vite
 * build` first), whose browser is killed on the way and opened again: minutes, the longest task of the main thread, and
 * whether the table comes out as in a file of an earlier evaluation.
 *
 *   npx tsx bench/page/all-systems.ts [--questions 200] [--kills 3] [--world-seed 7] [--save FILE] [--against FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { KillableBrowser } from '../../e2e/killable.ts';
import { serve } from '../../scripts/serve/server.mjs';
import { DEFAULT_SPEC } from '../../src/evaluate/systems/spec.ts';
import { writeEvaluationFile } from '../../src/evaluate/systems/file.ts';
import { RECIPES } from '../../src/systems/index.ts';
import { LIMIT_MS, traceMainThread, type MainThread } from './main-thread.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '200' },
    kills: { type: 'string', default: '3' },
    'world-seed': { type: 'string', default: '7' },
    save: { type: 'string' },
    against: { type: 'string' },
  },
});
const KILLS = Number(values.kills);
/** It asks its policy as text, which the built-in one does not speak. */
const IN_WORDS = 'active-rag';

const spec = {
  ...DEFAULT_SPEC,
  systems: RECIPES.map(({ id }) => id).filter((id) => id !== IN_WORDS),
  questions: [
    {
      kind: 'fresh' as const,
      seed: Number(values['world-seed']),
      split: 'test' as const,
      limit: Number(values.questions),
    },
  ],
};
const planned = spec.systems.length * Number(values.questions);

const server = await serve({ root: resolve(import.meta.dirname, '../../dist') });
const browser = new KillableBrowser();
/** A trace of the whole would be gigabytes: the main thread is watched for these milliseconds, again and again. */
const WATCHED_MS = 10_000;
const BETWEEN_MS = 20_000;
const watched: MainThread[] = [];

const open = (path: string): Promise<Page> => browser.open(`${server.url}${path}`);
const watch = async (page: Page): Promise<void> => {
  const driven = page.context().browser();
  if (!driven) throw new Error('The browser is gone.');
  watched.push(await traceMainThread(driven, page, () => page.waitForTimeout(WATCHED_MS)));
  await page.waitForTimeout(BETWEEN_MS);
};
const badge = (page: Page, name: string) =>
  page.locator(`.evaluation-head .badge[data-status=${name}]`);
const done = (page: Page): Promise<number> =>
  page
    .getByRole('progressbar', { name: 'Rollouts done' })
    .evaluate((bar) => Number(bar.getAttribute('value')));
const minutes = (from: number): string => ((performance.now() - from) / 60_000).toFixed(1);

const fileSchema = z.object({ found: z.unknown(), spec: z.unknown() });
const exported = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Everything (JSON, can be run again)' }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
};

try {
  let page = await open('evaluate');
  await page.getByLabel('An exported evaluation').setInputFiles({
    name: 'all.json',
    mimeType: 'application/json',
    buffer: Buffer.from(writeEvaluationFile('All systems', spec, null)),
  });
  await page.getByRole('heading', { name: 'New evaluation' }).waitFor();
  await page.getByLabel('Device').selectOption('wasm');
  const start = performance.now();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await badge(page, 'running').waitFor();
  const path = new URL(page.url()).pathname.slice(1) + new URL(page.url()).search;
  for (let kill = 1; kill <= KILLS; kill++) {
    const until = (planned * kill) / (KILLS + 1);
    while ((await done(page)) < until) await watch(page);
    console.log(`${await done(page)} of ${planned} rollouts after ${minutes(start)} min: killed`);
    await browser.kill();
    page = await open(path);
    await page.getByRole('button', { name: 'Continue' }).click();
    await badge(page, 'running').waitFor();
  }
  while ((await badge(page, 'finished').count()) === 0) await watch(page);
  const most = (of: (main: MainThread) => number): number => Math.max(...watched.map(of));
  const sum = (of: (main: MainThread) => number): number =>
    watched.reduce((total, main) => total + of(main), 0);
  console.log(
    `${spec.systems.length} systems, ${values.questions} questions, ${planned} rollouts, ${KILLS} kills: ${minutes(start)} min; ` +
      `main thread, watched for ${(watched.length * WATCHED_MS) / 1000} s: ${sum(({ tasks }) => tasks)} tasks, ${sum(({ overLimitOwn }) => overLimitOwn)} over ${LIMIT_MS} ms of its own, ` +
      `longest ${most(({ longestOwnMs }) => longestOwnMs).toFixed(0)} ms of its own, ${most(({ longestWallMs }) => longestWallMs).toFixed(0)} by the clock; ` +
      `load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}`,
  );
  const file = await exported(page);
  if (values.save) writeFileSync(values.save, file);
  if (values.against) {
    const [mine, other] = [file, readFileSync(values.against, 'utf8')].map((text) =>
      JSON.stringify(fileSchema.parse(JSON.parse(text)).found),
    );
    console.log(`What it found is ${mine === other ? '' : 'NOT '}the same, to the bit.`);
    if (mine !== other) process.exitCode = 1;
  }
} finally {
  await browser.end();
  await server.close();
}
