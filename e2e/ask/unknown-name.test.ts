import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage();
const SAID =
  'No passage that can be searched mentions “Quilted Harbor”: what is answered about it has no support there.';

/** Which of the two came on the page first, note or verdict, from now on. */
const watchOrder = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const came: string[] = [];
    Object.assign(window, { came });
    new MutationObserver(() => {
      for (const id of ['unknown-names', 'verdict'])
        if (!came.includes(id) && document.querySelector(`[data-testid=${id}]`)) came.push(id);
    }).observe(document.body, { childList: true, subtree: true });
  });

it('says which name no passage mentions while the question is typed, and in the run before its answer', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?form=2&recipe=naive-rag&device=wasm`);
  await page.getByRole('button', { name: 'Type one' }).click();
  const question = page.getByLabel('Your question');
  await question.fill('Who directed Quilted Harbor?');
  await page.getByTestId('posed-names').waitFor();
  expect(await page.getByTestId('posed-names').allTextContents()).toEqual([SAID]);
  // Nothing was asked yet.
  expect(await page.getByTestId('run-status').textContent()).not.toContain('done');
  expect(await page.locator('.column').count()).toBe(0);

  await watchOrder(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  expect(await page.getByTestId('unknown-names').allTextContents()).toEqual([SAID]);
  expect(await page.evaluate(() => Reflect.get(window, 'came') as string[])).toEqual([
    'unknown-names',
    'verdict',
  ]);
  expect(await page.getByTestId('verdict').textContent()).toContain('no gold known');

  // Of names that the local corpus or the web has nothing is said, neither typed nor asked.
  await question.fill('Where was the star of Velvet Lantern born?');
  await page.getByTestId('posed-names').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('heading', { name: 'Where was the star of Velvet Lantern born?' }).waitFor();
  await runStatus(page, 'done');
  expect(await page.getByTestId('unknown-names').count()).toBe(0);
  expect(await page.getByTestId('posed-names').count()).toBe(0);
  expect(stage.faults).toEqual([]);
});
