import { zipSync } from 'fflate';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { loadBoard, loadVerlViewer } from '../../test/formats/rollouts/loaders.ts';
import { ownLines } from '../../test/formats/rollouts/helpers.ts';
import { OTHER_SYSTEMS } from '../../test/fixtures/inspect/other-systems.ts';
import { useStage, visit } from '../browser.ts';
import { figure, matched } from '../rollouts-page.ts';

/** Rollouts of other systems say on the page what they hold, and what cannot be read of them. */

const stage = useStage();
const folder = mkdtempSync(join(tmpdir(), 'forage-others-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const open = async (page: Page, path: string): Promise<void> => {
  await visit(page, stage, 'rollouts');
  await page.getByLabel('Rollout files').first().setInputFiles(path);
};

const jsonLines = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

it('an answer that cannot be read is not scored: head, table and reader say so', async () => {
  const { page } = stage;
  const records = ['ReAct', 'Search-o1', 'prose that marks no answer'].map(
    (name) => OTHER_SYSTEMS[name]![0],
  );
  await open(page, file('mixed.jsonl', jsonLines(records)));
  await page.waitForSelector('[data-testid="file-figures"]');
  expect(await figure(page, 'em')).toMatch(/^100\.0 % 2/);
  expect(await figure(page, 'not-scored')).toMatch(/^1 of 3/);
  await page.locator('[data-figure="not-scored"] button').click();
  await matched(page, '1 of 3');
  const row = page.locator('tr[data-position]');
  expect(await row.innerText()).toContain('not scored');
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/mixed\.jsonl%3A3/);
  const facts = page.locator('.facts').first();
  await facts.getByText('the protocol is unknown').waitFor();
  expect(await facts.innerText()).toContain('not scored');
  expect(await page.locator('.reader-answers').innerText()).toContain('cannot be read');
  expect(stage.faults).toEqual([]);
});

it('a log of Inspect AI opens; a file of questions says where it belongs', async () => {
  const { page } = stage;
  const sample = new TextEncoder().encode(JSON.stringify(OTHER_SYSTEMS['Inspect AI']![0]));
  await open(page, file('log.eval', zipSync({ 'samples/a_epoch_1.json': sample })));
  await page.waitForSelector('[data-testid="file-figures"]');
  expect(await figure(page, 'em')).toMatch(/^100\.0 % 1/);
  expect(await figure(page, 'searches')).toMatch(/^1/);
  const question = {
    idx: 1,
    question: 'Who wrote Low Tide?',
    answer: 'Ida Holm',
    gen_text_store: '',
  };
  await open(page, file('stage_2.jsonl', jsonLines(Array.from({ length: 150 }, () => question))));
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/stage_2\.jsonl holds questions.*Open it under Corpus/s);
});

it('what the page exports of our own rollouts opens in verl’s viewer and in RLLoggingBoard', async () => {
  const { page } = stage;
  await open(page, file('ours.jsonl', `${ownLines().join('\n')}\n`));
  await page.waitForSelector('[data-testid="file-figures"]');
  const saved = async (name: string): Promise<[name: string, text: string]> => {
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const download = await waiting;
    return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
  };
  const [name, text] = await saved('JSONL, verl');
  expect(loadVerlViewer({ [name]: text })[0]).toHaveLength(10);
  const board = loadBoard((await saved('JSONL, RLLoggingBoard'))[1]);
  expect(board.errors).toEqual([]);
  const steps = [...board.steps.values()];
  expect(steps.flatMap(({ lists }) => lists['prompt']!)).toHaveLength(10);
  // The policy that wrote them is the built-in one: its tokens are as text.
  const texts = steps.flatMap(({ lists }) => lists['response_tokens'] as string[][]);
  const responses = steps.flatMap(({ lists }) => lists['response']!);
  expect(texts.map((tokens) => tokens.join(''))).toEqual(responses);
});
