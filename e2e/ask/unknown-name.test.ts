import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { faultsOf } from '../axe.ts';
import { slow } from '../../test/slow/slow.ts';
import { runStatus, useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';

const stage = useStage();
const SAID =
  'No passage mentions “Quilted Harbor”; any answer is a guess. The built-in encyclopedia is fictional.';

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
  await page.goto(`${stage.url}ask?recipe=naive-rag&device=wasm`);
  // Typed where sample questions are searched, which none matches.
  await page.getByLabel('Search the questions').fill('Who directed Quilted Harbor?');
  await page.getByRole('button', { name: 'Use it as your own question' }).click();
  const question = page.getByLabel('Your question');
  expect(await question.inputValue()).toBe('Who directed Quilted Harbor?');
  await page.getByTestId('question-names').waitFor();
  expect(await page.getByTestId('question-names').allTextContents()).toEqual([SAID]);
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
  expect(await page.getByTestId('verdict').textContent()).toContain('no reference answer');

  // Of names that the local corpus or the web has nothing is said, neither typed nor asked.
  await question.fill('Where was the star of Velvet Lantern born?');
  await page.getByTestId('question-names').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('heading', { name: 'Where was the star of Velvet Lantern born?' }).waitFor();
  await runStatus(page, 'done');
  expect(await page.getByTestId('unknown-names').count()).toBe(0);
  expect(await page.getByTestId('question-names').count()).toBe(0);
  expect(stage.faults).toEqual([]);
});

/** As HotpotQA writes them: what the second asks about is in no passage. */
const towns = ['Amber Town', 'Quilted Harbor'].map((name) => ({
  _id: name,
  question: `Who is the mayor of ${name}?`,
  answer: 'Ida Holm',
  context: [['Amber Town', ['Amber Town has the mayor Ida Holm.']]],
}));

/** Of an imported question: as soon as it is chosen, and in its run before the answer. */
/** Passages of your own are not fictional. */
const SAID_OF_OWN = 'No passage mentions “Quilted Harbor”; any answer is a guess.';
const ofImported = async (page: Page): Promise<void> => {
  await page.goto(`${stage.url}corpus?device=wasm`);
  await page.getByRole('heading', { name: 'Corpus' }).waitFor();
  await drop(page, { 'towns.json': JSON.stringify(towns) });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('button', { name: 'Use passages and questions now' }).click();
  await page.getByText('✓ In use. Only these passages are searched').waitFor();
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByLabel('Recipe', { exact: true }).selectOption('naive-rag');
  const said = page.getByTestId('question-names');
  await page.getByRole('option', { name: /Quilted Harbor/ }).click();
  await said.waitFor();
  expect(await said.allTextContents()).toEqual([SAID_OF_OWN]);
  expect(await page.locator('.column').count()).toBe(0);
  // On a phone the setup is put away: it is beside the button there.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Setup (s)' }).click();
  await page.locator('.welcome').getByText(SAID_OF_OWN).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Setup (s)' }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('option', { name: /Amber Town/ }).click();
  await said.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: /Quilted Harbor/ }).click();
  await watchOrder(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  expect(await page.evaluate(() => Reflect.get(window, 'came') as string[])).toEqual([
    'unknown-names',
    'verdict',
  ]);
};

/** Of the questions that an evaluation asks: how many name such things, and which, before it runs. */
const ofEvaluation = async (page: Page): Promise<void> => {
  await visit(page, stage, 'evaluate?new=1');
  const questions = page.getByRole('region', { name: 'Questions' });
  await questions.getByRole('button', { name: 'Remove: Built-in world' }).click();
  await questions.getByRole('button', { name: 'Add imported questions' }).click();
  // The built-in world, which is searched unless something else is chosen, knows neither of the towns.
  await questions.getByText(/^⚠ 2 of 2 questions name something that no passage/).waitFor();
  const advice = questions.getByText('“Search the sources chosen on Corpus”, under Retrieval');
  expect(await advice.count()).toBe(1);
  await page.getByLabel('Search the sources chosen on Corpus').check();
  const said = questions.getByText(
    '⚠ 1 of 2 questions names something that no passage searched mentions',
  );
  await said.waitFor();
  expect(await advice.count()).toBe(0);
  await said.click();
  expect(await questions.locator('.note li').allTextContents()).toEqual([
    '“Quilted Harbor” in “Who is the mayor of Quilted Harbor?”',
  ]);
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.querySelector('main')!.scrollWidth)).toBe(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  // Of the second question no passage is asked, nor is anything said.
  await questions.getByLabel('Questions, at most').fill('1');
  await questions
    .getByText('Passages that are searched mention every name found in the question.')
    .waitFor();
  expect(await questions.locator('details.note').count()).toBe(0);
};

it('says it of an imported question and in an evaluation, before any answer', async () => {
  const { page } = stage;
  await ofImported(page);
  await ofEvaluation(page);
  expect(stage.faults).toEqual([]);
}, 240_000);

slow(
  'test/lab/evaluate/look-up-names.test.ts > are looked up in one’s own passages, and in the web of that world and no other',
  'test/ui/evaluate/unknown-names.test.tsx > lists twenty of many questions, and the rest after a click',
  'e2e/ask/unknown-name.test.ts > says it of an imported question and in an evaluation, before any answer',
)(
  'says it of a world that is made for an evaluation: its questions name what one’s own passages do not',
  async () => {
    // Over the passages that the test before imported, and chose to search.
    const { page } = stage;
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByRole('button', { name: /^Remove: / }).click();
    await questions.getByRole('button', { name: 'Add a fresh world' }).click();
    const fresh = questions.getByText(/^⚠ (?:4\d|50) of 50 questions name something/);
    await fresh.waitFor({ timeout: 120_000 });
    await fresh.click();
    expect(await questions.locator('.note li').count()).toBe(20);
    expect(stage.faults).toEqual([]);
  },
  240_000,
);
