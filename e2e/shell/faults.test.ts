import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { faultsOf } from '../axe.ts';
import { DIST, openMore, runStatus, useStage } from '../browser.ts';

const stage = useStage();
afterEach(() => stage.page.unrouteAll({ behavior: 'ignoreErrors' }));

/** The name of the built script whose source has this name. */
const scriptOf = (name: string): string => {
  const file = readdirSync(join(DIST, 'assets')).find(
    (one) => one.startsWith(`${name}-`) && one.endsWith('.js'),
  );
  if (file === undefined) throw new Error(`dist/assets has no script of ${name}`);
  return file;
};

/** Components of this name throw from now on, as they would with a defect. */
const breakScript = async (page: Page, name: string, exported: string): Promise<void> => {
  const body = `const broken = () => { throw new Error('${name} is broken'); };\nexport { broken as ${exported} };`;
  await page.route(`**/assets/${scriptOf(name)}`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body }),
  );
};

const faultIn = (page: Page, within: string) =>
  page.locator(within).getByRole('alert').filter({ hasText: 'could not be' });

it('a page that throws says so in its place, and the others open', async () => {
  const { page } = stage;
  await breakScript(page, 'ModelsPage', 'default');
  await page.goto(`${stage.url}runs`);
  await page.getByRole('link', { name: 'Models' }).first().click();
  const fault = faultIn(page, 'main');
  await fault.waitFor();
  expect(await fault.innerText()).toMatch(
    /This page could not be shown\s+ModelsPage is broken\. Stored data is unchanged/,
  );
  expect(await faultsOf(page, 'main')).toEqual([]);
  await page.getByRole('link', { name: 'Corpus' }).first().click();
  await page.locator('main h1', { hasText: 'Corpus' }).waitFor();
  expect(await faultIn(page, 'main').count()).toBe(0);
  // It is tried again where one comes back to it.
  await page.goBack();
  await page.goBack();
  await page.goForward();
  await fault.waitFor();
});

it('says how to continue when a page’s file does not load, and continues', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}runs`);
  await page.route(`**/assets/${scriptOf('EvaluatePage')}`, (route) => route.abort());
  await page.getByRole('link', { name: 'Evaluate' }).first().click();
  const fault = faultIn(page, 'main');
  await fault.waitFor();
  expect(await fault.innerText()).toMatch(
    /could not be loaded\s+One of its files could not be loaded/,
  );
  await page.unrouteAll();
  await fault.getByRole('button', { name: 'Reload the page' }).click();
  await page.locator('main h1').waitFor();
  expect(new URL(page.url()).pathname).toBe('/evaluate');
});

it('the file of a page is on its way when the pointer comes to its name', async () => {
  const { page } = stage;
  const asked = page.waitForRequest(`**/assets/${scriptOf('RunsPage')}`);
  await page.getByRole('link', { name: 'Runs' }).first().hover();
  await asked;
  expect(new URL(page.url()).pathname).toBe('/evaluate');
});

it('a part that throws leaves the rollout, and an explanation the page', async () => {
  const { page } = stage;
  await breakScript(page, 'Waterfall', 'Waterfall');
  await breakScript(page, 'Explanation', 'default');
  await page.goto(`${stage.url}?device=wasm`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  await openMore(page);
  await page.locator('.column-time summary').first().click();
  const part = faultIn(page, '.column-time');
  await part.waitFor();
  expect(await part.innerText()).toMatch(/The chart of times could not be shown/);
  expect(await page.locator('.part[data-kind="answer"]').count()).toBe(1);

  await page.locator('main button.explained').first().click();
  const over = faultIn(page, '.over-page');
  await over.waitFor();
  await over.getByRole('button', { name: 'Hide' }).click();
  expect(await over.count()).toBe(0);
  expect(await page.locator('.part[data-kind="answer"]').count()).toBe(1);
});
