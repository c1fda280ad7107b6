import { expect, it } from 'vitest';
import { faultsOf } from './axe.ts';
import { openPage, useStage } from './browser.ts';

const stage = useStage();
const LONG = 240_000;

it(
  'the page of clusters builds the index, traces a query beside the exact scan, learns and forgets',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}corpus?device=wasm`);
    await page.getByRole('link', { name: 'Clusters' }).click();
    const facts = page.getByTestId('cluster-facts');
    await facts.waitFor({ timeout: 60_000 });
    expect(await facts.textContent()).toMatch(/4,267 passages of 96 dimensions in \d+ clusters/);
    expect(await facts.textContent()).toContain('Built in');

    await page.getByLabel('Query').fill('film director');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.waitFor();
    // The figures of the table are those of the sentence: what clusters allot is what is ranked again.
    const cells = await answer
      .getByRole('region', { name: 'Shares of the clusters' })
      .locator('tbody tr td:nth-child(7)')
      .allTextContents();
    const allotted = cells.reduce((sum, text) => sum + parseInt(text.replace(',', ''), 10), 0);
    expect(allotted).toBe(1000);
    expect(await answer.getByRole('status').textContent()).toMatch(
      /1,000 kept as candidates .* (9|10) of the 10 best of the exact scan/,
    );

    // One query was learned from; a hundred more, and then none.
    const temperature = page.getByRole('img', { name: /^Temperature by queries/ });
    expect(await temperature.getAttribute('aria-label')).toBe(
      'Temperature by queries: 1.20 after 1',
    );
    await page.getByRole('button', { name: 'Ask 100 questions' }).click();
    await page.getByRole('img', { name: 'Temperature by queries: 1.19 after 101' }).waitFor();
    await page.getByRole('button', { name: 'Forget what was learned' }).click();
    await page.getByRole('img', { name: 'Temperature by queries: 1.20 after 0' }).waitFor();

    // Built once: the next visit reads it.
    await page.reload();
    await facts.waitFor({ timeout: 60_000 });
    expect(await facts.textContent()).toContain('Read from storage in');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it.each([
  ['light', 1440],
  ['dark', 390],
] as const)(
  'axe finds no fault in the page of clusters, %s at %i px, and nothing is wider than it',
  async (colorScheme, width) => {
    const page = await openPage(stage, { colorScheme, width });
    await page.goto(`${stage.url}cluster?device=wasm`);
    await page.getByTestId('cluster-facts').waitFor({ timeout: 60_000 });
    await page.getByLabel('Query').fill('film director');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: 'What was found' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(over).toBe(0);
    await page.context().close();
  },
  LONG,
);
