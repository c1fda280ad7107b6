/**
 * Main-thread tasks of the rollout table with many rollouts, in headless Chromium against the built
 * page (`npx vite build` first): while the file is read, while it is opened again, scrolled, ordered,
 * filtered by numbers and by text, grouped, and walked through by keys. The rollouts are made up here,
 * in verl's layout, 2 kB each on average.
 *
 *   npx tsx bench/inspect/run.ts [--rollouts 10000] [--json]
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/server.mjs';
import { traceMainThread, type MainThread } from '../page/main-thread.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
/** The page's promise for this many rollouts. */
const LIMIT_MS = 100;
const GROUP = 8;

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.rollouts);

const WORDS =
  'harbour letter museum river engine winter notary glass orchard signal border painter valley chapel'.split(
    ' ',
  );

/** Text of a length that varies, the same in every run. */
const prose = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * 5 + (i >> 3)) % WORDS.length]).join(
    ' ',
  );

function rolloutLine(i: number): string {
  const question = Math.floor(i / GROUP);
  const right = (i * 7) % 3 === 0;
  const gold = `Name ${question % 97}`;
  const rounds = Array.from({ length: i % 4 }, (_, n) => {
    const passage = `${prose(i + n, 90)} ${n === 1 ? gold : 'nobody'}.`;
    return `<think>${prose(i, 20)}</think>\n<search> who ${question} ${n} </search>\n<information>Doc 1(Title: T${n}) ${passage}\n</information>\n`;
  });
  return JSON.stringify({
    input: `Question: Who kept number ${question} of the ${prose(question, 6)}?\n`,
    output: `${rounds.join('')}<think>${i % 50 === 0 ? 'I am not sure.' : prose(i, 12)}</think>\n<answer> ${right ? gold : 'Fog'} </answer>`,
    gts: { target: [gold] },
    score: right ? 1 : 0,
    step: Math.floor(i / 2000),
  });
}

const folder = mkdtempSync(join(tmpdir(), 'forage-inspect-'));
const file = join(folder, 'many.jsonl');
writeFileSync(file, Array.from({ length: COUNT }, (_, i) => `${rolloutLine(i)}\n`).join(''));

/** Waits for what stands beside the filter. */
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
  const longest = Math.max(...Object.values(phases).map(({ longestOwnMs }) => longestOwnMs));
  const megabytes = statSync(file).size / 1e6;
  if (values.json)
    console.log(JSON.stringify({ rollouts: COUNT, megabytes, longest, seconds, phases }));
  else {
    console.log(`${COUNT} rollouts, ${megabytes.toFixed(1)} MB`);
    for (const [name, main] of Object.entries(phases))
      console.log(
        `${name.padEnd(15)} ${seconds[name]!.toFixed(2).padStart(7)} s ${String(main.tasks).padStart(6)} tasks; longest ${main.longestOwnMs.toFixed(1)} ms of its own, ${main.longestWallMs.toFixed(1)} ms by the clock`,
      );
    console.log(
      `longest task    ${longest.toFixed(1)} ms of its own (limit ${LIMIT_MS}): ${longest <= LIMIT_MS ? 'kept' : 'MISSED'}`,
    );
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
