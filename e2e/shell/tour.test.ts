import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { openMore, openPage, runStatus, useStage, visit } from '../browser.ts';

/** What a stranger is shown, by the very things that the pages do. */

const stage = useStage();

/** Words open what they mean, by a click or by Enter, and give the focus back. */
const opensWords = async (page: Page): Promise<void> => {
  await openMore(page);
  const word = page.getByTestId('verdict').getByRole('button', { name: 'recall' });
  await word.focus();
  await page.keyboard.press('Enter');
  const explanation = page.getByRole('dialog', { name: 'recall' });
  await explanation.getByText('Share of the supporting passages').waitFor();
  await page.keyboard.press('Escape');
  await explanation.waitFor({ state: 'hidden' });
  expect(await word.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('?');
  const all = page.getByRole('dialog', { name: 'Keys and words' });
  await all.getByText('STIE, redundancy filter').waitFor();
  await page.keyboard.press('Escape');
};

it('leads from a question to the next chapter, explains words, and continues after a reload', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}ask?device=wasm`);
  await page.getByRole('button', { name: 'take the tour' }).click();
  const tour = page.getByRole('complementary', { name: 'Guided tour' });
  await tour.getByRole('heading', { name: '1 of 6: Ask a question' }).waitFor();
  await tour.getByRole('button', { name: 'Skip' }).waitFor();
  await tour.getByRole('button', { name: 'Ask an example' }).click();
  await runStatus(page, 'done');
  await tour.getByRole('button', { name: 'Next', exact: true }).click();
  await tour.getByText('Every card is one round').waitFor();
  expect(await faultsInBoth(page)).toEqual([]);
  await opensWords(page);
  await tour.getByRole('button', { name: 'Next chapter' }).click();
  await tour.getByRole('heading', { name: '2 of 6: Train ten steps' }).waitFor();

  await page.goto(`${stage.url}runs`);
  await page.getByRole('button', { name: 'All commands' }).click();
  expect(await tour.count()).toBe(0);
  // Nothing trains, so nothing is offered that pauses it.
  expect(await page.getByRole('option', { name: 'Pause training' }).count()).toBe(0);
  // Questions come with the text, of a page that needs none and was opened first.
  const command = page.getByRole('combobox', { name: 'Command' });
  await command.fill('borzar medal');
  await page
    .getByRole('option', { name: /^Question / })
    .first()
    .waitFor();
  await command.fill('guided tour');
  await page.keyboard.press('Enter');
  await tour.getByRole('heading', { name: '2 of 6: Train ten steps' }).waitFor();
  await tour.getByRole('button', { name: '✓ Ask a question' }).waitFor();
  await tour.getByRole('button', { name: 'Close the tour' }).click();
  expect(await tour.count()).toBe(0);
  expect(stage.faults).toEqual([]);
});

it('covers no field of a phone, and what the form held before comes back', async () => {
  const page = await openPage(stage, { width: 390 });
  await page.goto(`${stage.url}train?device=wasm`);
  const steps = page.getByLabel('Steps', { exact: true });
  await steps.fill('7');
  await visit(page, stage, 'models');
  await page.getByRole('button', { name: 'Show me how' }).click();
  const tour = page.getByRole('complementary', { name: 'Guided tour' });
  await tour.getByRole('button', { name: 'Skip' }).click();
  await tour.getByRole('button', { name: 'Skip' }).click();
  await tour.getByRole('button', { name: 'Make demonstrations' }).click();
  await expect.poll(() => steps.inputValue()).toBe('10');

  /** Height of the tour, and how far it reaches over the page. */
  const measured = async () => {
    const [card, main] = await Promise.all([
      tour.boundingBox(),
      page.locator('main').boundingBox(),
    ]);
    if (!card || !main) throw new Error('the tour or the page is not shown');
    return { height: card.height, over: Math.max(0, main.y + main.height - card.y) };
  };
  expect((await measured()).over).toBe(0);
  // The field in use has the room: a line is left of the tour.
  await page.getByLabel('Seed', { exact: true }).focus();
  await expect.poll(async () => (await measured()).height).toBeLessThan(48);
  expect((await measured()).over).toBe(0);
  const seen = await page.getByLabel('Seed', { exact: true }).evaluate((field) => {
    const { x, y, width, height } = field.getBoundingClientRect();
    return field.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  expect(seen).toBe(true);
  await tour.getByRole('button', { name: 'unfold' }).click();
  await tour.getByRole('button', { name: 'Make demonstrations' }).waitFor();

  await page
    .getByText(/^Replaced “/)
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => steps.inputValue()).toBe('7');
  expect(stage.faults).toEqual([]);
});

slow(
  'e2e/shell/tour.test.ts > leads from a question to the next chapter, explains words, and continues after a reload',
)('reaches questions from a page that needs none, where it is opened first', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}rollouts`);
  await page.getByRole('button', { name: 'All commands' }).click();
  await page.getByRole('combobox', { name: 'Command' }).fill('borzar medal');
  await page
    .getByRole('option', { name: /^Question / })
    .first()
    .waitFor();
  expect(stage.faults).toEqual([]);
});

slow(
  'e2e/shell/tour.test.ts > leads from a question to the next chapter, explains words, and continues after a reload',
  'test/ui/tour/chapters.test.tsx > compares three systems on 20 questions, or shows the form with the reason',
  'test/ui/shell/things.test.ts > ⌘K selects a system for the next evaluation, also a custom one, and keeps the others selected',
  'test/ui/shell/things.test.ts > ⌘K finds questions by all of their words, and passages by the text',
)(
  'leads from a question to a comparison, waits while one looks around, and goes on after a reload',
  async () => {
    // Of its own, so that a second attempt begins at the beginning.
    const page = await openPage(stage);
    await page.goto(`${stage.url}ask?device=wasm`);
    await page.getByRole('button', { name: 'take the tour' }).click();
    const tour = page.getByRole('complementary', { name: 'Guided tour' });
    await tour.getByRole('heading', { name: '1 of 6: Ask a question' }).waitFor();

    // What was not done yet can be skipped, what was done is gone on from.
    await tour.getByRole('button', { name: 'Skip' }).waitFor();
    await tour.getByRole('button', { name: 'Ask an example' }).click();
    await runStatus(page, 'done');
    await tour.getByRole('button', { name: 'Next', exact: true }).click();
    await tour.getByText('Every card is one round').waitFor();
    expect(await faultsInBoth(page)).toEqual([]);

    await opensWords(page);
    await tour.getByRole('button', { name: 'Next chapter' }).click();

    await tour.getByRole('heading', { name: '2 of 6: Train ten steps' }).waitFor();
    await page.reload();
    expect(await tour.count()).toBe(0);
    await page.getByRole('button', { name: 'All commands' }).click();
    const command = page.getByRole('combobox', { name: 'Command' });
    // Nothing trains, so nothing is offered that pauses it; questions and passages come with the text.
    expect(await page.getByRole('option', { name: 'Pause training' }).count()).toBe(0);
    await command.fill('borzar medal');
    await page
      .getByRole('option', { name: /^Question / })
      .first()
      .waitFor();
    await page.getByRole('option', { name: 'Passages for “borzar medal”' }).click();
    await page.getByText('passages for “borzar medal”').waitFor();
    // Of a page that plays nothing ⌘K offers no playback; a system it ticks for the next evaluation.
    await page.getByRole('button', { name: 'All commands' }).click();
    await page.getByRole('option', { name: /Theme: light or dark/ }).waitFor();
    expect(await page.getByRole('option', { name: /^(Playback|Rollouts) / }).count()).toBe(0);
    await command.fill('evaluate self-rag');
    await page.getByRole('option', { name: /^System Evaluate Self-RAG/ }).click();
    await page.waitForURL(/evaluate\?new=1/);
    await page.getByRole('checkbox', { name: /^Self-RAG/, checked: true }).waitFor();
    await page.getByRole('button', { name: 'All commands' }).click();
    await command.fill('guided tour');
    await page.keyboard.press('Enter');
    await tour.getByRole('heading', { name: '2 of 6: Train ten steps' }).waitFor();
    await tour.getByRole('button', { name: '✓ Ask a question' }).waitFor();

    await tour.getByRole('button', { name: 'Compare systems' }).click();
    await tour.getByRole('button', { name: 'Compare three systems on 20 questions' }).click();
    await page.getByRole('heading', { name: 'Tour: three systems, 20 questions' }).waitFor();
    await page.getByTestId('evaluating').waitFor();
    await page.getByRole('button', { name: 'Stop what is running' }).click();
    await tour.getByRole('button', { name: 'Close the tour' }).click();
    expect(await tour.count()).toBe(0);
    expect(stage.faults).toEqual([]);
  },
);
