import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { faultsInBoth, faultsOf } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { savedPictures } from '../saved-pictures.ts';

/** Several systems side by side, with real rollouts of the shipped policy. */

const stage = useStage();
const LONG = 400_000;

const status = (page: Page, name: string): Promise<void> =>
  page.locator(`.evaluation-head .badge[data-status=${name}]`).waitFor({ timeout: 120_000 });

/** Rollouts that are there, as the page says. */
const rolloutsDone = (page: Page): Promise<number> =>
  page
    .getByRole('progressbar', { name: 'Rollouts done' })
    .evaluate((bar) => Number(bar.getAttribute('value')));

/** Ticks the two systems whose rollouts are the shortest, on this many questions. */
const chooseTwo = async (page: Page, questions: number): Promise<void> => {
  await page.getByRole('button', { name: 'clear', exact: true }).click();
  for (const name of ['Naive RAG, one retrieval', 'Naive generation, no retrieval'])
    await page.getByRole('checkbox', { name, exact: true }).check();
  await page.getByLabel('Questions, at most').fill(String(questions));
  await page.getByLabel('Device').selectOption('wasm');
};

const exported = async (page: Page, item: string): Promise<string> => {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: item }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
};

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });

it(
  'says what to do, what it costs, fits into 390 pixels, fills the table, pauses, and goes on after a reload',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}evaluate`);
    await page.getByRole('button', { name: 'Three systems on 20 questions' }).waitFor();
    await page.getByRole('link', { name: 'Choose systems and questions' }).click();
    await chooseTwo(page, 400);
    await page.getByTestId('estimate').getByText('800', { exact: true }).waitFor();
    // No time is promised that was not measured here.
    const estimate = page.getByTestId('estimate');
    expect(await estimate.textContent()).toMatch(/^2 rows × 400 questions(?!.*≈)/);
    await estimate.getByRole('button', { name: 'Measure this device' }).click();
    await estimate.getByText(/≈ .* on this device/).waitFor({ timeout: 180_000 });
    expect(await estimate.textContent()).toMatch(/2 rows × 400 questions.*≈/);
    // In the dark and as wide as now it is looked at in `e2e/shell/accessible.test.ts`, too.
    if (ALL_TESTS) expect(await faultsInBoth(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 900 });
    const wider = () =>
      page.evaluate(() => {
        const main = document.querySelector('main');
        return main ? main.scrollWidth - main.clientWidth : null;
      });
    await expect.poll(wider).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await run(page).click();
    await status(page, 'running');
    await page.locator('.result-table td.measure').first().waitFor({ timeout: 180_000 });
    await expect.poll(() => rolloutsDone(page), { timeout: 120_000 }).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await status(page, 'paused');
    const paused = await rolloutsDone(page);
    expect(paused).toBeLessThan(800);

    await page.reload();
    await status(page, 'paused');
    expect(await rolloutsDone(page)).toBe(paused);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => rolloutsDone(page), { timeout: 120_000 }).toBeGreaterThan(paused);
    await page.getByRole('button', { name: 'Stop what is running' }).click();
    await status(page, 'paused');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'takes the rollouts that are there for a smaller one like it, and gives away table, pictures and file',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'evaluate?new=1');
    await chooseTwo(page, 2);
    await page.getByTestId('estimate').getByText('4 of them reused').waitFor();
    await page.getByTestId('estimate').getByText('nothing to run').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Two on two');
    await run(page).click();
    await status(page, 'finished');
    await page.locator('.result-table td.measure').first().waitFor();
    expect(await (ALL_TESTS ? faultsInBoth : faultsOf)(page)).toEqual([]);

    const table = await exported(page, 'Table, Markdown');
    expect(table).toMatch(/Naive RAG, one retrieval/);
    const file = JSON.parse(await exported(page, 'Everything (JSON, can be run again)')) as {
      name: string;
    };
    expect(file.name).toBe('Two on two');
    await page.getByRole('tab', { name: 'Quality and cost' }).click();
    expect((await savedPictures(page)).get('EM against searches')).toContain('Naive generation');
    await page.getByRole('button', { name: 'EM against searches: table' }).click();
    await page.getByRole('cell', { name: '✓' }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);

    // The larger one before it asked the same two questions, with the same rollouts.
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByLabel('Compare with').selectOption({ index: 1 });
    await page.getByText('over 2 questions in both').waitFor();
    await page.getByText('Left out: 398 questions only in the other').waitFor();
    const compared = page.getByRole('group', { name: 'Comparison, table' }).locator('tbody tr');
    expect(await compared.count()).toBe(2);
    for (const row of await compared.all())
      expect(await row.locator('td').nth(2).textContent()).toBe('0.0');

    // Never opened as files, both are searched with all other rollouts; what is opened is read first.
    await visit(page, stage, 'rollouts');
    await page.getByRole('region', { name: 'Rollouts of your evaluations' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search all rollouts' }).fill('the');
    const found = page.getByTestId('found-rollouts');
    await found.getByText(/^\d+ of \d+ rollouts have “the”, in 2 evaluations$/).waitFor();
    const own = found.getByRole('region', { name: 'Two on two' });
    await own.getByText(/of 4 rollouts$/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await own.locator('.search-hit').first().click();
    await page.waitForURL(/\/rollouts\/evaluation-.*find=the/);
    await page.locator('.reader-head').waitFor();
    await page.goBack();
    await found.getByText(/in 1 file and 1 evaluation$/).waitFor();
    await visit(page, stage, 'evaluate');
    await page.getByRole('link', { name: 'Two on two' }).click();
    await status(page, 'finished');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'opens the rollouts of a question side by side by keys, and one of them in the reader',
  async () => {
    const { page } = stage;
    await page.getByRole('tab', { name: 'Questions' }).click();
    const grid = page.getByRole('grid', { name: 'Systems by question' });
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const column = page.getByRole('region', { name: 'Naive generation, no retrieval' });
    await column.locator('.part').first().waitFor();
    await page.getByRole('button', { name: '+ Naive RAG, one retrieval' }).click();
    const rag = page.getByRole('region', { name: 'Naive RAG, one retrieval' });
    await rag.locator('.part[data-kind="retrieve"]').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // The address is the view: opened again it shows the same two.
    const address = page.url();
    await page.reload();
    await rag.locator('.part').first().waitFor();
    expect(page.url()).toBe(address);
    await rag.getByRole('button', { name: 'open rollout' }).click();
    await page.waitForURL(/\/rollouts\/evaluation-/);
    await page.locator('.reader').waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'lists by keys what was lost at a hop, and opens one of these rollouts',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'evaluate');
    await page.getByRole('link', { name: 'Two on two' }).click();
    await page.getByRole('tab', { name: 'Hops' }).click();
    const bars = page.getByRole('slider', { name: /^Systems by hop/ });
    await bars.focus();
    // Without retrieval every chain is lost at its first hop.
    await page.keyboard.press('ArrowDown');
    const chosen = () => bars.getAttribute('aria-valuetext');
    if (!(await chosen())?.startsWith('Naive generation')) await page.keyboard.press('ArrowDown');
    const [, lostThere] =
      /^Naive generation, no retrieval, hop 1: 0 of (\d) rollouts? retrieved all so far, \1 lost here$/.exec(
        (await chosen()) ?? '',
      ) ?? [];
    await page.keyboard.press('Enter');
    const lost = page.getByRole('region', {
      name: 'Naive generation, no retrieval: lost at hop 1',
    });
    await lost.getByRole('heading', { name: /: \d rollouts? lost at hop 1$/ }).waitFor();
    expect(await lost.locator('tbody tr').count()).toBe(Number(lostThere));
    expect(await faultsInBoth(page)).toEqual([]);
    const survival = (await savedPictures(page)).get('Survival, hop by hop');
    expect(survival).toContain('hop 1');
    // The chosen bar is marked on the page alone.
    expect(await bars.locator('[data-chosen]').count()).toBe(1);
    expect(survival).not.toContain('data-chosen');
    // Where the bars are scrolled, keys bring the chosen one into view.
    await page.setViewportSize({ width: 390, height: 844 });
    await bars.focus();
    for (let key = 0; key < 9; key++) await bars.press('ArrowRight');
    const outside = () =>
      bars.evaluate((box) => {
        const mark = box.querySelector('[data-chosen]');
        if (!mark) return null;
        const [inner, outer] = [mark, box].map((one) => one.getBoundingClientRect());
        return inner && outer ? Math.max(inner.right - outer.right, outer.left - inner.left) : null;
      });
    await expect.poll(outside).toBeLessThanOrEqual(1);
    await page.setViewportSize({ width: 1440, height: 900 });
    await lost
      .getByRole('button', { name: /^Read: / })
      .first()
      .click();
    const column = page.getByRole('region', { name: 'Naive generation, no retrieval' });
    await column.locator('.part').first().waitFor();
    await page.goBack();
    await lost.waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'changes a copy of a system, and refuses a shared one with an unknown part by its name',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'evaluate?new=1');
    await page.getByRole('button', { name: 'Duplicate and change Plain search loop' }).click();
    await page.getByLabel('Name', { exact: true }).first().fill('One search');
    await page.getByText('retrieval', { exact: true }).click();
    await page.getByLabel('retrieval.maxSearches').fill('1');
    await page.getByRole('button', { name: 'Save and select' }).click();
    await page.getByRole('checkbox', { name: 'One search', checked: true }).first().waitFor();
    const shared = {
      format: 'forage.system/1',
      id: 'search-2',
      title: 'One search',
      base: 'search',
      changes: { retrieval: { k: 1 } },
    };
    const take = (name: string, system: object) =>
      page.getByLabel('Systems as JSON').setInputFiles({
        name: `${name}.system.json`,
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(system)),
      });
    await take('strange', { ...shared, changes: { telepathy: { mode: 'on' } } });
    await page.getByText(/strange\.system\.json was not imported.*telepathy/).waitFor();
    await take('newer', { ...shared, format: 'forage.system/2' });
    await page.getByText(/newer\.system\.json was not imported.*newer version of Forage/).waitFor();
    // One of the same id stays beside the own one, is ticked, and nothing is wrong any more.
    await take('other', shared);
    await page.getByRole('checkbox', { name: 'One search, imported', checked: true }).waitFor();
    await page.getByRole('checkbox', { name: 'One search', exact: true, checked: true }).waitFor();
    expect(await page.getByText('was not imported').count()).toBe(0);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
