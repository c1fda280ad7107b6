import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { openPage, runStatus, useStage, visit } from '../browser.ts';

/** Screens of every width: nothing overlaps or is cut at 390 px, and no third is empty up to 2,560 px. */

const stage = useStage();
const FILE = resolve(import.meta.dirname, '../../test/fixtures/inspect/r1-searcher-dev.jsonl');

/** How far to the right anything stands that can be read or pressed, as a share of the page's width. */
const used = (page: Page): Promise<number> =>
  page.locator('main').evaluate((main) => {
    const box = main.getBoundingClientRect();
    const shown = [
      ...main.querySelectorAll('p, h1, h2, a, button, input, select, td, th, svg, summary'),
    ];
    const right = Math.max(...shown.map((element) => element.getBoundingClientRect().right));
    return (right - box.left) / box.width;
  });

/**
 * Pixels of the tallest band of the first screen of a page, from the first to the last that is painted there, whose right
 * third has neither text nor anything to press nor a picture.
 */
const emptyThird = (page: Page): Promise<number> =>
  page.locator('main').evaluate((main) => {
    const box = main.getBoundingClientRect();
    const rects: DOMRect[] = [];
    const nodes = document.createTreeWalker(main, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      if (!element?.checkVisibility({ visibilityProperty: true })) continue;
      if (node instanceof Text && node.data.trim() !== '') {
        const range = document.createRange();
        range.selectNodeContents(node);
        rects.push(...range.getClientRects());
      } else if (element === node && element.matches('button, input, select, textarea, svg'))
        rects.push(element.getBoundingClientRect());
    }
    const STEP = 4;
    let [tallest, band, begun] = [0, 0, false];
    for (let y = box.top; y < box.bottom; y += STEP) {
      const here = rects.filter(
        ({ top, bottom, width }) => width > 1 && top < y + STEP && bottom > y,
      );
      begun ||= here.length > 0;
      if (here.some(({ right }) => right >= box.left + (2 / 3) * box.width)) band = 0;
      else if (begun) band += STEP;
      // What is below all is not a band: a page may end before the screen does.
      if (here.length > 0) tallest = Math.max(tallest, band);
    }
    return tallest;
  });

/** A heading with a paragraph is as tall. */
const TALLEST = 140;

const WIDTHS = ALL_TESTS ? [390, 720, 1440, 1920, 2560] : [390, 1440, 2560];

const filled = async (page: Page, place: string): Promise<void> => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const beyond = () =>
      page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth);
    await expect.poll(beyond, { message: `${place} sideways at ${width}` }).toBeLessThanOrEqual(0);
    if (width > 1000)
      await expect
        .poll(() => emptyThird(page), { message: `${place} at ${width}` })
        .toBeLessThan(TALLEST);
  }
};

/** Places as a first visitor finds them, and what is there once they are drawn. */
const PLACES = [
  ['train?new=1', 'Start training'],
  ['models', 'Choose a folder'],
  ['corpus', 'Choose files'],
  ['evaluate', 'Three systems on 20 questions'],
  ['evaluate?new=1', 'Add built-in questions'],
  ['runs', 'Train the model'],
] as const;

/** Pressed where it stands: nothing lies over it. */
const inSight = (page: Page, name: string): Promise<void> =>
  expect
    .poll(() =>
      page.getByRole('button', { name, exact: true }).evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return hit !== null && element.contains(hit);
      }),
    )
    .toBe(true);

/** A field alone in a row would be below the others. */
const rowsAreWhole = async (page: Page): Promise<void> => {
  for (const [first, last] of [
    ['Recipe', 'Device'],
    ['Steps', 'Seed'],
  ] as const) {
    const top = async (label: string) =>
      (await page.getByLabel(label, { exact: true }).boundingBox())?.y;
    expect(await top(last)).toBe(await top(first));
  }
};

const scrolled = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth);

test('shows how far loading is beside the button that waits for it, at 200 % too, and then one rollout at a time at 390 pixels', async () => {
  const page = await openPage(stage);
  await page.setViewportSize({ width: 720, height: 450 });
  const held: Route[] = [];
  // Not by `unroute`: where it takes the last handler away, Playwright itself continues with what that one holds, and
  // each `continue` of ours after it is refused: "Route is already handled!".
  let holding = true;
  await page.route('**/world/**', (route) => {
    if (holding) held.push(route);
    else void route.continue();
  });
  await page.goto(`${stage.url}ask?device=wasm&recipe=naive-rag&n=2`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  const bars = page.getByRole('list', { name: 'Loading' }).locator('.meter');
  await page.getByText('It starts as soon as everything is loaded.').waitFor();
  // The words may be there before the first file is asked for.
  await expect.poll(() => held.length).toBeGreaterThan(0);
  const main = (await page.locator('main').boundingBox())!;
  for (const bar of await bars.all()) {
    const { y, height, width } = (await bar.boundingBox())!;
    expect(width).toBeGreaterThan(40);
    expect(y + height).toBeLessThan(main.y + main.height);
  }
  expect(await bars.count()).toBe(3);
  holding = false;
  await Promise.all(held.map((route) => route.continue()));
  await page.locator('.part').first().waitFor();
  await runStatus(page, 'done');

  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole('tab', { name: '2' }).click();
  expect(await page.locator('.details').count()).toBe(0);
  // An event far down moves the rollout, never the frame around it, and is shown in full.
  await page.locator('.column:visible .part').last().click();
  expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0);
  await page
    .getByRole('complementary', { name: 'Details' })
    .getByText(/^event \d+ of/)
    .waitFor();
  expect(await page.locator('.column:visible').count()).toBe(1);
  expect(await scrolled(page)).toBeLessThanOrEqual(390);
  expect(await faultsOf(page)).toEqual([]);
  expect(stage.faults).toEqual([]);
  await page.context().close();
});

test(
  'on the screen of a small laptop what begins is in sight, and rows of the form are whole; empty details cover nothing where a page is zoomed to 200 %',
  { timeout: 180_000 },
  async () => {
    const page = await openPage(stage);
    const laptop = { width: 1366, height: 625 };
    await page.goto(`${stage.url}ask?device=wasm`);
    await page.setViewportSize(laptop);
    await inSight(page, 'Run');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.waitFor();
    // Half of the pixels in either direction.
    await page.setViewportSize({ width: 720, height: 450 });
    await details.waitFor({ state: 'hidden' });
    // Nor does the setup push the rollout away; it comes back with the room for it.
    const setup = page.getByRole('complementary', { name: 'What to run' });
    await setup.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await setup.waitFor();
    await page.setViewportSize({ width: 720, height: 450 });
    await setup.waitFor({ state: 'hidden' });
    await page.locator('.column .part').nth(3).click();
    await details.getByText(/^event \d+ of/).waitFor();
    expect(await scrolled(page)).toBeLessThanOrEqual(720);
    expect(await faultsOf(page)).toEqual([]);

    await page.setViewportSize(laptop);
    await visit(page, stage, 'train?new=1');
    await inSight(page, 'Start training');
    await rowsAreWhole(page);
    await visit(page, stage, 'evaluate?new=1');
    await inSight(page, 'Run');
    await page.context().close();
  },
);

test('leaves no third of 2,560 pixels empty', { timeout: 180_000 }, async () => {
  const page = await openPage(stage, { width: 2560 });
  await page.goto(`${stage.url}rollouts`);
  await page.getByRole('button', { name: 'Open a folder' }).waitFor();
  await filled(page, 'rollouts');
  await page.getByLabel('Rollout files').first().setInputFiles(FILE);
  await page.locator('tr[data-position]').first().waitFor();
  expect(await used(page), 'a file of rollouts').toBeGreaterThan(2 / 3);
  await page.locator('tr[data-position] a').first().click();
  await page.locator('.rounds .round').first().waitFor();
  expect(await used(page), 'a rollout').toBeGreaterThan(2 / 3);
  // Rounds are beside each other, over the whole width.
  const rounds = await page
    .locator('.rounds .round')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
  expect(rounds[1]?.top).toBe(rounds[0]?.top);
  expect(Math.max(...rounds.map(({ right }) => right))).toBeGreaterThan((2 / 3) * 2560);
  for (const [place, button] of PLACES) {
    await visit(page, stage, place);
    await page.getByRole('button', { name: button }).first().waitFor();
    expect(await used(page), place).toBeGreaterThan(2 / 3);
    await filled(page, place);
  }
  // What was measured of a training leads to the form of one like it.
  await page.getByRole('link', { name: 'UR² · two stages, as in the paper' }).click();
  expect(await page.getByLabel('Recipe', { exact: true }).inputValue()).toBe('ur2/paper');
  await page.getByLabel('Recipe', { exact: true }).selectOption('kunlun-baize/whole');
  // And what was measured of a system to its claims, and to a new evaluation with it.
  await visit(page, stage, 'evaluate');
  const system = page.locator('.measured-systems li', { hasText: 'FLARE' });
  await system.locator('summary').click();
  expect(await system.getByRole('list', { name: 'Claims that were measured' }).innerText()).toMatch(
    /not supported here.*\d+ questions, 3 worlds/s,
  );
  await system.getByRole('button', { name: 'Evaluate FLARE here' }).click();
  expect(await page.locator('[data-system="flare"] input').isChecked()).toBe(true);

  // Where there is room in both directions nothing of the form of a run is folded away, in six columns at most.
  await page.setViewportSize({ width: 1440, height: 900 });
  await visit(page, stage, 'models');
  await visit(page, stage, 'train?new=1');
  await page.getByRole('button', { name: 'Start training' }).waitFor();
  const folds = page.locator('details.fold, .recipe-card > details');
  const shut = () =>
    folds.evaluateAll((all) => all.filter((one) => !(one as HTMLDetailsElement).open).length);
  // How many there are changes with the window, too: the recipe is beside the form or in it.
  const open = () =>
    folds.evaluateAll((all) => all.filter((one) => (one as HTMLDetailsElement).open).length);
  await expect.poll(() => folds.count()).toBeGreaterThan(5);
  expect(await open()).toBe(0);
  // The window grows, shrinks, and grows again: they follow it until they are turned by hand.
  const resize = (width: number, height: number) => page.setViewportSize({ width, height });
  await resize(2560, 1300);
  await expect.poll(shut).toBe(0);
  await resize(1440, 900);
  await expect.poll(open).toBe(0);
  await resize(2560, 1300);
  await expect.poll(shut).toBe(0);
  const grids = await page.locator('.new-run .form-fields').evaluateAll((all) =>
    all.map((one) => ({
      columns: getComputedStyle(one).gridTemplateColumns.split(' ').length,
      bottom: one.getBoundingClientRect().bottom,
    })),
  );
  expect(Math.max(...grids.map(({ columns }) => columns))).toBe(6);
  expect(Math.max(...grids.map(({ bottom }) => bottom))).toBeGreaterThan((2 / 3) * 1300);
  // Its two columns end near each other.
  const ends = await page
    .locator('.new-run > .folds')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
  expect(Math.max(...ends) / Math.min(...ends)).toBeLessThan(1.4);
  // As `accessible.test.ts` sees the form with all unfolded, and here on the whole width.
  if (ALL_TESTS) expect(await faultsOf(page)).toEqual([]);
  // What is folded then stays so, and what is unfolded by hand, whatever the window does.
  await folds.first().locator('summary').first().click();
  await page.getByLabel('Seed').fill('7');
  expect(await shut()).toBe(1);
  await resize(1440, 900);
  await expect.poll(open).toBe(0);
  await expect.poll(() => folds.first().innerText()).toContain('Estimator, loss and KL');
  await folds.nth(1).locator('summary').first().click();
  // The page hears of a fold a moment after it was turned; nobody resizes a window that soon.
  await page.waitForTimeout(300);
  await resize(2560, 1300);
  await expect.poll(shut).toBe(1);
  await resize(1440, 900);
  await expect.poll(open).toBe(1);
  expect(stage.faults).toEqual([]);
});
