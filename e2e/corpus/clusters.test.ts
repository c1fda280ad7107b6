import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { openPage, useStage } from '../browser.ts';
import { EXAMPLES } from '../../src/ui/ask/store/examples.ts';
import { drop } from '../drop.ts';
import { savedPictures } from '../saved-pictures.ts';

const stage = useStage();
const LONG = 240_000;

/** Axe finds nothing, and nothing is wider than the page. */
const noFaults = async (page: Page): Promise<void> => {
  expect(await faultsOf(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
};

it(
  'the address of a corpus search searches the second form when it is loaded, and marks gold on the map',
  async () => {
    const { page } = stage;
    const [question = ''] = EXAMPLES;
    const search = new URLSearchParams({ find: question, device: 'wasm' });
    await page.goto(`${stage.url}corpus?${search.toString()}`);
    await page.getByText(`20 passages for “${question}”`).waitFor();
    expect(await page.getByLabel('Query', { exact: true }).inputValue()).toBe(question);
    await page.getByText('over 6,895 local passages').waitFor();
    await page.getByText('On the map of passages').click();
    await page.locator('.map-gold').first().waitFor();
    // By keys: the first that was found, its neighbour, and what it says.
    const map = page.getByRole('slider', { name: 'Passages: arrow keys' });
    await map.press('ArrowRight');
    const first = await map.getAttribute('aria-valuetext');
    expect(first).toMatch(/: cluster \d+; (gold, )?found, rank \d/);
    await map.press('ArrowLeft');
    await map.press('ArrowUp');
    const near = (await map.getAttribute('aria-valuetext')) ?? '';
    expect(near).not.toBe(first);
    await map.press('Enter');
    const title = near.slice(0, near.indexOf(': cluster'));
    await page.getByRole('article', { name: `Passage: ${title}`, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Map of passages: table' }).click();
    await page.locator('.picture-table').getByText(/^gold/).first().waitFor();
    await noFaults(page);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'the page of clusters builds the index, traces a query beside the exact scan, learns and forgets',
  async () => {
    const { page } = stage;
    await page.getByRole('link', { name: 'Clusters' }).click();
    const facts = page.getByTestId('cluster-facts');
    await facts.waitFor({ timeout: 60_000 });
    expect(await facts.textContent()).toMatch(/6,895 passages of 96 dimensions in \d+ clusters/);
    expect(await facts.textContent()).toContain('Built in');

    await page.getByLabel('Query').fill('film director');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.waitFor();
    // The figures of the table are those of the sentence: what clusters allot is what is ranked again.
    const cells = await answer
      .getByRole('region', { name: 'Shares of the clusters' })
      .locator('tbody tr td:nth-child(7)')
      .allTextContents();
    const allotted = cells.reduce((sum, text) => sum + parseInt(text.replace(',', ''), 10), 0);
    expect(allotted).toBe(1000);
    expect(await answer.getByRole('status').textContent()).toMatch(
      /1,000 kept as candidates .* (9|10) of the 10 best of the exact scan/,
    );

    // What was found lies on the map, which keys lead over and Enter opens.
    const map = page.getByRole('slider', { name: 'Passages' });
    await page.locator('.map-query').waitFor();
    expect(await page.locator('.map-mark.hit').count()).toBe(10);
    await map.press('ArrowRight');
    const first = await map.getAttribute('aria-valuetext');
    expect(first).toMatch(/: cluster \d+; found, rank 1\.$/);
    await map.press('Enter');
    const title = first?.slice(0, first.indexOf(': cluster'));
    await page.getByRole('article', { name: `Passage: ${title}` }).waitFor();
    await map.press('ArrowLeft');
    expect(await map.getAttribute('aria-valuetext')).not.toBe(first);

    // A dot is a line without length, drawn by its round ends.
    const pictures = await savedPictures(page);
    expect([...pictures.keys()]).toEqual([
      'Map of passages',
      'Temperature τ',
      'Number of clusters',
    ]);
    expect(pictures.get('Map of passages')).toContain('stroke-linecap="round"');
    expect(pictures.get('Number of clusters')).toContain('silhouette');
    await page.getByRole('button', { name: 'Number of clusters: table' }).click();
    await page.getByRole('columnheader', { name: 'silhouette' }).waitFor();
    await page.getByRole('button', { name: 'Number of clusters: picture' }).click();

    await noFaults(page);

    // One query was learned from; a hundred more, and then none.
    const temperature = page.getByRole('img', { name: /^Temperature by queries/ });
    expect(await temperature.getAttribute('aria-label')).toBe(
      'Temperature by queries: 1.20 after 1',
    );
    await page.getByRole('button', { name: 'Ask 100 questions' }).click();
    await page.getByRole('img', { name: 'Temperature by queries: 1.19 after 101' }).waitFor();
    await page.getByRole('button', { name: 'Reset the learned weights' }).click();
    await page.getByRole('img', { name: 'Temperature by queries: 1.20 after 0' }).waitFor();

    // Built once: the next visit reads it.
    await page.reload();
    await facts.waitFor({ timeout: 60_000 });
    expect(await facts.textContent()).toContain('Read from storage in');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

/** As HotpotQA writes them: 320 towns and rivers, enough for two clusters. */
const rivers = Array.from({ length: 160 }, (_, n) => ({
  _id: `hop-${n}`,
  question: `Who is the mayor of the town on river ${n}?`,
  answer: `Mayor ${n}`,
  context: [
    [`River ${n}`, [`River ${n} runs through Town ${n}.`]],
    [`Town ${n}`, [`Town ${n} has the mayor Mayor ${n}.`]],
  ],
}));

slow(
  'e2e/corpus/own-corpus.test.ts > searches an imported collection, shows the clusters that answered, and asks of it',
  'e2e/corpus/clusters.test.ts > the page of clusters builds the index, traces a query beside the exact scan, learns and forgets',
  'test/lab/corpus/retrieval/cluster-host.test.ts > are not made where searches need no vectors, before that is asked for',
  'test/lab/corpus/retrieval/cluster-host.test.ts > are those that are shown: queries, weights and results of searches are seen at once',
  'test/lab/corpus/retrieval/cluster-host.test.ts > are those that the page asks: its queries teach what answers the next search',
  'test/lab/corpus/retrieval/cluster-host.test.ts > forget, and remember again what they forgot',
  'test/lab/corpus/indexes/stores.test.ts > is there for the next visit, as it was at the last query',
  'test/retrieval/sources/open-local.test.ts > of clusters goes on with what it learned, for the same passages and settings only',
  'test/ui/corpus/clusters/parts.test.tsx > without vectors says how many passages have none, and makes the index answer',
  'test/ui/corpus/clusters/parts.test.tsx > lists the last queries as they are given, each to be asked again',
)(
  'the page of clusters shows the index that answers searches of an imported collection, and what it learned',
  async () => {
    const page = await openPage(stage, { colorScheme: 'dark', width: 390 });
    await page.goto(`${stage.url}corpus?device=wasm`);
    await page.getByRole('heading', { name: 'Corpus' }).waitFor();
    await drop(page, { 'rivers.json': JSON.stringify(rivers) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('Choose rivers').check();
    await page.getByRole('button', { name: 'Use for search' }).click();

    // Words alone need no vectors: nothing is encoded before that is asked for.
    await page.getByRole('link', { name: 'Clusters' }).click();
    await page.getByText('320 passages have no vectors').waitFor();
    await page.getByRole('button', { name: 'Search by clusters' }).click();
    await page.getByText('In use: this index answers the searches').waitFor({ timeout: 30_000 });
    await page.getByText('None yet.').waitFor();

    await page.goBack();
    const asked = ['river 17', 'mayor of town 40', 'river 3'];
    for (const query of asked) {
      await page.getByLabel('Query', { exact: true }).fill(query);
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText(`passages for “${query}”`).waitFor();
    }
    await page.getByRole('link', { name: 'Clusters' }).click();
    const facts = page.getByTestId('cluster-facts');
    await facts.waitFor();
    expect(await facts.textContent()).toMatch(/320 passages of 96 dimensions in \d clusters?/);
    expect(await page.getByTestId('cluster-source').textContent()).toBe('rivers');
    const answered = page.getByRole('region', { name: 'Last queries' }).locator('tbody tr');
    expect(await answered.locator('button').allTextContents()).toEqual(asked.toReversed());
    const after = (queries: number) =>
      page.getByRole('img', { name: `Temperature by queries: 1.20 after ${queries}` });
    await after(3).waitFor();

    // A query of the page goes through the same index.
    await page.getByLabel('Query').fill('town 99');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: 'What was found' }).waitFor();
    await after(4).waitFor();
    expect(await answered.count()).toBe(4);
    await noFaults(page);

    // Forgotten, brought back, and still there at the next visit.
    await page.getByRole('button', { name: 'Reset the learned weights' }).click();
    await after(0).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await after(4).waitFor();
    await page.waitForTimeout(1000);
    await page.reload();
    await after(4).waitFor({ timeout: 30_000 });
    await page.context().close();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
