import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../../scripts/serve/server.mjs';
import { DIST } from '../browser.ts';
import { KillableBrowser } from '../killable.ts';

/** An import whose browser is killed continues where it was: nothing doubled, nothing lost. */

/** Enough that the kill comes before the last of them, on a quick machine too. */
const PASSAGES = 15_000;
const folder = mkdtempSync(join(tmpdir(), 'forage-import-'));
const file = join(folder, 'big.jsonl');
let server: Served;

beforeAll(async () => {
  server = await serve({ root: DIST });
  const line = (i: number) => {
    const text = `Passage ${i} tells of many things. `.repeat(8);
    return `${JSON.stringify({ id: `p${i}`, title: `T${i}`, text })}\n`;
  };
  writeFileSync(file, Array.from({ length: PASSAGES }, (_, i) => line(i)).join(''));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const begin = async (page: Page): Promise<void> => {
  await page.getByLabel('Files to import').setInputFiles(file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
};

/** Passages and content hash of a collection. */
const facts = async (page: Page, nth: number): Promise<string[]> => {
  const row = page.locator('[data-collection="big"]').nth(nth);
  const count = (await row.locator('td.figure').first().textContent()) ?? '';
  return [count, (await row.locator('code').getAttribute('title')) ?? ''];
};

it('is killed in the middle of an import', async () => {
  // A profile of its own for each attempt: a second one begins with nothing stored.
  const browser = new KillableBrowser();
  try {
    const url = `${server.url}corpus`;
    let page = await browser.open(url);
    await begin(page);
    await page
      .getByTestId('job')
      .getByText(/[1-9][\d,]* passages/u)
      .waitFor();
    await page.waitForTimeout(100);
    await browser.kill();

    page = await browser.open(url);
    await page.getByTestId('unfinished').waitFor();
    const kept = Number((await facts(page, 0))[0]!.replaceAll(',', ''));
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(PASSAGES);
    expect(kept % 500).toBe(0);
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Resume' }).click();
    await (await choosing).setFiles(file);
    await page
      .getByText(`“big” holds ${PASSAGES.toLocaleString('en')} passages.`)
      .waitFor({ timeout: 60_000 });

    // The same file, undisturbed.
    await begin(page);
    await page.locator('[data-collection="big"]').nth(1).waitFor({ timeout: 60_000 });
    expect(await facts(page, 0)).toEqual(await facts(page, 1));
    expect(await page.getByTestId('unfinished').count()).toBe(0);
  } finally {
    await browser.end();
  }
}, 240_000);
