import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openAsBlob,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { inspectRun } from '../../src/evaluate/rollouts/inspect.ts';
import { inspectFile } from '../../test/evaluate/rollouts/inspect-file.ts';
import { ALL_TESTS, slow } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';
import { expectSame, figure, labRollouts, matched } from '../rollouts-page.ts';

/** What `lab rollouts` reads opens on the page with the same counts, however it is packed. */

const stage = useStage();
const folder = mkdtempSync(join(tmpdir(), 'forage-containers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stepText = (step: number): string =>
  Array.from({ length: 6 }, (_, i) =>
    JSON.stringify({
      input: `Question: Who wrote book ${i % 3}?\n`,
      output: `<answer> ${(i + step) % 2 === 0 ? 'Ida Holm' : 'Fog'} </answer>`,
      gts: { target: ['Ida Holm'] },
      score: (i + step) % 2,
      step,
    }),
  ).join('\n');

const write = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

const text = stepText(1);
const FILES = [
  write('list.json', `[\n${text.split('\n').join(',\n')}\n]\n`),
  write('packed.jsonl.gz', gzipSync(text)),
  write('wide.jsonl', Buffer.from(`\uFEFF${text}`, 'utf16le')),
  // What each codec gives is held by `test/formats/parquet/parquet-codecs.test.ts`, too.
  ...(ALL_TESTS ? ['zstd', 'gzip', 'brotli', 'lz4'] : ['zstd']).map((codec) =>
    resolve(import.meta.dirname, `../../test/fixtures/parquet/trl-${codec}-v2.parquet`),
  ),
];

const dump = join(folder, 'rollout_data');
mkdirSync(dump);
for (const step of [1, 2, 10]) writeFileSync(join(dump, `${step}.jsonl`), stepText(step));
writeFileSync(join(dump, '3.jsonl'), '');
writeFileSync(join(dump, 'config.yaml'), 'a: 1\n');
const STEPS = [1, 2, 10].map((step) => join(dump, `${step}.jsonl`));

/** Rollouts and EM of the file that is open. */
const expectOpen = async (page: Page, name: string, rollouts: number, em: number) => {
  await page.waitForURL(/\/rollouts\/[^/]+$/);
  await page.locator('.page-trail, main').getByText(name, { exact: false }).first().waitFor();
  await matched(page, `${rollouts} rollouts`);
  await page.waitForSelector('[data-testid="file-figures"]');
  expect([name, await figure(page, 'em')]).toEqual([name, expect.stringContaining(` ${em}`)]);
};

it('lists, gzip, UTF-16 and parquet of every codec', async () => {
  const { page } = stage;
  for (const path of FILES) {
    await visit(page, stage, 'rollouts');
    await page.getByLabel('Rollout files').setInputFiles(path);
    const { statistics } = await inspectFile(await openAsBlob(path), basename(path));
    await expectOpen(page, basename(path), statistics.rollouts, statistics.em.count);
  }
  expect(stage.faults).toEqual([]);
});

it('a folder is one run in the order of its steps, and so are dropped files of steps', async () => {
  const { page } = stage;
  const files = await Promise.all(
    STEPS.map(async (path) => ({ name: basename(path), blob: await openAsBlob(path) })),
  );
  const { statistics } = await inspectRun(files, 'rollout_data');
  await visit(page, stage, 'rollouts');
  await page.getByLabel('Folder of rollouts').setInputFiles(dump);
  await expectOpen(page, 'rollout_data', 18, statistics.em.count);
  await page.getByLabel('Group the table (g)').selectOption({ label: 'step, then question' });
  const heads = page.locator('.group-head', { hasText: /step \d/ });
  await heads.nth(2).waitFor();
  expect(await heads.allInnerTexts()).toEqual(
    ['1', '2', '10'].map((step) => expect.stringMatching(new RegExp(`step ${step}\\b`))),
  );
  // The file of a step that was never written is recognised by name.
  await visit(page, stage, `${new URL(page.url()).pathname.slice(1)}?view=lines`);
  await page.getByRole('row', { name: /3\.jsonl is empty/ }).waitFor();
  expect(await faultsOf(page, '.browse-body')).toEqual([]);

  await visit(page, stage, 'rollouts');
  await page.getByText('4 files', { exact: true }).waitFor();
  await drop(
    page,
    Object.fromEntries(STEPS.map((path) => [basename(path), readFileSync(path, 'utf8')])),
  );
  await expectOpen(page, '1.jsonl and 2 more', 18, statistics.em.count);
  expect(stage.faults).toEqual([]);
});

it('what holds no rollouts says what it is and what to do', async () => {
  const { page } = stage;
  const notes = join(folder, 'notes');
  mkdirSync(notes);
  writeFileSync(join(notes, 'a.txt'), 'Dear diary\n');
  await visit(page, stage, 'rollouts');
  for (const [path, sentence] of [
    [write('empty.jsonl', ''), /empty\.jsonl is empty: it has no bytes/],
    [
      write('weights.bin', new Uint8Array(3000)),
      /weights\.bin is a binary file, not text.*Open the rollouts file itself/,
    ],
    [write('cut.jsonl.gz', gzipSync(text).subarray(0, 90)), /cut off; copy it again/],
  ] as const) {
    await page.getByLabel('Rollout files').setInputFiles(path);
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  }
  await page.getByLabel('Folder of rollouts').setInputFiles(notes);
  await page
    .getByRole('alert')
    .filter({ hasText: 'The folder notes has no rollout files' })
    .waitFor();
  expect(stage.faults).toEqual([]);
});

const REAL = resolve(import.meta.dirname, '../../../shared/data/r1-searcher/hotpotqa_qwen.jsonl');

slow(
  'e2e/rollouts/rollout-files.test.ts > a dropped file is counted as `lab rollouts` counts it; filter, order, marks and views hold',
  'e2e/rollouts/hostile-rollouts.test.ts > runs nothing and asks for nothing in any view, and so does its HTML file',
).skipIf(!existsSync(REAL))(
  'the 500 HotpotQA rollouts of R1-Searcher (../shared/data/r1-searcher) open by drop with the right counts',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'rollouts');
    await page.getByLabel('Rollout files').first().waitFor({ state: 'attached' });
    await drop(page, { 'hotpotqa_qwen.jsonl': readFileSync(REAL, 'utf8') });
    await page.waitForSelector('[data-testid="file-figures"]', { timeout: 60_000 });
    await matched(page, '500 rollouts');
    await page.waitForURL(/\/rollouts\/.+/);
    await expectSame(page, await labRollouts(REAL));
  },
  240_000,
);
