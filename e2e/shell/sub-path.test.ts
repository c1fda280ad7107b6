import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { finishedColumns, runStatus, useStage } from '../browser.ts';

/** The built page works below any path, with every address it has and its workers. */

const BASE = '/some/where/';
const stage = useStage({ base: BASE });

/** Requests to the page's own server outside its folder, and answers that are errors. */
const strays: string[] = [];

const watch = (page: Page): void => {
  page.on('response', (response) => {
    const url = new URL(response.url());
    if (url.host !== new URL(stage.url).host) return;
    if (!`${url.pathname}/`.startsWith(BASE) || response.status() >= 400)
      strays.push(`${response.status()} ${url.pathname}`);
  });
};

beforeAll(() => watch(stage.page));

const ROLLOUTS = Array.from({ length: 3 }, (_, q) =>
  JSON.stringify({
    input: `Question: Who wrote book ${q}?\n`,
    output: '<answer> Ida Holm </answer>',
    gts: { target: ['Ida Holm'] },
    score: 1,
    step: 1,
  }),
).join('\n');

it('asks, follows its links and keys, and opens every address again', async () => {
  const { page } = stage;
  expect(new URL(stage.url).pathname).toBe(BASE);
  await page.goto(stage.url.slice(0, -1));
  await page.waitForURL(`${stage.url}ask`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  expect(await finishedColumns(page)).toBe(1);
  const permalink = page.url();
  expect(permalink.startsWith(`${stage.url}ask?`)).toBe(true);
  if (ALL_TESTS) {
    await page.reload();
    await page.waitForSelector('.column');
    expect(page.url()).toBe(permalink);
  }

  for (const name of ['Train', 'Runs', 'Corpus', 'Models']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.waitForURL(`${stage.url}${name.toLowerCase()}`);
    // Below the folder all of these are alike; one that lies deeper is loaded again in the next test.
    if (ALL_TESTS || name === 'Train') await page.reload();
    await page.locator('.rail-item.active', { hasText: name }).waitFor();
  }
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL((url) => url.pathname === `${BASE}ask`);
  expect([strays, stage.faults]).toEqual([[], []]);
});

it('opens a rollout of a file at its own address', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}rollouts`);
  await page
    .getByLabel('Rollout files')
    .setInputFiles({ name: 'a.jsonl', mimeType: '', buffer: Buffer.from(ROLLOUTS) });
  await page.waitForURL(/\/some\/where\/rollouts\/[^/]+$/);
  const row = page.locator('tr[data-position] a').nth(1);
  // Opened in a tab of its own, the link must be the whole address.
  expect(await row.getAttribute('href')).toMatch(/^\/some\/where\/rollouts\/[^/]+\/a\.jsonl%3A2/);
  await row.click();
  await page.waitForURL(/\/some\/where\/rollouts\/[^/]+\/a\.jsonl%3A2/);
  await page.reload();
  await page.getByText('Who wrote book 1?').first().waitFor();
  await page.getByRole('link', { name: 'Rollouts', exact: true }).first().click();
  await page.waitForURL(`${stage.url}rollouts`);
  expect([strays, stage.faults]).toEqual([[], []]);
});
