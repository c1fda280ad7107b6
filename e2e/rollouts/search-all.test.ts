import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { faultsInBoth } from '../axe.ts';
import { useStage } from '../browser.ts';
import { drop } from '../drop.ts';

/** A search of all rollouts of all files, from the field and from ⌘K, and what a hit leads to. */

const stage = useStage();
const OURS = resolve(import.meta.dirname, '../../test/fixtures/inspect/kunlun-baize-dev.jsonl');

/**
 * Rollouts in R1-Searcher's layout. The answer of two in OURS is in a passage of the second, and in a passage
 * and then a thought of the third.
 */
const THEIRS = [
  ['Where is the lighthouse of Ulm?', 'Ulm has no lighthouse.', 'I give up.', 'nowhere'],
  ['Who keeps the old mill?', 'The mill of Zeleria is kept by Ida.', 'It is Ida.', 'Ida'],
  [
    'Who keeps the new mill?',
    'The new mill of Zeleria is empty.',
    'So in Zeleria nobody.',
    'nobody',
  ],
]
  .map(([question, passage, thought, answer]) =>
    JSON.stringify({
      question,
      answer,
      pred_ans: ` ${answer} `,
      stop_reason_final: 'finished',
      gen_text_store: ` I look.\n\n<|begin_of_query|> mill<|end_of_query|>\n\n<|begin_of_documents|>\n(1)Title: Mill Text:  ${passage}\n<|end_of_documents|>\n\n${thought} The final answer is <answer> ${answer} </answer>`,
    }),
  )
  .join('\n');

const results = (page: Page) => page.getByTestId('found-rollouts');
const said = (page: Page, words: string) => results(page).getByText(words).waitFor();
const marked = (page: Page, name: string) =>
  page.getByRole('region', { name }).locator('.search-hit mark').allInnerTexts();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
/** How wide the page is beyond its screen. */
const beyond = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

it('finds words in passages and answers of all files, opens them at the place, and is an address', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}rollouts`);
  await page.locator('main').waitFor();
  await drop(page, {
    'ours.jsonl': readFileSync(OURS, 'utf8'),
    'theirs.jsonl': THEIRS,
  });
  await page.getByRole('link', { name: 'ours.jsonl' }).waitFor();
  await page.getByRole('link', { name: 'theirs.jsonl' }).waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('zelERIA');
  await said(page, '4 of 13 rollouts have “zelERIA”, in 2 files');
  // In ours the answer has it and the passage that told it; in theirs a passage or a thought.
  expect(await marked(page, 'ours.jsonl')).toEqual(Array<string>(4).fill('Zeleria'));
  expect(await marked(page, 'theirs.jsonl')).toEqual(['Zeleria', 'Zeleria']);
  expect(await faultsInBoth(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  for (const width of [390, 720, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await beyond(page)).toBe(0);
  }

  // The latest file is the first; down from the field, and back up to it.
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toContain('The mill of Zeleria is kept by Ida.');
  await page.keyboard.press('ArrowUp');
  expect(await page.locator('#rollouts-search:focus').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toContain('So in Zeleria nobody.');
  await page.keyboard.press('Enter');

  await page.locator('.reader-head').waitFor();
  expect(new URL(page.url()).searchParams.get('find')).toBe('zelERIA');
  const current = page.locator('mark.is-current');
  const row = page.locator('.raw-row', { has: current });
  await row.waitFor();
  expect(await current.innerText()).toBe('Zeleria');
  // What was shown of the rollout, though a passage before it has the words too.
  expect(await row.innerText()).toContain('So in Zeleria nobody.');
  expect(await page.getByRole('status').getByText('2 of 2').count()).toBe(1);

  // Back leads to what was found, where it was left, without another search.
  await page.goBack();
  await said(page, '4 of 13 rollouts have “zelERIA”');
  await expect.poll(() => focused(page)).toContain('So in Zeleria nobody.');
  // The address alone does it too.
  await page.reload();
  await said(page, '4 of 13 rollouts have “zelERIA”');
  expect(await page.getByRole('searchbox', { name: 'Search all rollouts' }).inputValue()).toBe(
    'zelERIA',
  );

  // The file's name leads to all of them in its table.
  await page.getByRole('region', { name: 'ours.jsonl' }).getByRole('link').first().click();
  await page.getByText('2 of 10', { exact: true }).waitFor();

  // By the palette, from there; and nothing found says so.
  await page.evaluate(() => {
    // Whoever types fast writes on before the next frame is drawn.
    dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    document.execCommand('insertText', false, 'no ');
  });
  await page.keyboard.type('such words');
  await page.getByRole('option', { name: /Rollouts with “no such words”/ }).click();
  await said(page, 'No rollout contains “no such words”');
  expect(await results(page).innerText()).toMatch(
    /all texts of 13 rollouts\..*a shorter text finds more/s,
  );
  expect(stage.faults).toEqual([]);
});
