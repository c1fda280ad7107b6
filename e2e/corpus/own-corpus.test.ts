import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { eventKinds, runStatus, useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';
import { startSmall, status } from '../training.ts';

/** Questions and passages of your own: imported, searched by every method, asked, and trained on. */

const stage = useStage();

/** As HotpotQA writes them: towns and their mayors, over two hops. */
const questions = Array.from({ length: 60 }, (_, n) => ({
  _id: `hop-${n}`,
  question: `Who is the mayor of the town on river ${n}?`,
  answer: `Mayor ${n} Öberg`,
  type: 'bridge',
  level: 'medium',
  supporting_facts: [
    [`River ${n}`, 0],
    [`Town ${n}`, 0],
  ],
  context: [
    [`River ${n}`, [`River ${n} runs through Town ${n}.`, 'It is long.']],
    [
      `Town ${n}`,
      [`Town ${n} has the mayor Mayor ${n} Öberg.`, 'It is old, “so they say” – 日本.'],
    ],
  ],
}));

const METHODS = ['flat', 'hnsw', 'cluster', 'hybrid', 'lexical'] as const;

const rows = (page: Page) => page.locator('.plain-table tbody tr');

/** Answers a query by a method, once what is searched with was opened for it. */
const search = async (page: Page, method: (typeof METHODS)[number]): Promise<void> => {
  await page.getByLabel('Method').selectOption(method);
  const names = { flat: 'exact scan', hnsw: 'HNSW', cluster: 'cluster', hybrid: 'fused' };
  const note = method === 'lexical' ? /^BM25\+$/ : new RegExp(names[method]);
  await page.getByTestId('retriever').filter({ hasText: note }).waitFor();
  await page.getByLabel('Query', { exact: true }).fill('River 17 runs through Town 17');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByText(/passages for “River 17/).waitFor();
  expect(await rows(page).count(), method).toBe(20);
};

it('searches an imported collection, shows the clusters that answered, and asks of it', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}corpus?device=wasm`);
  await page.getByRole('heading', { name: 'Corpus' }).waitFor();
  await drop(page, { 'rivers.json': JSON.stringify(questions) });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText(/^“rivers” holds 120 passages and 60 questions/).waitFor();
  // What was stored shows without a reload.
  await page
    .getByTestId('storage-used')
    .filter({ hasText: /storage [1-9]/ })
    .waitFor();
  await page.getByRole('button', { name: 'Use passages and questions now' }).click();
  await page.getByText('✓ In use. Only these passages are searched').waitFor();
  // The built-in web knows nothing of these passages.
  expect(await page.getByLabel('Runs search').inputValue()).toBe('local');

  // Words alone need no vectors: nothing is encoded before that is asked for.
  await search(page, 'lexical');
  expect(await rows(page).first().innerText()).toContain('17');
  await page.getByRole('link', { name: 'Clusters' }).click();
  await page.getByText('120 passages have no vectors').waitFor();
  await page.getByRole('button', { name: 'Search by clusters' }).click();
  await page.getByText('In use: this index answers the searches').waitFor();
  await page.getByText('None yet.').waitFor();
  await page.goBack();
  expect(await page.getByLabel('Method').inputValue()).toBe('cluster');
  await search(page, 'cluster');
  // What answered is shown, with what it learned from the search; a query of its page goes through it, too.
  await page.getByRole('link', { name: 'Clusters' }).click();
  const after = (queries: number) =>
    page.getByRole('img', { name: `Temperature by queries: 1.20 after ${queries}` });
  await after(1).waitFor();
  expect(await page.getByTestId('cluster-source').textContent()).toBe('rivers');
  await page.getByLabel('Query').fill('town 9');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await after(2).waitFor();
  const answered = page.getByRole('region', { name: 'Last queries' }).locator('tbody tr button');
  expect(await answered.allTextContents()).toEqual(['town 9', 'River 17 runs through Town 17']);
  await page.goBack();

  // Asked for, the web is asked as well, and what fits best comes first whichever source has it.
  await search(page, 'lexical');
  await page.getByLabel('Source', { exact: true }).selectOption('both');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await rows(page).filter({ hasText: 'web' }).first().waitFor();
  expect(await rows(page).first().innerText()).toContain('River 17');
  expect(await rows(page).filter({ hasText: 'local' }).count()).toBeGreaterThan(5);

  await visit(page, stage, 'ask');
  await page.getByText('60 of 60 questions').waitFor();
  await page.getByText(/^120 local \+ 9,312 web passages/).waitFor();
  await page.getByLabel('Search the questions').fill('river 17?');
  await page.getByRole('option', { name: /river 17\?/ }).click();
  // A seed at which the output does not break off, as one in four does: the policy never saw such English.
  await page.getByLabel('Seed').fill('2');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  const kinds = await eventKinds(page);
  expect(kinds[0]).toBe('background');
  expect(kinds.at(-1)).toBe('stop');
  expect(kinds).not.toContain('error');
  expect(await page.getByTestId('verdict').innerText()).toContain('Mayor 17 Öberg');
  const background = page.locator('.part[data-kind="background"]');
  for (const title of ['River 17', 'Town 17'])
    expect(await background.innerText()).toContain(title);
  expect(stage.faults).toEqual([]);
}, 240_000);

slow(
  'e2e/corpus/own-corpus.test.ts > searches an imported collection, shows the clusters that answered, and asks of it',
  'test/retrieval/own-corpus.test.ts > a small corpus: lexical recall by hand; no less of a hybrid; gold stays in the list of both',
  'test/retrieval/sources/kept.test.ts > say what searches them and what they take',
  'e2e/corpus/hnsw.test.ts > builds and searches an HNSW graph in a worker of a production build, under its content security policy',
  'test/lab/ask/question-list.test.ts > waits for imported questions that are still being read',
  'test/lab/ask/source-loader.test.ts > what works with collections gets their questions as their files split them, and searches their passages',
  'test/cli/data/own-data.test.ts > trains on the train split, scores dev before the first step and after, with the judge',
  'test/cli/data/own-data.test.ts > whose warm-up finds no right answer says with which option to train without',
  'test/ui/train/run/own-questions.test.tsx > a run on questions of one’s own says how they were split, one on the built-in world does not',
  'test/ui/train/new-run.test.tsx > may find the built-in policy without a right one, which is said beforehand',
  'test/ui/train/run/run-page.test.tsx > in a warm-up that had nothing right to learn from can train without, and names what the form has',
)(
  'searches it by every method, asks it again by its address alone, and trains on it',
  async () => {
    const { page } = stage;
    // The address alone asks it again, though imported questions are read from storage first.
    await page.reload();
    await runStatus(page, 'done');
    expect(await page.getByTestId('verdict').innerText()).toContain('Mayor 17 Öberg');

    await visit(page, stage, 'corpus');
    for (const method of METHODS) await search(page, method);

    await startSmall(page, stage, { steps: 1, recipe: 'search' });
    await status(page, 'finished');

    // The policy answers nothing of such a world right: a warm-up on its own right answers says so, before and after.
    await page.goto(`${stage.url}train?new=1&device=wasm`);
    await page.getByLabel('Recipe', { exact: true }).selectOption('kunlun-baize/whole');
    await page.getByTestId('warm-up-needs-right').waitFor();
    await page.locator('summary', { hasText: 'Cold start, then RL' }).click();
    await page.getByLabel('Rollouts tried').fill('2');
    await page.getByLabel('Steps', { exact: true }).fill('1');
    await page.getByLabel('Questions per step').fill('1');
    await page.getByLabel('Rollouts per question').fill('2');
    await page.locator('summary', { hasText: 'Held-out score' }).click();
    await page.getByLabel('Held-out questions').fill('1');
    await page.getByRole('button', { name: 'Start training' }).click();
    await status(page, 'failed');
    await page.getByRole('alert').filter({ hasText: 'none of 2 rollouts was correct' }).waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    await page.getByRole('button', { name: 'Train without the cold start' }).click();
    await page.getByRole('heading', { name: /no cold start$/ }).waitFor();
    await status(page, 'finished');
    await page.getByText('Your questions:').waitFor();
    expect(stage.faults).toEqual([]);
  },
  240_000,
);
