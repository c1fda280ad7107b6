import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { useStage } from '../browser.ts';
import { matched } from '../rollouts-page.ts';

/** Several rollouts at once, and several files in one table. */

const stage = useStage();
const fixture = (name: string): string =>
  resolve(import.meta.dirname, `../../test/fixtures/inspect/${name}`);
const LONG = 120_000;

it(
  'a file says first how good it is; rows say why; several are tagged, exported and read side by side',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}rollouts`);
    await page.getByLabel('Rollout files').first().setInputFiles(fixture('kunlun-baize-dev.jsonl'));
    await matched(page, '10 rollouts');
    expect(await page.getByTestId('verdict').innerText()).toMatch(
      /^60 % of 10 scored rollouts are right by EM; search fails most: 3 rollouts never retrieved/,
    );
    // Five figures; no column without a value; a wrong row says why.
    expect(await page.locator('.file-figures > div').count()).toBe(5);
    for (const name of ['judge', 'reward', 'advantage', 'tags'])
      expect(
        await page
          .locator('.rollouts-table')
          .getByRole('columnheader', { name, exact: true })
          .count(),
      ).toBe(0);
    const first = page.locator('tr[data-position="0"]');
    expect(await first.locator('.row-why').innerText()).toMatch(/^The first hop was not searched/);
    // Without a second file there is nothing to compare with: the tab is grey and says so.
    const compare = page
      .getByRole('navigation', { name: 'Views of the file' })
      .getByRole('button', { name: 'Compare', exact: true });
    expect(await compare.getAttribute('aria-disabled')).toBe('true');
    expect(await compare.getAttribute('title')).toContain('needs a second file');

    await first.getByRole('checkbox').check();
    await page.locator('tr[data-position="2"]').getByRole('checkbox').check();
    const bar = page.getByRole('group', { name: 'Selected rollouts' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByLabel('Tag for the selected rollouts').fill('odd');
    await bar.getByRole('button', { name: 'Add tag' }).click();
    await bar.getByText('2 rollouts tagged “odd”').waitFor();
    await bar.getByRole('button', { name: 'Export selected' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    const { readFileSync } = await import('node:fs');
    const csv = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(csv).toHaveLength(3);
    expect(csv[1]).toContain('odd');

    await bar.getByRole('button', { name: 'Compare two side by side' }).click();
    const sides = page.locator('.beside-side');
    await expect.poll(() => sides.count()).toBe(2);
    expect(await sides.nth(0).innerText()).toMatch(/^1937 wrong · 4 searches/);
    expect(await sides.nth(1).innerText()).toMatch(/^Borish right · 2 searches/);
    await page.getByRole('button', { name: 'Changed words' }).click();
    await page.getByText(/words the same/).waitFor();
    // The tag is kept, and found.
    await page.goto(`${stage.url}rollouts`);
    await page.getByRole('link', { name: 'kunlun-baize-dev.jsonl' }).click();
    await page.getByRole('combobox', { name: 'Filter' }).fill('tags has odd');
    await page.keyboard.press('Enter');
    await matched(page, '2 of 10');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'two files are read in one table that names where each rollout is from',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}rollouts`);
    await page.getByLabel('Rollout files').first().setInputFiles(fixture('r1-searcher-dev.jsonl'));
    await matched(page, '5 rollouts');
    await page.goto(`${stage.url}rollouts`);
    await page.getByText('Select two or more files').waitFor();
    for (const name of ['r1-searcher-dev.jsonl', 'kunlun-baize-dev.jsonl'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Open as one table' }).click();
    await matched(page, '15 rollouts');
    await page.getByRole('columnheader', { name: 'run', exact: true }).waitFor();
    const table = page.locator('.rollouts-table');
    for (const name of ['r1-searcher-dev.jsonl', 'kunlun-baize'])
      expect(await table.innerText()).toContain(name);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
