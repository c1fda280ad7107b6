import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';

/** A researcher's own files go in by drop, picker, address and paste, and are there to work with. */

const stage = useStage();
const folder = mkdtempSync(join(tmpdir(), 'forage-corpus-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const passages = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    const text = `Passage ${n} tells of river ${n % 97}. It has a second sentence about town ${n}.`;
    return `${JSON.stringify({ id: `p${n}`, title: `Title ${n}`, text })}\n`;
  }).join('');

/** One page for all: what a test imports is there in the next. */
const opened = async (): Promise<Page> => {
  await visit(stage.page, stage, 'corpus');
  await stage.page.getByRole('heading', { name: 'Corpus' }).waitFor();
  return stage.page;
};

const found = (page: Page): Promise<string | null> => page.getByTestId('found').textContent();

const imported = async (page: Page, name: string): Promise<string | null> => {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const notice = page.getByText(new RegExp(`^“${name}” holds`));
  await notice.waitFor({ timeout: 60_000 });
  return notice.textContent();
};

it('two thousand passages: dropped, looked at, imported, read, filtered, renamed, merged, deleted, brought back', async () => {
  const page = await opened();
  await drop(page, { 'rivers.jsonl': `${passages(0, 2000)}{"id": "broken"\n{"id":"no text"}\n` });
  expect(await found(page)).toBe('passages, JSON lines, 2,002 items: 2,000 passages, 2 to reject.');
  // Nothing is stored before it is asked for.
  expect(await page.locator('[data-collection]').count()).toBe(0);
  const rejected = page.locator('.preview-table tbody tr');
  expect(await rejected.allTextContents()).toEqual([
    expect.stringMatching(/^2001the whole itemexpected JSON/u),
    '2002textexpected text that is not empty',
  ]);
  expect(await faultsOf(page)).toEqual([]);
  expect(await imported(page, 'rivers')).toBe('“rivers” holds 2,000 passages, 2 items rejected.');

  await page.getByRole('link', { name: 'rivers', exact: true }).click();
  const list = page.getByRole('group', { name: 'passages, list' });
  await list.getByText('Passage 0 tells').waitFor();
  expect(await list.locator('li').count()).toBeLessThan(60);
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await list
    .getByText(/Passage 1?\d\d\d tells/)
    .first()
    .waitFor();
  await page.getByLabel('Filter passages').fill('TITLE 1234');
  await page.getByText('1 found').waitFor();
  await list.getByText('town 1234').waitFor();

  await page.getByRole('button', { name: 'Edit and export rivers' }).click();
  await page.getByLabel('Name', { exact: true }).fill('all rivers');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'all rivers' }).waitFor();

  await drop(page, { 'more.jsonl': passages(1900, 2100) });
  expect(await imported(page, 'more')).toBe('“more” holds 200 passages.');
  await page.getByText('100 passages also in “all rivers”').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await faultsOf(page)).toEqual([]);

  await page.getByLabel('Choose all rivers').check();
  await page.getByLabel('Choose more').check();
  await page.getByRole('button', { name: 'Use for search' }).click();
  const verdict = page.getByTestId('verdict');
  await verdict
    .getByText('Runs search “more, all rivers” but ask built-in questions, which')
    .waitFor();
  await page.getByRole('button', { name: 'Merge' }).click();
  const merged = page.locator('[data-collection="more + all rivers"]');
  await merged.waitFor();
  expect(await merged.locator('td.figure').first().textContent()).toBe('2,100');
  expect(await page.locator('[data-collection]').count()).toBe(1);
  // What runs searched is searched in its new place.
  await verdict.getByText('“more + all rivers”').waitFor();

  await page.getByRole('button', { name: 'Delete more + all rivers' }).click();
  await verdict.getByText(/6,895 built-in passages/).waitFor();
  await page
    .locator('.undo', { hasText: 'Deleted' })
    .getByRole('button', { name: 'Undo' })
    .last()
    .click();
  await merged.waitFor();
  await verdict.getByText('“more + all rivers”').waitFor();

  // It is all there after the page is loaded again, the choice too.
  await page.reload();
  await merged.waitFor();
  await verdict.getByText('“more + all rivers”').waitFor();

  // On a narrow screen nothing is wider than it.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('link', { name: 'more + all rivers' }).click();
  await page.getByText('Passage 1900 tells').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(stage.faults).toEqual([]);
}, 240_000);

it('a folder goes in as one collection, files of other kinds are left out', async () => {
  const page = await opened();
  const notes = join(folder, 'notes');
  mkdirSync(join(notes, 'deep'), { recursive: true });
  writeFileSync(join(notes, 'towns.md'), '# Towns\n\nAlbi is old.\n');
  writeFileSync(join(notes, 'deep', 'rivers.txt'), 'The Tarn is long.');
  writeFileSync(join(notes, 'photo.png'), 'x');
  await page.getByLabel('Folder to import').setInputFiles(notes);
  expect(await found(page)).toContain('running text, plain text, 1 item: 1 passage');
  await page.getByText('1 file of other kinds left out').waitFor();
  expect(await imported(page, 'notes')).toBe('“notes” holds 2 passages.');
});

it('what is exported is what was imported', async () => {
  const page = await opened();
  await page.getByRole('button', { name: 'Paste' }).click();
  await page
    .getByLabel('Text, Markdown, JSON lines, CSV …')
    .fill('# Rivers\n\nThe Tarn is long. It flows.\n\n# Towns\n\nAlbi is old.\n');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  expect(await found(page)).toContain('2 passages');
  await imported(page, 'pasted');
  await page.getByRole('button', { name: 'Edit and export pasted' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Passages (JSONL)' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      title: 'Rivers',
      text: 'The Tarn is long. It flows.',
      sentences: ['The Tarn is long.', 'It flows.'],
    },
    { title: 'Towns', text: 'Albi is old.' },
  ]);
});

/** A server of another origin: a file, one that pages may not read, and what goes wrong. */
let other: Server;
beforeAll(async () => {
  other = createServer((request, response) => {
    const name = request.url ?? '';
    if (!name.startsWith('/closed')) response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (name.startsWith('/missing')) response.statusCode = 404;
    response.setHeader('Content-Type', name.startsWith('/page') ? 'text/html' : 'text/plain');
    response.end(name === '/empty' ? '' : passages(0, 5));
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
});
afterAll(() => other.close());

it('fetches an address, and distinguishes what can go wrong', async () => {
  const page = await opened();
  const { port } = other.address() as AddressInfo;
  const base = `http://localhost:${port}`;
  await page.getByRole('button', { name: 'From an address' }).click();
  const fetched = async (url: string) => {
    await page.getByLabel('Address of a file').fill(url);
    await page.getByRole('button', { name: 'Fetch' }).click();
  };
  for (const [url, words] of [
    ['rivers.jsonl', 'This is not an address'],
    ['ftp://x.example/a', 'Expected https://'],
    [`${base}/missing.jsonl`, 'answered 404: file not found'],
    [`${base}/page`, 'This address is a web page, not a file'],
    [`${base}/empty`, 'is empty'],
    [`${base}/closed.jsonl`, 'answers, but does not let other pages read it (CORS)'],
    ['http://localhost:1/a.jsonl', 'does not answer, or does not let other pages read it'],
  ]) {
    await fetched(url!);
    await page.getByRole('alert').getByText(words!).waitFor();
  }
  await fetched(`${base}/five.jsonl`);
  expect(await found(page)).toContain('5 passages');
  await imported(page, 'five');
  await page.getByText(`${base}/five.jsonl`).waitFor();
});

/** As HotpotQA writes its questions, and its passages apart from them. */
const hotpot = Array.from({ length: 5 }, (_, n) => ({
  _id: `hop-${n}`,
  question: `Who is the mayor of the town on creek ${n}?`,
  answer: `Mayor ${n}`,
  type: 'bridge',
  level: 'medium',
  supporting_facts: [
    [`Creek ${n}`, 0],
    [`Village ${n}`, 0],
  ],
  context: [
    [`Creek ${n}`, [`Creek ${n} runs through Village ${n}.`, ' It is long.']],
    [`Village ${n}`, [`Village ${n} has the mayor Mayor ${n}.`]],
  ] satisfies [string, string[]][],
}));

it('questions with their contexts and a corpus of the same passages go in together: each passage is kept once', async () => {
  const page = await opened();
  await drop(page, {
    'hops.json': JSON.stringify(hotpot),
    'corpus.json': JSON.stringify(Object.fromEntries(hotpot.flatMap(({ context }) => context))),
  });
  expect(await found(page)).toContain('10 passages and 5 questions, none to reject');
  expect(await imported(page, 'hops')).toBe(
    '“hops” holds 10 passages and 5 questions, 10 duplicates left out.',
  );
  await page.getByLabel('Choose hops').check();
  await page.getByRole('button', { name: 'Use for search' }).click();
  await page.getByRole('button', { name: 'Use these questions' }).click();
  const verdict = page.getByTestId('verdict');
  await verdict
    .getByText('Runs search 10 passages of “hops”, and ask 5 questions of “hops”')
    .waitFor();
  // Deleted, it is neither searched nor asked.
  await page.getByRole('button', { name: 'Delete hops' }).click();
  await page.locator('[data-collection="hops"]').waitFor({ state: 'detached' });
  await verdict.getByText(/built-in passages .* built-in questions/).waitFor();
});

const HOTPOT = resolve(import.meta.dirname, '../../../shared/data/hotpotqa');
const missing = !existsSync(HOTPOT);
if (missing) console.warn('skipped: needs ../shared/data/hotpotqa');

slow(
  'e2e/corpus/collections.test.ts > questions with their contexts and a corpus of the same passages go in together: each passage is kept once',
).skipIf(missing)('the 100 HotpotQA questions and 994 passages go in by drop', async () => {
  const page = await opened();
  const read = (name: string): string => readFileSync(join(HOTPOT, name), 'utf8');
  await drop(page, {
    'questions.json': read('questions.json'),
    'corpus.json': read('corpus.json'),
  });
  expect(await found(page)).toContain('994 passages and 100 questions, none to reject');
  // The contexts of the questions are the passages of the corpus: each is kept once.
  expect(await imported(page, 'questions')).toBe(
    '“questions” holds 994 passages and 100 questions, 994 duplicates left out.',
  );
  await page.getByLabel('Choose questions').check();
  await page.getByRole('button', { name: 'Use for search' }).click();
  await page.getByRole('button', { name: 'Use these questions' }).click();
  await page.getByTestId('verdict').getByText('ask 100 questions of “questions”').waitFor();
});
