import { describe, expect, it } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth, faultsOf } from '../axe.ts';
import { openMore, openPage, runStatus, useStage, visit } from '../browser.ts';
import { unexplained, unfold } from '../words.ts';

const stage = useStage();
const LONG = 180_000;

describe('axe finds no fault, in the light and in the dark,', () => {
  it(
    'in a first visit, in the list of keys and in the palette',
    async () => {
      const { page } = stage;
      await page.goto(`${stage.url}ask?device=wasm`);
      await page.waitForSelector('[role=option]');
      expect(await faultsInBoth(page)).toEqual([]);
      for (const key of ['?', 'Control+k']) {
        await page.keyboard.press(key);
        await page.getByRole('dialog').waitFor();
        expect(await faultsInBoth(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    },
    LONG,
  );

  it(
    'in a rollout with all that is shown of it',
    async () => {
      const { page } = stage;
      await visit(page, stage, 'ask?device=wasm');
      await page.getByRole('button', { name: 'Watch it answer' }).click();
      await runStatus(page, 'done');
      await openMore(page);
      await page.locator('.part[data-kind="search"]').first().click();
      expect(await faultsInBoth(page)).toEqual([]);
      // Every acronym opens what it means, in the labels of the setup and what is chosen there too.
      await unfold(page);
      expect(await unexplained(page)).toEqual([]);
    },
    LONG,
  );

  it(
    'in the other places',
    async () => {
      const { page } = stage;
      for (const place of ['corpus', 'models', 'train', 'evaluate']) {
        await visit(page, stage, place);
        await page.locator(`.rail-item.active[href$="/${place}"]`).waitFor();
        await page.waitForSelector('main h1');
        expect(await faultsInBoth(page)).toEqual([]);
        await unfold(page);
        expect(await unexplained(page), place).toEqual([]);
      }
      for (const [form, button] of [
        ['train?new=1', 'Start training'],
        ['evaluate?new=1', 'Run'],
      ] as const) {
        await visit(page, stage, form);
        await page.getByRole('button', { name: button, exact: true }).waitFor();
        await unfold(page);
        expect(await unexplained(page), form).toEqual([]);
        expect(await faultsOf(page), form).toEqual([]);
      }
    },
    LONG,
  );
});

slow(
  'e2e/shell/widths.test.ts > shows how far loading is beside the button that waits for it, at 200 % too, and then one rollout at a time at 390 pixels',
)(
  'works at 390 pixels: one rollout at a time, nothing wider than the screen',
  async () => {
    const page = await openPage(stage, { width: 390 });
    await page.goto(`${stage.url}ask?device=wasm&recipe=naive-rag&n=2`);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    await page.getByRole('tab', { name: '2' }).click();
    expect(await page.locator('.details').count()).toBe(0);
    // An event far down moves the rollout, never the frame around it, and is shown in full.
    await page.locator('.column:visible .part').last().click();
    expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0);
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByText(/^event \d+ of/)
      .waitFor();
    expect(await page.locator('.column:visible').count()).toBe(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    expect(await faultsOf(page)).toEqual([]);
  },
  LONG,
);
