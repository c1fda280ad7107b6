/**
 * Main-thread tasks of the pictures, in headless Chromium against the built page (`npx vite build` first): the map
 * of the built-in corpus while it is painted, pointed at, walked over by keys and drawn again beside a table; and of a
 * file of `--rollouts` made-up rollouts how they ended, where they were lost and how their numbers are distributed,
 * while they are painted, turned into tables, narrowed and saved; likewise the siblings of one question as a tree,
 * an evaluation of as many rollouts, and the film of a training run of as many held-out answers.
 *
 *   npx tsx bench/page/pictures.ts [--rollouts 10000] [--only map,file,tree,evaluation,film] [--json]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Locator, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { rolloutLine } from './made-up.ts';
import { traceMainThread, type MainThread } from './main-thread.ts';
import { madeUpEvaluation, madeUpRun, putStored } from './stored.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
/** The page's promise for any picture with 10,000 rollouts. */
const LIMIT_MS = 100;

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '10000' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.rollouts);

/** Systems of the evaluation, and scores of the training run. */
const SYSTEMS = 10;
const SCORES = 50;

const folder = mkdtempSync(join(tmpdir(), 'forage-pictures-'));
const fileOf = (name: string, groupSize?: number): string => {
  const path = join(folder, name);
  const lines = Array.from({ length: COUNT }, (_, i) => `${rolloutLine(i, groupSize)}\n`);
  writeFileSync(path, lines.join(''));
  return path;
};
const file = fileOf('many.jsonl');
const siblings = fileOf('siblings.jsonl', COUNT);

const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
const phases: Record<string, MainThread & { seconds: number }> = {};
const lineOf = (name: string, main: MainThread & { seconds: number }): string =>
  `${name.padEnd(18)} ${main.seconds.toFixed(2).padStart(7)} s ${String(main.tasks).padStart(6)} tasks; longest ${main.longestOwnMs.toFixed(1)} ms of its own, ${main.longestWallMs.toFixed(1)} ms by the clock`;
const phase = async (page: Page, name: string, work: () => Promise<unknown>): Promise<void> => {
  let seconds = 0;
  const traced = await traceMainThread(browser, page, async () => {
    const start = performance.now();
    await work();
    seconds = (performance.now() - start) / 1000;
  });
  phases[name] = { ...traced, seconds };
  if (!values.json) console.log(lineOf(name, phases[name]));
};

/** Moves the pointer over a drawing, to and fro. */
const pointed = async (page: Page, drawing: Locator): Promise<void> => {
  await drawing.scrollIntoViewIfNeeded();
  const box = await drawing.boundingBox();
  if (!box) throw new Error('bench: nothing is drawn');
  for (let i = 0; i <= 60; i++) {
    const across = i <= 30 ? i / 30 : (60 - i) / 30;
    await page.mouse.move(box.x + box.width * across, box.y + (box.height * (i % 15)) / 15);
    await page.waitForTimeout(16);
  }
};

/** As a table, and drawn again. */
const turned = async (picture: Locator): Promise<void> => {
  await picture.getByRole('button', { name: /: table$/ }).click();
  await picture.locator('table').first().waitFor();
  await picture.getByRole('button', { name: /: (picture|chart)$/ }).click();
  await picture.locator('svg').first().waitFor();
};

/** Saved as a file of either kind. */
const saved = async (page: Page, picture: Locator): Promise<void> => {
  for (const format of ['SVG', 'PNG'])
    await Promise.all([
      page.waitForEvent('download'),
      picture.getByRole('button', { name: `save as ${format}` }).click(),
    ]);
};

const mapOfPassages = async (page: Page): Promise<void> => {
  await page.goto(`${server.url}corpus?${new URLSearchParams({ find: 'river' }).toString()}`);
  await page.getByText(/passages for “river”/).waitFor({ timeout: 60_000 });
  const picture = page.locator('[data-chart=passages]');
  await phase(page, 'map: paint', async () => {
    await page.getByText('On the map of passages').click();
    await picture.locator('.map-query').waitFor({ timeout: 60_000 });
    await page.waitForTimeout(500);
  });
  await phase(page, 'map: point', () => pointed(page, picture.locator('svg')));
  await phase(page, 'map: keys', async () => {
    const slider = picture.getByRole('slider');
    await slider.focus();
    for (let i = 0; i < 40; i++)
      await page.keyboard.press(['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'][i % 4] ?? '');
  });
  await phase(page, 'map: table', () => turned(picture));
  await phase(page, 'map: resize', async () => {
    await page.setViewportSize({ width: 900, height: 900 });
    await page.waitForTimeout(500);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.waitForTimeout(500);
  });
};

const picturesOfFile = async (page: Page): Promise<void> => {
  await page.goto(`${server.url}rollouts`);
  await page.getByLabel('Rollout files').first().setInputFiles(file);
  await page.waitForSelector('[data-testid="file-figures"]', { timeout: 500_000 });
  await phase(page, 'file: paint', async () => {
    await page.reload();
    for (const id of ['outcomes', 'flow', 'histogram'])
      await page.locator(`[data-chart=${id}] svg`).first().waitFor({ timeout: 60_000 });
    await page.waitForTimeout(500);
  });
  for (const id of ['outcomes', 'flow', 'histogram']) {
    const picture = page.locator(`[data-chart=${id}]`);
    await phase(page, `${id}: point`, () => pointed(page, picture.locator('svg').first()));
    await phase(page, `${id}: table`, () => turned(picture));
    await phase(page, `${id}: save`, () => saved(page, picture));
  }
  await phase(page, 'file: narrow', async () => {
    await page
      .locator('[data-chart=flow]')
      .getByRole('button', { name: /Open these$/ })
      .first()
      .click();
    await page.waitForFunction(() =>
      / of /.test(document.querySelector('.filter-said')?.textContent ?? ''),
    );
    await page.waitForTimeout(500);
  });
};

const treeOfSiblings = async (page: Page): Promise<void> => {
  await page.goto(`${server.url}rollouts`);
  await page.getByLabel('Rollout files').first().setInputFiles(siblings);
  await page.waitForSelector('[data-testid="file-figures"]', { timeout: 500_000 });
  await page.locator('tr[data-position] a').first().click();
  const tree = page.locator('[data-chart=siblings]');
  await phase(page, 'tree: paint', async () => {
    await page.getByRole('tab', { name: 'Group' }).click();
    await tree.locator('svg').first().waitFor({ timeout: 120_000 });
    await page.waitForTimeout(500);
  });
  await phase(page, 'tree: point', () => pointed(page, tree.locator('svg').first()));
  await phase(page, 'tree: table', () => turned(tree));
  await phase(page, 'tree: save', () => saved(page, tree));
};

const picturesOfEvaluation = async (page: Page): Promise<void> => {
  // The page makes its database.
  await page.goto(`${server.url}evaluate`);
  await page.locator('.empty-place').waitFor();
  await putStored(
    page,
    server.url,
    'forage-evaluations',
    madeUpEvaluation('many', SYSTEMS, COUNT / SYSTEMS),
  );
  const shown = async (view: string, name: string, picture: Locator): Promise<void> => {
    await phase(page, `${name}: paint`, async () => {
      await page.goto(`${server.url}evaluate/many?view=${view}`);
      await picture.locator('svg').first().waitFor({ timeout: 120_000 });
      await page.waitForTimeout(500);
    });
    // After the legend's.
    await phase(page, `${name}: point`, () => pointed(page, picture.locator('svg').last()));
    await phase(page, `${name}: table`, () => turned(picture));
    await phase(page, `${name}: save`, () => saved(page, picture));
  };
  await phase(page, 'evaluation: table', async () => {
    await page.goto(`${server.url}evaluate/many`);
    await page.getByText('System 9').first().waitFor({ timeout: 120_000 });
    await page.waitForTimeout(500);
  });
  await shown('cost', 'plane', page.locator('[data-chart^=cost-]').first());
  await shown('questions', 'grid', page.locator('[data-chart=grid]'));
  await shown('hops', 'survival', page.locator('[data-chart=survival]'));
};

const filmOfRun = async (page: Page): Promise<void> => {
  await page.goto(`${server.url}runs`);
  await page.locator('.empty-place').waitFor();
  await putStored(page, server.url, 'forage', madeUpRun('many', COUNT / SCORES, SCORES));
  const film = page.locator('#film');
  await phase(page, 'film: paint', async () => {
    await page.goto(`${server.url}train?run=many`);
    await film.locator('svg').first().waitFor({ timeout: 120_000 });
    await page.waitForTimeout(500);
  });
  await phase(page, 'film: scrub', async () => {
    const slider = film.getByRole('slider', { name: 'Step', exact: true });
    await slider.focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowLeft');
  });
  await phase(page, 'film: keys', async () => {
    await film.getByRole('slider', { name: /^Held-out questions by step/ }).focus();
    for (let i = 0; i < 40; i++)
      await page.keyboard.press(['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'][i % 4] ?? '');
  });
  await phase(page, 'film: table', () => turned(film));
  await phase(page, 'film: save', () => saved(page, film));
};

const PICTURES: Record<string, (page: Page) => Promise<void>> = {
  map: mapOfPassages,
  file: picturesOfFile,
  tree: treeOfSiblings,
  evaluation: picturesOfEvaluation,
  film: filmOfRun,
};

try {
  for (const [name, measure] of Object.entries(PICTURES)) {
    if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await measure(await context.newPage());
    await context.close();
  }
  const longest = Math.max(...Object.values(phases).map(({ longestOwnMs }) => longestOwnMs));
  const load = loadavg();
  if (values.json) console.log(JSON.stringify({ rollouts: COUNT, longest, load, phases }));
  else
    console.log(
      `longest task       ${longest.toFixed(1)} ms of its own (limit ${LIMIT_MS}): ${longest <= LIMIT_MS ? 'kept' : 'MISSED'}; load average ${load.map((one) => one.toFixed(1)).join(', ')}`,
    );
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
