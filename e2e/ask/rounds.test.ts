import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { downloaded } from '../training.ts';
import { openMore, openPage, runStatus, useStage, visit } from '../browser.ts';

const stage = useStage();

/** One look at the page: rounds of the rollout, whether its result is shown, and how much gold is marked. */
interface Look {
  at: number;
  rounds: number;
  result: boolean;
  gold: number;
}

/** Notes every change of what is shown, from now on. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const looks: unknown[] = [];
    let before = '';
    const look = () => {
      const rounds = document.querySelectorAll('.column .round-card').length;
      const result = document.querySelector('[data-testid="verdict"]') !== null;
      const gold = document.querySelectorAll('.round-card .gold, .details mark').length;
      const now = [rounds, result, gold].join();
      if (now !== before) looks.push({ at: performance.now(), rounds, result, gold });
      before = now;
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    Object.assign(globalThis, { looks });
  });

const looksOf = (page: Page): Promise<Look[]> =>
  page.evaluate(() => (globalThis as unknown as { looks: Look[] }).looks);

const result = (page: Page) => page.getByTestId('verdict');

/** What the answer line says: right or wrong, the answer, searches. */
const line = async (page: Page) => ({
  outcome: await result(page).locator('.verdict-answer .badge').textContent(),
  answer: await result(page).locator('.answer-text').textContent(),
  searches: Number(/searches (\d+)/.exec((await result(page).textContent()) ?? '')?.[1]),
});

describe('the replay after a run', () => {
  it('shows a round every 1.5 s, then the result, and gold last; a key or a click shows the end at once', async () => {
    const page = await openPage(stage);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(`${stage.url}ask?device=wasm&recipe=search-r1&seed=1`);
    await watch(page);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await result(page).waitFor();
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    const looks = await looksOf(page);
    const rounds = looks.map((look) => look.rounds);
    const count = Math.max(...rounds);
    expect(count).toBeGreaterThan(2);
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
    // One at a time, and none before its time.
    const first = [...Array(count).keys()].map((n) => looks.find((look) => look.rounds > n)!);
    expect(new Set(first.map((look) => look.rounds)).size).toBe(count);
    for (let n = 1; n < count; n++) expect(first[n]!.at - first[n - 1]!.at).toBeGreaterThan(1300);
    const shown = looks.find((look) => look.result)!;
    expect(shown.rounds).toBe(count);
    expect(shown.at - first[count - 1]!.at).toBeGreaterThan(1300);
    for (const look of looks) if (!look.result) expect(look.gold).toBe(0);
    expect(looks.at(-1)!.gold).toBeGreaterThan(0);

    // Again, and skipped in three ways.
    const ways = [
      () => page.keyboard.press('Space'),
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: /^Show the result/ }).click(),
    ];
    for (const skip of ways) {
      await page.getByRole('button', { name: 'Replay' }).click();
      await page
        .locator('.round-card')
        .nth(count - 1)
        .waitFor({ state: 'detached' });
      await page.locator('main').focus();
      await skip();
      await result(page).waitFor({ timeout: 1000 });
      expect(await page.locator('.round-card').count()).toBe(count);
    }
    await page.context().close();
  }, 180_000);

  it('is left out for users who want no motion', async () => {
    const { page } = stage;
    await page.goto(`${stage.url}ask?device=wasm&recipe=search-r1&seed=1`);
    await watch(page);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    await result(page).waitFor();
    expect(await page.getByRole('button', { name: /^Show the result/ }).count()).toBe(0);
    const count = await page.locator('.round-card').count();
    const looks = await looksOf(page);
    // The result comes with the last round, or right after it.
    const last = looks.find((look) => look.rounds === count)!;
    expect(looks.find((look) => look.result)!.at - last.at).toBeLessThan(1300);
  }, 120_000);
});

it.each(['kunlun-baize', 'search-r1', 'self-ask', 'flare', 'naive-rag'])(
  'counts alike in the answer line, rounds, hop map and STIE’s words: %s',
  async (recipe) => {
    const { page } = stage;
    await page.goto(`${stage.url}ask?device=wasm&recipe=${recipe}&seed=1`);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    const { searches } = await line(page);
    const names = await page
      .locator('.round-card[data-search]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(names).toEqual(Array.from({ length: searches }, (_, n) => `Round ${n + 1}`));
    // Every event is in one card, and what came after the searches in the last.
    expect(await page.locator('.round-card:last-child .part[data-kind="stop"]').count()).toBe(1);
    const words = page.getByTestId('verdict-words');
    await words.waitFor();
    expect(await words.textContent()).toContain(
      searches === 1 ? 'after 1 search of' : `after ${searches} searches of`,
    );
    const hops = page.getByRole('region', { name: 'Hop map' });
    await hops.waitFor();
    const labels = await hops
      .getByRole('button', { name: /^hop \d/ })
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
    for (const label of labels) {
      const numbers = /search(?:es)? ([\d, ]+)/.exec(label)?.[1] ?? '';
      for (const number of numbers.split(', ').filter((part) => part.trim() !== ''))
        expect(Number(number), label).toBeLessThanOrEqual(searches);
    }
    if (recipe !== 'kunlun-baize') return;
    await openMore(page);
    const said = (await page.getByTestId('stie-counts').textContent()) ?? '';
    const [, queries, allowed] = /(\d+) quer(?:y|ies): (\d+) allowed/.exec(said) ?? [];
    const refused = /(\d+) refused/.exec(said)?.[1] ?? '0';
    expect(Number(allowed) + Number(refused)).toBe(Number(queries));
    expect(Number(allowed)).toBe(searches);
    const parts = (text: RegExp) =>
      page.locator('.part[data-kind="verdict"]').filter({ hasText: text }).count();
    expect(await parts(/a repeat, refused/)).toBe(Number(refused));
    expect(await parts(/new query|a repeat, allowed|a repeat, refused/)).toBe(Number(queries));
  },
  120_000,
);

it('shows the same rounds where a rollout is read in its file, and leads from each to its text', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&seed=1`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  const cards = () =>
    page.locator('.round-card').evaluateAll((all) => all.map((one) => one.textContent));
  const asked = await cards();
  const text = readFileSync(await downloaded(page, 'Download JSONL'), 'utf8');
  await visit(page, stage, 'rollouts');
  const buffer = Buffer.from(text);
  await page
    .getByLabel('Rollout files')
    .first()
    .setInputFiles({ name: 'asked.jsonl', mimeType: 'application/x-ndjson', buffer });
  await page.locator('tr[data-position] a').first().click();
  await page.locator('.reader .round-card').first().waitFor();
  expect(await cards()).toEqual(asked);
  await page.locator('.round-card .part[data-kind="retrieve"]').last().click();
  await page.locator('.block[aria-current="step"][aria-label^="result"]').waitFor();
}, 120_000);

it('asks again with a mechanism switched, and shows before and after', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&seed=1`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  const whole = await line(page);
  const on = (name: string) => page.getByRole('switch', { name: new RegExp(`^${name}`) });
  for (const name of ['RDRA', 'NLR', 'STIE'])
    expect(await on(name).getAttribute('aria-checked')).toBe('true');
  const side = async (at: 1 | 2): Promise<string[]> =>
    page.getByTestId('before-after').locator(`tbody tr:nth-child(${at}) > *`).allTextContents();
  const says = ({ answer, outcome, searches }: typeof whole) => [answer, outcome, String(searches)];
  let before = whole;
  for (const [name, id] of [
    ['RDRA', 'rdra'],
    ['NLR', 'nlr'],
    ['STIE', 'stie'],
  ] as const) {
    expect(await page.locator(`.round-card .mechanism.of-${id}`).count()).toBeGreaterThan(0);
    await on(name).click();
    await page.locator(`[data-testid="before-after"]:has-text("${name} off")`).waitFor();
    await runStatus(page, 'done');
    await result(page).waitFor();
    const after = await line(page);
    expect((await side(1)).slice(0, 4)).toEqual([`before: ${name} on`, ...says(before)]);
    expect((await side(2)).slice(0, 4)).toEqual([`after: ${name} off`, ...says(after)]);
    expect(await page.locator(`.round-card .mechanism.of-${id}`).count()).toBe(0);
    expect(await on(name).getAttribute('aria-checked')).toBe('false');
    before = after;
  }
  // With all three again, the same seed gives the same result.
  for (const name of ['RDRA', 'NLR', 'STIE']) {
    await on(name).click();
    await page.locator(`[data-testid="before-after"]:has-text("after: ${name} on")`).waitFor();
    await runStatus(page, 'done');
    await result(page).waitFor();
  }
  expect(await line(page)).toEqual(whole);
  expect(stage.faults).toEqual([]);
}, 240_000);
