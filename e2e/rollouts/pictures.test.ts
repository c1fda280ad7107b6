import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  BORN,
  FILM,
  imported,
  RAIN,
  searched,
  STALE,
} from '../../test/evaluate/rollouts/hops/rollout.ts';
import { ALL_TESTS, slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { matched } from '../rollouts-page.ts';
import { savedPictures } from '../saved-pictures.ts';

/** The pictures that explain a rollout, on rollouts of ours, on ones made by hand, and on imported ones. */

const stage = useStage();
const LONG = 240_000;
const OURS = resolve(import.meta.dirname, '../../test/fixtures/inspect/kunlun-baize-dev.jsonl');
const ours = (index: number): string => readFileSync(OURS, 'utf8').split('\n')[index] ?? '';

/** One page for all: a file is imported beside those of the tests before. */
const opened = async (text: string): Promise<Page> => {
  const { page } = stage;
  await visit(page, stage, 'rollouts');
  await page.locator('tr[data-position]').first().waitFor({ state: 'detached' });
  const file = {
    name: 'rollouts.jsonl',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(text),
  };
  await page.getByLabel('Rollout files').first().setInputFiles(file);
  await page.locator('tr[data-position]').first().waitFor();
  return page;
};

/** Nothing of ours reaches beyond the screen, and axe finds nothing, in light and dark. */
const sound = async (page: Page): Promise<void> => {
  expect(await faultsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
};

it(
  'shows the text of every token of our own rollouts, by keys, as a table and as a picture',
  async () => {
    // Three searches, and an answer that the model wrote itself.
    const line = ours(5);
    const page = await opened(line);
    await page.locator('tr[data-position] a').first().click();
    await page.getByRole('tab', { name: 'Tokens' }).click();
    const words = page.locator('.token-words');
    await page.getByText('350 tokens.').waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.token-words .tk')].some((one) => one.textContent === ' Kar'),
    );
    // All of the text is there, token by token.
    const record = JSON.parse(line) as { segments: { text: string }[] };
    const shown = (await words.allTextContents()).join('').replaceAll('⏎', '');
    expect(shown).toBe(record.segments.map(({ text }) => text).join(''));

    await page.getByLabel('Colour tokens by').selectOption('logprob');
    const share = (text: RegExp) =>
      page
        .locator('.token-words .tk', { hasText: text })
        .last()
        .evaluate((token) =>
          Number.parseFloat(getComputedStyle(token).getPropertyValue('--share')),
        );
    // The token of this rollout that was the greatest surprise: log p = −1.58.
    expect(
      await page
        .locator('.token-words .tk')
        .evaluateAll((tokens) =>
          Math.max(
            ...tokens.map((one) =>
              Number.parseFloat(getComputedStyle(one).getPropertyValue('--share')),
            ),
          ),
        ),
    ).toBeGreaterThan(5 * (await share(/^boxed$/)));

    // Text and strip have one cursor.
    await page.getByRole('slider', { name: 'Text of the tokens' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const strip = page.getByRole('slider', { name: 'Tokens of this rollout' });
    expect(await strip.getAttribute('aria-valuenow')).toBe('348');
    expect(await strip.getAttribute('aria-valuetext')).toMatch(/^token 348: ␣} · model, answer/);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.getByRole('region', { name: 'Chosen tokens' }).waitFor();
    await page.waitForURL(/tokens=347-348/);
    const tokens = (await savedPictures(page)).get('Tokens');
    expect(tokens).toContain('>ered</text>');
    // With the key of its backgrounds, and which tokens they are.
    expect(tokens).toMatch(/<g id="key">.*>nat, log scale<.*>tokens 347 to 348, from 0, of \d+</);
    // Tokens are looked at in `hostile-rollouts.test.ts`, too.
    if (ALL_TESTS) await sound(page);
    await page.getByRole('button', { name: 'table', exact: true }).click();
    await page.getByRole('rowheader', { name: '348', exact: true }).waitFor();

    // Its record says when each event was over, and how long each call took: 4.96 s in all, of which the
    // background took 767 ms, and the three searches 7, 362 and 130 ms.
    await page.getByRole('tab', { name: 'Time' }).click();
    await page
      .getByText(
        /model writes 44\.3 %, STIE probes answers 26\.9 %, local search 18\.2 %, web search 7\.3 %/,
      )
      .waitFor();
    const times = (await savedPictures(page)).get('Where the time went');
    for (const ms of ['767 ms', '362 ms']) expect(times).toContain(ms);
    // This very view is looked at in `hostile-rollouts.test.ts`, too.
    if (ALL_TESTS) await sound(page);
    await page.getByRole('button', { name: /^model writes, search 1: 1\.20 s/ }).click();
    await page.waitForURL((url) => !url.search.includes('view=time'));
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

const first = { query: 'director of Red Fog', hits: [FILM] };

/** One of each way to fail, each of a question of its own. */
const FAILED = [
  searched([first], 'Rome'),
  searched([first, { query: 'Ida Holm', source: 'local', hits: [STALE] }], 'Bergen'),
  searched([first, { query: 'Ida Holm', source: 'web', hits: [RAIN] }], 'Rome'),
  searched([first, { query: 'Ida Holm', source: 'web', hits: [BORN] }], 'Rome'),
  searched([first, { query: 'Ida Holm', source: 'web', hits: [BORN] }], 'Oslo'),
].map((rollout, i) => ({ ...rollout, id: `r${i}`, groupId: `g${i}` }));

const lines = (rollouts: readonly unknown[]): string =>
  rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join('');

it(
  'draws which hop failed and how, says why, and counts where rollouts were lost',
  async () => {
    const page = await opened(lines(FAILED));
    // The flow opens its cases.
    const flow = page.locator('[data-chart="flow"]');
    await flow.getByRole('button', { name: 'asked for, not found: 2. Open these' }).click();
    await matched(page, '2 of 5');
    await page.goBack();
    await matched(page, '5 rollouts');
    const pictures = await savedPictures(page);
    expect([...pictures.keys()]).toEqual([
      'Where they failed, by EM',
      'How they ended, by EM',
      'Distribution of F1 (SQuAD)',
      'Search behaviour',
    ]);
    const lost = pictures.get('Where they failed, by EM')!;
    expect(lost).toContain('1 found, not read');
    // What its widths mean is on the page and in the file; what a click does is on the page alone.
    const says = lost.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(says).toContain('Width = number of rollouts that can be scored.');
    expect(says).not.toContain('Click a branch');
    await flow.getByText('Width = number of rollouts').waitFor();
    await flow.getByText('Click a branch to list them.').waitFor();
    expect(pictures.get('Distribution of F1 (SQuAD)')).toContain('100 %');
    // What is below a drawing on the page is in its file, with the keys of its signs.
    expect(pictures.get('Distribution of F1 (SQuAD)')).toMatch(
      /<rect[^>]*\/><\/g><text[^>]*>pass the filter: 5, mean 0\.2 ·<\/text>/,
    );
    expect(pictures.get('Distribution of F1 (SQuAD)')).toContain('in the file: 5, mean');
    await page
      .getByRole('img', { name: 'hop 1 found and read, hop 2 wrong source asked' })
      .waitFor();

    // A finding has one name, in the overview as in the reader.
    await page.getByRole('button', { name: /^Answer seen but not given: \d/ }).waitFor();

    // A bar of a distribution narrows to its rollouts, and gives them back.
    const scores = page.locator('[data-chart="histogram"]');
    const none = scores.getByRole('button', { name: /^0: 4 of 5 that pass, 80\.0 %/ });
    await none.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await matched(page, '1 of 5');
    await scores.getByText('in the file: 5, mean 0.2').waitFor();
    await scores.getByRole('button', { name: 'Undo' }).click();
    await matched(page, '5 rollouts');

    // Words that are no filter are looked for in all texts.
    await page.getByRole('combobox', { name: 'Filter' }).fill('born in Bergen');
    await page.getByRole('button', { name: 'search all texts for “born in Bergen”' }).click();
    await matched(page, '1 of 5');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await matched(page, '5 rollouts');

    // The map of the one that misread, and the sentence.
    await page.locator('tr[data-position="3"] a').first().click();
    await page
      .getByText(
        'The second hop’s passage was found and misread: it says “Oslo”, the answer says “Rome”.',
      )
      .waitFor();
    const hop = page.getByRole('button', {
      name: /^hop 2, birth city of Ida Holm: Oslo, found and misread, search 2, used Rome instead/,
    });
    await hop.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/event=/);
    // Tags are hidden until they are asked for.
    const blocks = page.locator('.rounds .prose');
    expect((await blocks.allTextContents()).join(' ')).not.toContain('<search>');
    await page.getByRole('button', { name: 'show tags' }).click();
    expect((await blocks.allTextContents()).join(' ')).toContain('<search>Ida Holm</search>');
    expect((await savedPictures(page)).get('Hop map')).toContain('found and misread');
    // A browser without memory for the bitmap says nothing by itself.
    await page.evaluate(() => {
      const { prototype } = HTMLCanvasElement;
      // Once: the tests after this one draw bitmaps.
      const own = Object.getOwnPropertyDescriptor(prototype, 'toBlob') ?? {};
      prototype.toBlob = (done) => {
        Object.defineProperty(prototype, 'toBlob', own);
        done(null);
      };
    });
    await page.getByRole('button', { name: 'Hop map: save as PNG' }).click();
    const problem = page.getByRole('alert').filter({ hasText: 'No PNG was saved' });
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(
      /could not draw a bitmap of \d+ × \d+ pixels.*save it as SVG/,
    );
    await sound(page);
    const [instead] = await Promise.all([
      page.waitForEvent('download'),
      problem.getByRole('button', { name: 'Save it as SVG' }).click(),
    ]);
    expect(instead.suggestedFilename()).toBe('hop-map.svg');
    await problem.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Hop map: table' }).click();
    await page.getByRole('cell', { name: 'found and misread' }).waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'says of imported rollouts without a chain that nobody can tell, and still says why',
  async () => {
    const bare = FAILED.map((one) => imported(one, { supporting: [] }));
    const page = await opened(lines(bare));
    await page.locator('tr[data-position] a').first().click();
    await page.getByText(/^No hop map: the file names neither a gold chain/).waitFor();
    await page.getByText('1 search found nothing with “Oslo”; the answer says “Rome”.').waitFor();
    // There are no tokens: pieces of the text are in their place.
    await page.getByRole('tab', { name: 'Tokens' }).click();
    await page.getByText(/^The file has no tokens: \d+ pieces/).waitFor();
    await page.locator('.token-words .tk').first().waitFor();
    const time = page.getByRole('tab', { name: 'Time' });
    expect(await time.getAttribute('aria-disabled')).toBe('true');
    expect(await time.getAttribute('title')).toBe('The file has no times.');
  },
  LONG,
);

it(
  'draws the siblings of a file as a tree whose nodes open their rollout, and says why none can be forked',
  async () => {
    // One without a search.
    const written = JSON.parse(ours(6)) as {
      id: string;
      answer: string;
      events: { kind: string }[];
      policy: object;
    };
    const first = { ...written, policy: { ...written.policy, revision: '0123456789ab' } };
    // The same up to its answer.
    const events = first.events.map((event) =>
      event.kind === 'answer' ? { ...event, text: 'Nowhere' } : event,
    );
    const second = { ...first, id: `${first.id}-other`, answer: 'Nowhere', events };
    const page = await opened(lines([first, second]));
    await page.locator('tr[data-position] a').first().click();
    // Other weights wrote it than those of this page.
    await page.locator('.reader .card-line').first().click();
    await page.getByRole('button', { name: 'Fork here' }).first().click();
    await page.getByText('Cannot be forked here: baize-mini 0123456789ab wrote it').waitFor();
    await page.getByRole('tab', { name: 'Group' }).click();
    const tree = page.getByRole('region', { name: 'Rollout tree' });
    await tree.getByRole('button', { name: /^Event 2, Background.* 2 of 2 rollouts/ }).waitFor();
    expect((await savedPictures(page)).get('Rollout tree')).toContain('✗ Nowhere');
    // This view is looked at in `hostile-rollouts.test.ts`, too.
    if (ALL_TESTS) await sound(page);
    await tree.getByRole('button', { name: /Answer: Nowhere\. only one rollout/ }).click();
    await page.waitForURL(new RegExp(`${first.id}-other.*event=`));
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

slow(
  'e2e/rollouts/pictures.test.ts > draws which hop failed and how, says why, and counts where rollouts were lost',
  'e2e/rollouts/pictures.test.ts > draws the siblings of a file as a tree whose nodes open their rollout, and says why none can be forked',
  'test/ui/rollouts/reader/tokens/token-words.test.ts > of a file without tokens are of its words',
  'test/ui/rollouts/file/flow-layout.test.ts > loses at each stage what it says, and ends with those that are right',
  'test/ui/kit/hops/hop-words.test.ts > of which only a title is known is called by it',
)(
  'saves the pictures of imported rollouts, as far as their files have what is drawn',
  async () => {
    // Only passages that are needed, and no chain; the two are siblings.
    const two = FAILED.slice(3).map((one) => ({ ...imported(one), groupId: 'g' }));
    const page = await opened(lines(two));
    const flow = (await savedPictures(page)).get('Where they failed, by EM');
    expect(flow).toContain('1 right, by EM');
    await page.locator('tr[data-position] a').first().click();
    await page.getByRole('region', { name: 'Hop map' }).waitFor();
    expect((await savedPictures(page)).get('Hop map')).toContain('✗ answer');
    for (const [view, picture, says] of [
      ['Tokens', 'Tokens', 'Holm'],
      ['Group', 'Rollout tree', '✗ Rome'],
    ] as const) {
      await page.getByRole('tab', { name: view }).click();
      await page.getByRole('button', { name: `${picture}: save as SVG` }).waitFor();
      expect((await savedPictures(page)).get(picture)).toContain(says);
    }
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
