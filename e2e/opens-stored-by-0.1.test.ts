import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ALL_TESTS } from '../test/slow/slow.ts';
import { DIST, openPage, runStatus, useStage, visit } from './browser.ts';
import { restoreState, type StoredState } from './stored-state.ts';
import { status, stepsDone, stopBy } from './training.ts';

/**
 * What version 0.1.0 stored in a browser, and the addresses that it gave away, open in this one. The
 * files are in test/fixtures/stored-by-0.1, with the session that made them.
 */

const stage = useStage();
const LONG = 300_000;
const FIXTURE = resolve(import.meta.dirname, '../test/fixtures/stored-by-0.1');

const state = JSON.parse(
  gunzipSync(readFileSync(join(FIXTURE, 'stored.json.gz'))).toString('utf8'),
) as StoredState;

/** An address without the server, and texts that its page shows. */
const placesSchema = z.array(
  z.strictObject({ kind: z.string(), path: z.string(), shows: z.array(z.string()) }),
);
const places = placesSchema.parse(
  JSON.parse(readFileSync(join(FIXTURE, 'addresses.json'), 'utf8')),
);

beforeAll(() => restoreState(stage.page, stage.url, state), LONG);

/** What a link shows to whoever it is sent to: it names nothing that a browser stored. */
const SENT = ['ask, a question of the world', 'ask, a typed question'];

/**
 * What a quick run loads, an address a place. The others it opens as links do: the same addresses over the
 * same stored records, without starting the workers anew.
 */
const LOADED = [
  ...SENT,
  'train, a run',
  'ask, rollouts of a step of training',
  'rollouts, a filtered table',
  'ask, a question over a collection',
];

/** Where nothing of ours runs yet, as after the state was put there, only loading opens an address. */
const open = async (page: Page, path: string, loads = false): Promise<void> => {
  const runs = (await page.locator('.frame').count()) > 0;
  if (ALL_TESTS || loads || !runs) return void (await page.goto(stage.url + path));
  // By way of an address that is none: what the place before showed does not stand for this one.
  await visit(page, stage, 'nowhere');
  const nothing = page.getByRole('heading', { name: 'Page not found' });
  await nothing.waitFor();
  await visit(page, stage, path);
  await nothing.waitFor({ state: 'detached' });
};

const shown = (page: Page, text: string): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

/** What else holds at an address, once it has opened what it named: each is opened once. */
interface More {
  readonly promise: string;
  readonly holds: (page: Page) => Promise<void>;
}

const said = (page: Page) => page.locator('.filter-said');

const MORE: Readonly<Record<string, More>> = {
  'ask, a question of the world': {
    promise: 'asks it with its settings, and shows as many rollouts',
    holds: async (page) => {
      await runStatus(page, 'done');
      expect(await page.locator('.column').count()).toBe(2);
      await shown(page, 'made with version 1 of the encyclopedia');
      expect(await page.getByLabel('Recipe').inputValue()).toBe('search');
      expect(await page.getByLabel('Temperature').inputValue()).toBe('0.8');
      expect(await page.getByLabel('NLR: who chooses the source').inputValue()).toBe('both');
      expect(await page.getByLabel('Seed').inputValue()).toBe('77');
      await page.waitForSelector('.playback-step:has-text("2 / ")');
    },
  },
  'ask, a question over a collection': {
    promise: 'searches the imported collection, which stays chosen, with its questions',
    holds: async (page) => {
      await runStatus(page, 'done');
      await page.locator('.card[data-kind="retrieve"] .card-line').first().click();
      await shown(page, 'River 8 flows through Town 8.');
      await open(page, 'corpus');
      await expect.poll(() => page.getByTestId('searched').textContent()).toBe('rivers');
      await expect.poll(() => page.getByTestId('asked').textContent()).toBe('towns');
      await open(page, '');
      await page.getByLabel('Search the questions').fill('River 3');
      await page.locator('[role=option]', { hasText: 'River 3 flow?' }).waitFor();
    },
  },
  'corpus, a collection': {
    promise: 'can be read',
    holds: async (page) => {
      await page.getByLabel('Filter passages').fill('Town 17');
      await page.getByText('1 found').waitFor();
    },
  },
  'train, a run': {
    promise: 'is drawn',
    holds: async (page) => {
      await status(page, 'finished');
      expect(await stepsDone(page)).toBe(2);
      await page.locator('[data-chart=em] .recharts-line').first().waitFor({ state: 'attached' });
    },
  },
  'train, a step of a run': {
    promise: 'has its rollouts',
    holds: (page) => expect.poll(() => page.locator('.rollout-answer').count()).toBe(5),
  },
  'ask, rollouts of a step of training': {
    promise: 'shows all, and which one was looked at',
    holds: async (page) => {
      await expect.poll(() => page.locator('.column').count()).toBe(5);
      await expect
        .poll(() => page.locator('.column.focused').getAttribute('aria-label'))
        .toBe('Rollout 4');
    },
  },
  'train, a paused run': {
    promise: 'goes on with the policy and the world that it began with, and says so',
    holds: async (page) => {
      const weights = createHash('sha256').update(
        readFileSync(join(DIST, 'first-form/policy/model.safetensors')),
      );
      expect(weights.digest('hex')).toMatch(/^73a6c7860a7f/);
      await status(page, 'paused');
      await page.getByText(/Warm-up: 3 of 3 updates on 2 trajectories/).waitFor();
      const before = await stepsDone(page);
      expect(before).toBe(3);
      await page.getByRole('button', { name: 'Resume after step 3' }).click();
      await shown(page, 'first form of the built-in world and policy');
      await expect.poll(() => stepsDone(page), { timeout: 120_000 }).toBeGreaterThan(before);
      await stopBy(page, 'Pause after this step');
      await status(page, 'paused');
      expect(await page.getByRole('alert').count()).toBe(0);
    },
  },
  'train, the form': {
    promise: 'is as it was left',
    holds: async (page) => {
      expect(await page.getByLabel('Recipe', { exact: true }).inputValue()).toBe(
        'ur2-released/two-stages',
      );
      expect(await page.getByLabel('Questions a step').inputValue()).toBe('3');
      expect(await page.getByLabel('Rollouts a question').inputValue()).toBe('4');
      expect(await page.getByLabel('Steps', { exact: true }).inputValue()).toBe('500');
    },
  },
  'rollouts, the files': {
    promise: 'keep their rows, figures, marks, views, filters and column widths',
    holds: async (page) => {
      await page.getByRole('link', { name: 'dump.jsonl' }).click();
      await expect.poll(() => said(page).textContent()).toBe('16 rollouts');
      expect(await page.locator('[data-figure="em"] dd').innerText()).toContain(' 8');
      const grip = page.getByRole('separator', { name: 'Width of answer' });
      expect(await grip.getAttribute('aria-valuenow')).toBe('196');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('button', { name: 'unsure', exact: true }).press('Enter');
      await expect.poll(() => said(page).textContent()).toMatch(/^\d+ of 16$/);
      await page.locator('.group-head', { hasText: 'step 2' }).waitFor();
      expect(await page.locator('th button.head').allInnerTexts()).not.toContain('F1');
      const filter = page.getByRole('combobox', { name: 'Filter' });
      expect(await filter.inputValue()).toBe('em = 0 and text contains "not sure"');
      await filter.fill('tags has odd');
      await page.keyboard.press('Enter');
      await expect.poll(() => said(page).textContent()).toBe('1 of 16');
      await page.locator('.star.on').waitFor();
    },
  },
  'rollouts, two files compared': {
    promise: 'says with which',
    holds: (page) => {
      const other = page.getByLabel('File to compare with').locator('option:checked');
      return expect.poll(() => other.textContent()).toBe('later.jsonl');
    },
  },
  'rollouts, those of a training run': {
    promise: 'are all there, under the settings of the run',
    holds: async (page) => {
      await expect.poll(() => said(page).textContent()).toBe('10 rollouts');
      await page.locator('tr[data-position] a').first().click();
      await page.getByRole('tab', { name: 'What if' }).click();
      await page.getByText(/the settings of the run \(/).waitFor();
    },
  },
  cluster: {
    promise: 'is shown',
    holds: (page) => page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor(),
  },
  models: {
    promise: 'and colours are as they were chosen',
    holds: async (page) => {
      await page.getByRole('heading', { name: 'tiny' }).waitFor();
      const checkpoint = page.locator('.checkpoint[data-state]');
      expect(await checkpoint.getAttribute('data-state')).toBe('ready');
      await shown(page, 'huge');
      expect(
        await page.evaluate(() =>
          document.documentElement.getAttribute('data-mantine-color-scheme'),
        ),
      ).toBe('dark');
    },
  },
};

it('says more only of addresses that there are', () => {
  const named = [...Object.keys(MORE), ...LOADED];
  expect(places.map(({ kind }) => kind)).toEqual(expect.arrayContaining(named));
});

it.each(places.map((one) => ({ ...one, more: MORE[one.kind]?.promise ?? 'no more' })))(
  '$kind: its address opens what it named; $more',
  async ({ kind, path, shows }) => {
    const page = SENT.includes(kind) ? await openPage(stage) : stage.page;
    await open(page, path, LOADED.includes(kind));
    await page.locator('main h1, main h2').first().waitFor();
    for (const text of shows) await shown(page, text);
    // The root is Ask now; any other place is where it was, and its address says all that it said.
    const [was = ''] = path.split('?');
    expect(new URL(page.url()).pathname).toBe(was === '' ? '/ask' : `/${was}`);
    const query = (address: string) => [...new URL(address).searchParams];
    expect(query(page.url())).toEqual(expect.arrayContaining(query(stage.url + path)));
    expect(await page.getByRole('alert').filter({ visible: true }).allTextContents()).toEqual([]);
    await MORE[kind]?.holds(page);
    expect(stage.faults).toEqual([]);
    if (page !== stage.page) await page.context().close();
  },
  LONG,
);

it(
  'training runs are listed with tags and notes',
  async () => {
    const { page } = stage;
    await open(page, 'runs');
    const plain = page.locator('[data-run]', { hasText: 'plain run' });
    await plain.getByText('kept', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit and export plain run' }).click();
    expect(await page.getByLabel('Notes').inputValue()).toBe('A note on the run.');
  },
  LONG,
);
