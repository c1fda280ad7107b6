import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Page } from 'playwright-core';
import { RECIPES } from '../../src/systems/index.ts';
import { faultsInBoth } from '../axe.ts';
import { eventKinds, openMore, openPage, runStatus, useStage } from '../browser.ts';

const stage = useStage();

const recordSchema = z.object({ format: z.string(), events: z.array(z.unknown()) });

/** What the page shows of a run, without times. */
const shown = (page: Page) =>
  page.evaluate(() => ({
    question: document.querySelector('h1')?.textContent,
    lines: [...document.querySelectorAll('.column')].map((column) =>
      [...column.querySelectorAll('.part')].map((card) => [
        card.getAttribute('data-kind'),
        card.querySelector('.part-text')?.textContent,
      ]),
    ),
    step: document.querySelector('.playback-step')?.textContent,
  }));

/** Plays with the space bar while a card has the focus, shows one in full with Enter, and downloads both rollouts. */
const playAndDownload = async (page: Page): Promise<void> => {
  const card = page.locator('.column').first().locator('.part').first();
  await openMore(page);
  await card.focus();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Pause (space)' }).waitFor();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play (space)' }).waitFor();
  await page.keyboard.press('Escape');
  const details = page.getByRole('complementary', { name: 'Details' });
  await page.locator('.column').first().locator('.part').nth(1).focus();
  await page.keyboard.press('Enter');
  await details.getByText(/^event 2 of/).waitFor();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSONL' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  const records = lines.map((line) => recordSchema.parse(JSON.parse(line)));
  expect(records.map(({ format }) => format)).toEqual(['forage.rollout/1', 'forage.rollout/1']);
  expect(records[0]?.events.length).toBe(
    await page.locator('.column').first().locator('.part').count(),
  );
};

it('restores question, recipe, settings, rollout and step from the address; plays by keys, and exports the rollouts', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&recipe=search&n=2&seed=77&t=0.8&k=2&nlr=both`);
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
  await playAndDownload(page);

  const other = await openPage(stage);
  await other.goto(address);
  await runStatus(other, 'done');
  await other.waitForSelector('.playback-step:has-text("2 / ")');
  expect(await shown(other)).toEqual(before);
  expect(other.url()).toBe(address);
  expect(await other.getByLabel('Recipe').inputValue()).toBe('search');
  expect(await other.getByLabel('Temperature').inputValue()).toBe('0.8');
  expect(await other.getByLabel('NLR: who chooses the source').inputValue()).toBe('both');

  // All recipes in a sentence each: by keys the next one is chosen, and its own sentence stands alone too.
  const sentence = await other.getByTestId('recipe-sentence').textContent();
  await other.getByText(/^All \d+ recipes/).click();
  await other.getByRole('radio', { checked: true }).press('ArrowDown');
  const chosen = other.getByRole('radio', { checked: true });
  await chosen.and(other.locator(':focus')).waitFor();
  expect(await other.getByLabel('Recipe').inputValue()).toBe(
    RECIPES[RECIPES.findIndex(({ id }) => id === 'search') + 1]?.id,
  );
  expect(await other.getByTestId('recipe-sentence').textContent()).not.toBe(sentence);
  // With the events that are still to come in view.
  await other.locator('.part.ahead').last().scrollIntoViewIfNeeded();
  expect(await faultsInBoth(other)).toEqual([]);
});

it('asks which counts where an address works with something else than this device', async () => {
  const page = await openPage(stage, { colorScheme: 'dark', width: 390 });
  const link = {
    policy: { k: 'checkpoint', n: 'Qwen', h: '0123456789ab' },
    summarizer: 'extractive',
  };
  const query = new URLSearchParams({
    device: 'wasm',
    recipe: 'naive-rag',
    ask: 'Who directed Velvet Lantern?',
    form: '2',
    with: JSON.stringify(link),
    run: '1',
  });
  await page.goto(`${stage.url}ask?${query}`);
  const note = page.locator('.linked-setup');
  await note.getByText('the checkpoint “Qwen”: add it on Models').waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await page.locator('.column').count()).toBe(0);
  // Nothing ran; what is here of it is used, and the address says so.
  await note.getByRole('button', { name: 'Use the parts that are here and run' }).click();
  await runStatus(page, 'done');
  expect(await note.count()).toBe(0);
  const carried = new URL(page.url()).searchParams.get('with');
  expect(JSON.parse(carried ?? '')).toEqual({ summarizer: 'extractive' });
  expect((await eventKinds(page)).includes('summarize')).toBe(true);
  await page.context().close();
});

it('says which values of an address it could not use', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?n=99`);
  await page.getByText('n=99').waitFor();
});
