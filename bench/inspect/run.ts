/**
 * Main-thread tasks of the inspector in scripted use, in headless Chromium against the built page
 * (`npx vite build` first). The rollouts are made up here.
 *
 * - many: a file of `--rollouts` in verl's layout, 2 kB each on average: read, opened again, scrolled,
 *   ordered, filtered by numbers and by text, grouped, walked through by keys, re-scored, and one of
 *   them in every view of the reader; all of them searched for a word that most have, typed letter by letter,
 *   for one that a few have, and stopped;
 * - long: one trace of `--trace` megabytes with its tokens, RLLoggingBoard's layout: as rounds, as text,
 *   as tokens;
 * - big: a file of `--big` megabytes, up to its first row and to its end; 0 leaves it out.
 *
 * - charts: those of a training run of `--points` steps, measured by `bench/charts`: with 10,000 the
 *   page has more than 100,000 points; 0 leaves them out.
 *
 *   npx tsx bench/inspect/run.ts [--rollouts 10000] [--trace 20] [--big 0] [--points 10000] [--json]
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { traceMainThread, type MainThread } from '../page/main-thread.ts';
import { longTrace, rolloutLine } from '../page/made-up.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
/** The page's promise for this many rollouts. */
const LIMIT_MS = 100;

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '10000' },
    trace: { type: 'string', default: '20' },
    big: { type: 'string', default: '0' },
    points: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.rollouts);
const TRACE_MB = Number(values.trace);
const BIG_MB = Number(values.big);
const POINTS = Number(values.points);
const VIEWS = ['Rounds', 'Text', 'Tokens', 'Group', 'Diff', 'Scores', 'What if'];

/** The phases that `bench/charts` measures, in a process and a browser of its own. */
function chartPhases(points: number): Record<string, MainThread> {
  const script = resolve(import.meta.dirname, '../charts/run.ts');
  const args = ['--import', 'tsx', script, '--steps', String(points), '--json'];
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 });
  return (JSON.parse(out) as { phases: Record<string, MainThread> }).phases;
}

const folder = mkdtempSync(join(tmpdir(), 'forage-inspect-'));
const file = join(folder, 'many.jsonl');
writeFileSync(file, Array.from({ length: COUNT }, (_, i) => `${rolloutLine(i)}\n`).join(''));

const trace = join(folder, 'long.jsonl');
if (TRACE_MB > 0) writeFileSync(trace, `${longTrace(TRACE_MB)}\n`);
const big = join(folder, 'big.jsonl');
if (BIG_MB > 0) {
  writeFileSync(big, '');
  for (let i = 0; statSync(big).size < BIG_MB * 1e6; i += 2000)
    appendFileSync(big, Array.from({ length: 2000 }, (_, k) => `${rolloutLine(i + k)}\n`).join(''));
}

/** Waits for what is beside the filter. */
const said = (page: Page, pattern: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => new RegExp(wanted).test(document.querySelector('.filter-said')?.textContent ?? ''),
    pattern,
    { timeout: 300_000 },
  );

const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${server.url}rollouts`);
  await page.waitForSelector('.empty-place');
  const phases: Record<string, MainThread> = {};
  const seconds: Record<string, number> = {};
  const phase = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    phases[name] = await traceMainThread(browser, page, async () => {
      const start = performance.now();
      await work();
      seconds[name] = (performance.now() - start) / 1000;
    });
  };
  const all = `^${new Intl.NumberFormat('en').format(COUNT)} rollouts$`;
  const filter = page.getByRole('combobox', { name: 'Filter' });
  const ask = async (text: string, pattern: string): Promise<void> => {
    await filter.fill(text);
    await page.keyboard.press('Enter');
    await said(page, pattern);
    await page.locator('tr[data-position] a').first().waitFor();
  };
  await phase('first row', async () => {
    await page.getByLabel('Rollout files').setInputFiles(file);
    await page.locator('tr[data-position] a').first().waitFor({ timeout: 60_000 });
  });
  await phase('read', async () => {
    await page.waitForSelector('[data-testid="file-figures"]', { timeout: 500_000 });
    await said(page, all);
  });
  await phase('open', async () => {
    await page.reload();
    await said(page, all);
    await page.locator('tr[data-position] a').first().waitFor();
    await page.waitForSelector('[data-chart="outcomes"] svg');
  });
  await phase('scroll', async () => {
    await page.mouse.move(500, 500);
    for (let i = 0; i < 60; i++) {
      await page.mouse.wheel(0, i % 20 === 19 ? 40_000 : 900);
      await page.waitForTimeout(40);
    }
  });
  await phase('order', async () => {
    for (const column of ['words', 'searches', 'question', 'reward']) {
      await page.getByRole('button', { name: column, exact: true }).first().click();
      await page.waitForTimeout(700);
    }
  });
  await phase('filter', () => ask('em = 0 and searches > 1', ' of '));
  await phase('type', async () => {
    await filter.fill('');
    await filter.pressSequentially('em = 1 and reward = 1', { delay: 40 });
    await page.waitForTimeout(800);
  });
  await phase('filter by text', () => ask('think contains "not sure"', '^200 of |^\\d+ of '));
  await phase('group', async () => {
    await ask('', all);
    await page.locator('main').focus();
    await page.keyboard.press('g');
    await page.waitForSelector('.group-head');
    await page.getByRole('button', { name: 'close or open all' }).click();
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'close or open all' }).click();
    await page.waitForTimeout(300);
  });
  await phase('walk', async () => {
    await page.locator('main').focus();
    for (let i = 0; i < 60; i++) await page.keyboard.press('j');
  });
  await phase('disagreements', async () => {
    await page.getByRole('button', { name: 'Disagreements', exact: true }).click();
    await page.getByText('to look at').waitFor({ timeout: 300_000 });
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.locator('tr[data-position] a').first().waitFor();
  });
  /** Every view of the rollout that is open: scrolled by wheel, and walked through by keys. */
  const views = async (name: string, shown: readonly string[]): Promise<void> => {
    for (const view of shown)
      await phase(`${name}: ${view}`, async () => {
        await page.getByRole('tab', { name: view, exact: true }).click();
        await page
          .locator('[role=tabpanel] :is(p, table, .raw-row, section, canvas)')
          .first()
          .waitFor();
        await page.waitForTimeout(name === 'long' ? 2500 : 600);
        await page.mouse.move(600, 600);
        for (let i = 0; i < 25; i++) {
          await page.mouse.wheel(0, i % 8 === 7 ? 30_000 : 500);
          await page.mouse.move(500 + 8 * i, 600 + (i % 5) * 8);
          await page.waitForTimeout(40);
        }
      });
  };
  await phase('to the reader', async () => {
    await page.locator('main').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.reader-head').waitFor();
  });
  await views('reader', VIEWS);
  await phase('reader: j', async () => {
    await page.getByRole('tab', { name: 'Rounds', exact: true }).click();
    for (let i = 0; i < 15; i++) {
      await page.keyboard.press('j');
      await page.waitForTimeout(150);
    }
  });
  const searchAll = page.getByRole('searchbox', { name: 'Search all rollouts' });
  const hit = page.locator('.search-hit').first();
  /** Searches from an empty field. */
  const search = async (text: string, answer: string): Promise<void> => {
    await searchAll.fill(text);
    await page.keyboard.press('Enter');
    await page.getByText(answer).waitFor({ timeout: 300_000 });
  };
  await page.goto(`${server.url}rollouts`);
  await page.getByRole('link', { name: 'many.jsonl' }).waitFor();
  await phase('search all', async () => {
    await searchAll.pressSequentially('notary', { delay: 40 });
    await page.getByText('have “notary”').waitFor({ timeout: 300_000 });
    await hit.waitFor();
  });
  await phase('search all: few', () => search('not sure', 'have “not sure”'));
  await phase('search all: stop', async () => {
    await searchAll.fill('harbour');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop', exact: true }).first().waitFor();
    await searchAll.press('Escape');
    await page.getByText('Stopped:').waitFor();
  });
  if (TRACE_MB > 0) {
    await page.goto(`${server.url}rollouts`);
    await page.getByRole('link', { name: 'many.jsonl' }).waitFor();
    await phase('long: read', async () => {
      await page.getByLabel('Rollout files').setInputFiles(trace);
      await page.waitForSelector('[data-testid="file-figures"]', { timeout: 300_000 });
    });
    await phase('long: to the reader', async () => {
      await page.locator('tr[data-position] a').first().click();
      await page.locator('.reader-head').waitFor({ timeout: 120_000 });
      await page.waitForTimeout(1500);
    });
    await views('long', ['Rounds', 'Text', 'Tokens', 'Scores', 'What if']);
  }
  if (BIG_MB > 0) {
    await page.goto(`${server.url}rollouts`);
    await phase('big: first row', async () => {
      await page.getByLabel('Rollout files').setInputFiles(big);
      await page.locator('tr[data-position] a').first().waitFor({ timeout: 60_000 });
    });
    await phase('big: read', () =>
      page.waitForSelector('[data-testid="file-figures"]', { timeout: 900_000 }),
    );
    const heap = await page.evaluate(
      () =>
        (performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ??
        Number.NaN,
    );
    if (!values.json) console.log(`page's own heap after it: ${(heap / 1e6).toFixed(0)} MB`);
  }
  if (POINTS > 0)
    for (const [name, main] of Object.entries(chartPhases(POINTS)))
      phases[`charts: ${name}`] = main;
  const longest = Math.max(...Object.values(phases).map(({ longestOwnMs }) => longestOwnMs));
  const megabytes = statSync(file).size / 1e6;
  if (values.json)
    console.log(JSON.stringify({ rollouts: COUNT, megabytes, longest, seconds, phases }));
  else {
    console.log(`${COUNT} rollouts, ${megabytes.toFixed(1)} MB`);
    for (const [name, main] of Object.entries(phases))
      console.log(
        `${name.padEnd(20)} ${(seconds[name]?.toFixed(2) ?? '').padStart(7)} s ${String(main.tasks).padStart(6)} tasks; longest ${main.longestOwnMs.toFixed(1)} ms of its own, ${main.longestWallMs.toFixed(1)} ms by the clock`,
      );
    console.log(
      `longest task         ${longest.toFixed(1)} ms of its own (limit ${LIMIT_MS}): ${longest <= LIMIT_MS ? 'kept' : 'MISSED'}`,
    );
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
