import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { EXAMPLES } from '../../src/ui/ask/store/examples.ts';
import { faultsInBoth } from '../axe.ts';
import { DIST, openPage, runStatus, useStage } from '../browser.ts';

/** The first screen: a recording that plays, two buttons, and the way to them by keys. */

const stage = useStage();

const hero = (page: Page) => page.locator('figure.hero');
const beat = async (page: Page): Promise<number> =>
  Number(await hero(page).getAttribute('data-beat'));

it('plays a recording: the tree grows with its captions, pauses on request, and moves nothing else', async () => {
  const page = await openPage(stage, { stranger: true, motion: true });
  await page.goto(`${stage.url}ask?device=wasm`);
  const caption = page.locator('.hero-caption');
  await caption.getByText(/^Before training: 8 tries/).waitFor();
  const top = async () => (await page.locator('.hero-curve').boundingBox())?.y;
  const before = await top();
  await caption.getByText(/^It answers “.*wrong: it is/).waitFor();
  await expect.poll(() => page.locator('.hero-part.shown').count()).toBeGreaterThanOrEqual(8);
  await page.getByRole('button', { name: 'Pause' }).click();
  const at = await beat(page);
  await page.waitForTimeout(5000);
  expect(await beat(page)).toBe(at);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => beat(page)).toBeGreaterThan(at);
  expect(await top()).toBe(before);
  // The panel of settings is not in the way of a stranger.
  expect(await page.getByRole('complementary', { name: 'What to run' }).count()).toBe(0);
  await page.context().close();
});

it('shows the end where motion is reduced, says that it is a recording, and of what', async () => {
  const page = await openPage(stage, { stranger: true });
  await page.goto(`${stage.url}ask?device=wasm`);
  await page.locator('.hero-caption').getByText('tries are right now').waitFor();
  expect(await hero(page).getAttribute('data-ended')).toBe('true');
  expect(await hero(page).getAttribute('aria-label')).toMatch(
    /^Recording: 8 rollouts of .* rises from \d+ % to \d+ % in \d+:\d\d minutes\.$/,
  );
  await page.getByText(/^A real recording, \d+ \w+ 20\d\d: .*search\/grpo/).waitFor();
  expect(await page.locator('.hero-answer-text').count()).toBe(8);
  expect(await faultsInBoth(page)).toEqual([]);
  await page.context().close();
});

it('leads from the address bar to a finished run by at most six keys, of the question that was shown', async () => {
  const page = await openPage(stage, { stranger: true });
  await page.goto(`${stage.url}ask?device=wasm`);
  const shown = await page.locator('.hero-question').textContent();
  expect(shown).toBe(EXAMPLES[0]);
  const keys = ['Tab', 'Enter', 'Tab', 'Enter'];
  for (const key of keys) await page.keyboard.press(key);
  await runStatus(page, 'done');
  expect(await page.locator('main h1').textContent()).toBe(shown);
  // The first run opens the settings; if the user closes them, they stay closed.
  const setup = page.getByRole('complementary', { name: 'What to run' });
  await setup.waitFor();
  await page.keyboard.press('s');
  await setup.waitFor({ state: 'hidden' });
  await page.reload();
  await runStatus(page, 'done');
  expect(await setup.count()).toBe(0);
  await page.context().close();
});

it('starts the training of the tour by its second button', async () => {
  const page = await openPage(stage, { stranger: true });
  await page.goto(`${stage.url}ask?device=wasm`);
  await page.getByRole('button', { name: 'Train it (2 min)' }).click();
  await page.waitForURL(/train\?run=/);
  await page.getByText('Learning to search, 10 steps').first().waitFor();
  await page.locator('.bar-stop').waitFor();
  await page.context().close();
});

it('is set in the font that the build has, one file with its licence', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm`);
  await expect
    .poll(() => page.evaluate(() => document.fonts.check('13px "Inter Variable"', 'Forage 0123')))
    .toBe(true);
  const fonts = readdirSync(join(DIST, 'assets')).filter((file) => /^inter.*\.woff2$/.test(file));
  expect(fonts).toHaveLength(1);
  const notices = readFileSync(join(DIST, 'THIRD-PARTY.txt'), 'utf8');
  expect(notices).toContain('@fontsource-variable/inter');
  expect(notices).toContain('SIL OPEN FONT LICENSE');
});
