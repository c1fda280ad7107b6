import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { faultsInBoth, faultsOf } from '../axe.ts';
import { openMore, runStatus, useStage, visit } from '../browser.ts';
import { downloaded } from '../training.ts';

/** What a fork does otherwise than its original: each change, on a rollout that failed for want of it; and where it is made. */

const stage = useStage();

const column = (page: Page, number: number) =>
  page.getByRole('region', { name: `Rollout ${number}`, exact: true });

/** Opens an event of the original in the details, with its fork menu. */
const forkAt = async (page: Page, event: number) => {
  await column(page, 1).locator(`.part[data-index="${event}"]`).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await details.getByText(`event ${event + 1} of `).waitFor();
  // It stays open from one event to the next.
  const menu = details.getByRole('button', { name: 'Fork here' });
  if ((await menu.getAttribute('aria-expanded')) === 'false') await menu.click();
  return details;
};

/** Every rollout on the screen, as it is saved. */
const saved = async (page: Page): Promise<Rollout[]> =>
  readFileSync(await downloaded(page, 'Download JSONL'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rollout);

/** Waits until a fork has ended, and returns its record. */
const forked = async (page: Page, words: string, before: readonly Rollout[]): Promise<Rollout> => {
  const note = page.getByTestId('fork-note').filter({ hasText: words });
  await note.waitFor();
  await page.locator('.column[data-finished=true]').nth(before.length).waitFor();
  await runStatus(page, 'done');
  const known = new Set(before.map(({ id }) => id));
  const added = (await saved(page)).filter(({ id }) => !known.has(id));
  expect(added).toHaveLength(1);
  return added[0]!;
};

const found = ({ events }: Rollout): string[][] =>
  events.flatMap((event) =>
    event.kind === 'retrieve' ? [event.hits.map(({ passage }) => passage.title)] : [],
  );

/** Heads differ in length; glyphs and events stand side by side. */
const standsInLine = async (page: Page): Promise<void> => {
  await openMore(page);
  for (const width of [2560, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const part of ['.column-head', '.glyph-rail', '.rounds-of']) {
      const tops = await page
        .locator(`.column ${part}`)
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
      expect(tops, part).toEqual([tops[0], tops[0]]);
    }
  }
};

/** The first search of a column. */
const firstRoute = (page: Page, number: number): Promise<string | null> =>
  column(page, number).locator('.part[data-kind=route]').first().getAttribute('aria-label');

const WEB = 'the search goes to the web';

/** In Rollouts, from a file that Ask wrote, with the page still loaded; shown again after a reload. */
const forksFile = async (page: Page, record: Rollout): Promise<void> => {
  await visit(page, stage, 'rollouts');
  const buffer = Buffer.from(`${JSON.stringify(record)}\n`);
  await page
    .getByLabel('Rollout files')
    .first()
    .setInputFiles({ name: 'asked.jsonl', mimeType: 'application/x-ndjson', buffer });
  await page.locator('tr[data-position] a').first().click();
  const card = page.locator('.reader .card[data-kind=route]').first();
  await card.locator('.card-line').click();
  await card.getByRole('button', { name: 'Fork here' }).click();
  const other = card.getByRole('button', { name: 'Ask the other source' });
  await other.waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await other.click();
  const made = async (): Promise<void> => {
    await column(page, 2).getByTestId('fork-note').filter({ hasText: WEB }).waitFor();
    await page.locator('.column[data-finished=true]').nth(1).waitFor();
    await runStatus(page, 'done');
    expect([await firstRoute(page, 1), await firstRoute(page, 2)]).toEqual([
      expect.stringContaining('Route: local'),
      expect.stringContaining('Route: web'),
    ]);
  };
  await made();
  await page.reload();
  await page.getByText('Rollout of “asked.jsonl”.').waitFor();
  await made();
  await page.getByRole('link', { name: 'Back to the rollout' }).click();
  await page.locator('.reader').waitFor();
};

it('inserts gold, allows a refused query, continues at another temperature and from another source, on the page and from a file', async () => {
  const { page } = stage;
  // Of its three supporting passages the local corpus lacks some, and STIE refuses to ask it again.
  await page.goto(
    `${stage.url}ask?device=wasm&q=test-2&recipe=search&nlr=always-local&stie=corrected&seed=3&run=1`,
  );
  await runStatus(page, 'done');
  const [original] = await saved(page);
  const { events, question } = original!;
  const result = events.findIndex(({ kind }) => kind === 'retrieve');
  const refusal = events.findIndex(
    (event) => event.kind === 'verdict' && event.over === 'query' && event.action === 'refused',
  );
  const refused = events[refusal];
  const missing = question.supporting.filter((title) => !found(original!).flat().includes(title));
  expect(missing).not.toEqual([]);

  // Gold: what the menu names stands first in the result, and in its card.
  let details = await forkAt(page, result);
  const gold = details.getByRole('listitem').filter({ hasText: 'Insert the gold passages' });
  for (const title of missing) expect(await gold.textContent()).toContain(title);
  await gold.getByRole('button').click();
  const helped = await forked(page, 'with the gold passages', [original!]);
  expect(found(helped)[0]?.slice(0, missing.length).toSorted()).toEqual(missing.toSorted());
  expect(found(helped)[0]).not.toEqual(found(original!)[0]);
  await column(page, 2)
    .locator('.part[data-kind=retrieve]')
    .first()
    .filter({ hasText: missing[0]! })
    .waitFor();
  await standsInLine(page);

  // Without the refusal: the query that was refused is searched.
  details = await forkAt(page, refusal);
  const words = refused?.kind === 'verdict' ? refused.text : '';
  await details.getByText(`“${words}” is allowed`).waitFor();
  await details.getByRole('button', { name: 'Without this refusal' }).click();
  const admitted = await forked(page, 'without the refusal', [original!, helped]);
  expect(admitted.events.slice(0, refusal)).toEqual(events.slice(0, refusal));
  const next = admitted.events.slice(refusal);
  expect(next.find((event) => event.kind === 'retrieve')).toMatchObject({ query: words });
  expect(admitted.forks?.at(-1)).toMatchObject({
    event: refusal,
    changes: { admitted: true },
  });
  expect(found(admitted).length).toBeGreaterThan(found(original!).length);

  // Another temperature: it is that of the record from there on, and of the address.
  details = await forkAt(page, result);
  await details.getByText('it was 1', { exact: true }).waitFor();
  await details.getByLabel('Temperature from here on').fill('0');
  await details.getByRole('button', { name: 'At another temperature' }).click();
  const cold = await forked(page, 'temperature 0', [original!, helped, admitted]);
  expect(cold.recipe.settings).toMatchObject({ sampling: { temperature: 0 } });
  expect(original!.recipe.settings).toMatchObject({ sampling: { temperature: 1 } });
  expect(cold.forks?.at(-1)).toMatchObject({ rolloutId: original!.id });
  expect(new URL(page.url()).searchParams.getAll('fork')).toEqual([
    `1-${result + 1}-gold`,
    `1-${refusal + 1}-admit`,
    expect.stringMatching(/^1-\d+-temperature-0$/),
  ]);

  // In the tree by keys: the first node, the one after it, and its event.
  const tree = page.getByRole('region', { name: 'Rollout tree' });
  await tree.locator('.tree-button').first().focus();
  await page.keyboard.press('ArrowRight');
  const name = (await page.locator('.tree-button:focus').getAttribute('aria-label')) ?? '';
  await page.keyboard.press('Enter');
  await details.getByText(`event ${/^Event (\d+)/.exec(name)?.[1]} of `).waitFor();
  const svg = readFileSync(await downloaded(page, 'Rollout tree: save as SVG')).toString();
  const answer = (await page.locator('.answer-text').first().textContent()) ?? '';
  expect(svg).toContain(answer.slice(0, 12));

  // From the result of its first search: another source brings another one.
  await tree
    .getByRole('button', { name: /Result, local/ })
    .first()
    .click();
  await details.getByRole('button', { name: 'Ask the other source' }).click();
  const searched = await forked(page, WEB, [original!, helped, admitted, cold]);
  const routes = ({ events: all }: Rollout) =>
    all.flatMap((event) => (event.kind === 'route' ? [event.choice] : []));
  expect([routes(original!)[0], routes(searched)[0]]).toEqual(['local', 'web']);

  // Beside the original, each by what it does otherwise.
  await tree.getByRole('button', { name: 'Rollout tree: table' }).click();
  for (const way of ['with the gold passages', 'without the refusal', 'temperature 0', WEB])
    await tree.getByRole('row', { name: new RegExp(`forked at event \\d+: ${way}`) }).waitFor();
  expect(await faultsInBoth(page)).toEqual([]);

  await forksFile(page, original!);
  expect(stage.faults).toEqual([]);
}, 240_000);
