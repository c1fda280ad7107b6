import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { runStatus, useStage } from '../browser.ts';
import { downloaded } from '../training.ts';

/** What a fork does otherwise than its original: each change, on a rollout that failed for want of it. */

const stage = useStage();

const column = (page: Page, number: number) =>
  page.getByRole('region', { name: `Rollout ${number}`, exact: true });

/** Opens an event of the original in the details, with its fork menu. */
const forkAt = async (page: Page, event: number) => {
  await column(page, 1).locator(`.card[data-index="${event}"] .card-line`).click();
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

it('puts gold in, lets a refused query through, and goes on at another temperature', async () => {
  const { page } = stage;
  // Of its three supporting passages the local corpus lacks some, and STIE refuses to ask it again.
  await page.goto(
    `${stage.url}ask?device=wasm&form=2&q=test-2&recipe=search&nlr=always-local&stie=corrected&seed=3&run=1`,
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
  const gold = details.getByRole('listitem').filter({ hasText: 'Put the gold passages in' });
  for (const title of missing) expect(await gold.textContent()).toContain(title);
  await gold.getByRole('button').click();
  const helped = await forked(page, 'with the gold passages', [original!]);
  expect(found(helped)[0]?.slice(0, missing.length).toSorted()).toEqual(missing.toSorted());
  expect(found(helped)[0]).not.toEqual(found(original!)[0]);
  await column(page, 2)
    .locator('.card[data-kind=retrieve] .card-line')
    .first()
    .filter({ hasText: missing[0]! })
    .waitFor();

  // Without the refusal: the query that was refused is searched.
  details = await forkAt(page, refusal);
  const words = refused?.kind === 'verdict' ? refused.text : '';
  await details.getByText(`“${words}” is let through`).waitFor();
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
  // Beside the original in the tree, each by what it does otherwise.
  const tree = page.getByRole('region', { name: 'Rollout tree' });
  await tree.getByRole('button', { name: 'Rollout tree: table' }).click();
  for (const way of ['with the gold passages', 'without the refusal', 'temperature 0'])
    await tree.getByRole('row', { name: new RegExp(`forked at event \\d+: ${way}`) }).waitFor();
  expect(stage.faults).toEqual([]);
}, 240_000);
