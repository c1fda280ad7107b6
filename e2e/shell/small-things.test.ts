import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { drop } from '../drop.ts';
import { openPage, runStatus, useStage } from '../browser.ts';

/** What a visitor trips over: parts out of view, cut texts, hints that lead nowhere. */

const stage = useStage();

const inView = (part: Locator): Promise<boolean> =>
  part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Words on two lines, each with the text around it. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = node.textContent ?? '';
      if (!node.parentElement?.checkVisibility()) continue;
      if (node.parentElement.closest('code, pre, svg, script, style, .visually-hidden')) continue;
      for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}’']{3,24}/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (new Set(lines.map(({ top }) => Math.round(top))).size > 1)
          found.push(`${word} in “${text.slice(0, 80)}”`);
      }
    }
    return found;
  });

const shownRounds = (page: Page): Locator => page.locator('.column.focused .round-card').first();

it('a group shows rounds of its first rollout on the first screen, and its end at once after a reload', async () => {
  const page = await openPage(stage, { motion: true });
  await page.goto(`${stage.url}ask?q=dev-13&n=8&seed=1&device=wasm&run=1`);
  await runStatus(page, 'done');
  await page.getByRole('button', { name: 'Show the result (space)' }).click();
  await page.getByRole('region', { name: 'Rollout tree' }).waitFor();
  expect(await inView(shownRounds(page).locator('.part').first())).toBe(true);
  // Beside the question, also where the setup takes its place.
  const [title, replay] = await Promise.all(
    [page.locator('main h1'), page.getByRole('button', { name: 'Replay' })].map((part) =>
      part.boundingBox(),
    ),
  );
  expect(Math.abs(title!.y - replay!.y)).toBeLessThan(title!.height);

  await page.reload();
  await runStatus(page, 'done');
  await page.getByRole('region', { name: 'Rollout tree' }).waitFor();
  expect(await page.getByRole('button', { name: 'Show the result (space)' }).count()).toBe(0);
  await page.context().close();
});

it('mechanisms open in view, above the Run button', async () => {
  const page = await openPage(stage);
  await page.setViewportSize({ width: 1440, height: 720 });
  await page.goto(`${stage.url}ask`);
  await page.getByText('RDRA, STIE, NLR: as in the recipe').click();
  const first = page.locator('.mechanisms select').first();
  await expect.poll(() => inView(first)).toBe(true);
  const [field, dock] = await Promise.all([
    first.boundingBox(),
    page.locator('.run-dock').boundingBox(),
  ]);
  expect(field!.y + field!.height).toBeLessThanOrEqual(dock!.y);
  await page.context().close();
});

it('a typed question is never cut: one that is too long is kept, and not asked', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}ask`);
  await page.getByRole('button', { name: 'Your own' }).click();
  const field = page.getByLabel('Your question');
  const long = `Which ${'very '.repeat(500)}old town is it?`;
  await field.fill(long);
  await page
    .getByText('2,521 characters; a question has at most 2,000. Shorten it to ask.')
    .waitFor();
  const run = page.getByRole('button', { name: /^Run/ });
  for (const one of await run.all()) expect(await one.isDisabled()).toBe(true);
  await page.reload();
  expect(await field.inputValue()).toBe(long);
  await field.fill(long.slice(600));
  await expect.poll(() => run.first().isEnabled()).toBe(true);
  await page.context().close();
});

it('a word is no repository, an empty file says so, and keys are those of the platform', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}models`);
  await page.getByLabel('Repository or address').fill('asdf');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('"asdf" is not a repository: write owner/name').waitFor();
  await page.goto(`${stage.url}corpus`);
  await drop(page, { 'nothing.jsonl': '' });
  await page.getByText('⚠ The file is empty. Choose another file.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Corpus' }).click();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog');
  await keys.getByText('Ctrl K').waitFor();
  expect(await keys.getByText('⌘K').count()).toBe(0);
  await page.context().close();
});

it('texts break between words, on wide and narrow screens', async () => {
  for (const width of [1440, 390]) {
    const page = await openPage(stage, { width });
    for (const place of [
      'ask',
      'train?new=1',
      'runs',
      'evaluate?new=1',
      'models',
      'corpus',
      'rollouts',
    ]) {
      await page.goto(`${stage.url}${place}`);
      await page.locator('main h1').first().waitFor();
      expect(await brokenWords(page), `${place}, ${width} px`).toEqual([]);
    }
    await page.context().close();
  }
});
