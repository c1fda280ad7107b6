import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openPage, runStatus, useStage } from './browser.ts';

const stage = useStage();

/** What the page shows of a run, without times. */
const shown = (page: Page) =>
  page.evaluate(() => ({
    question: document.querySelector('h1')?.textContent,
    lines: [...document.querySelectorAll('.column')].map((column) =>
      [...column.querySelectorAll('.card')].map((card) => [
        card.getAttribute('data-kind'),
        card.querySelector('.card-text')?.textContent,
      ]),
    ),
    step: document.querySelector('.playback-step')?.textContent,
  }));

it('restores question, recipe, settings, rollout and step from the address alone', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}?device=wasm&recipe=search&n=2&seed=77&t=0.8&k=2&nlr=both`);
  await page.locator('[role=option]').nth(2).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  await page.keyboard.press(']');
  await page.locator('main').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.playback-step:has-text("2 / ")');
  const address = page.url();
  const before = await shown(page);

  const other = await openPage(stage);
  await other.goto(address);
  await runStatus(other, 'done');
  await other.waitForSelector('.playback-step:has-text("2 / ")');
  expect(await shown(other)).toEqual(before);
  expect(other.url()).toBe(address);
  expect(await other.getByLabel('Recipe').inputValue()).toBe('search');
  expect(await other.getByLabel('Temperature').inputValue()).toBe('0.8');
  expect(await other.getByLabel('NLR, who routes').inputValue()).toBe('both');
});

it('says which values of an address it could not use', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}?n=99`);
  await page.getByText('n=99').waitFor();
});
