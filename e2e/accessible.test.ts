import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, runStatus, useStage } from './browser.ts';

const stage = useStage();

const faultsOf = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
  );
};

it.each(['light', 'dark'] as const)(
  'has no accessibility fault that axe finds, %s',
  async (scheme) => {
    const page = await openPage(stage, { colorScheme: scheme });
    await page.goto(`${stage.url}?device=wasm`);
    await page.waitForSelector('[role=option]');
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Run an example' }).click();
    await runStatus(page, 'done');
    await page.getByRole('button', { name: 'open all' }).click();
    await page.locator('.card-line').first().click();
    expect(await faultsOf(page)).toEqual([]);

    for (const key of ['?', 'Control+k']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    for (const place of ['corpus', 'models', 'train']) {
      await page.goto(`${stage.url}${place}`);
      await page.waitForSelector('main h1');
      expect(await faultsOf(page)).toEqual([]);
    }
  },
);

it('works at 390 pixels: nothing is wider than the screen', async () => {
  const page = await openPage(stage, { width: 390 });
  await page.goto(`${stage.url}?device=wasm&recipe=naive-rag&n=2`);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await runStatus(page, 'done');
  await page.getByRole('tab', { name: '2' }).click();
  expect(await page.locator('.column:visible').count()).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await faultsOf(page)).toEqual([]);
});
