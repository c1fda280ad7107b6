import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokensOf } from '../../../test/policy/remote/endpoint/published.ts';
import {
  strictServer,
  type Asked,
  type Scripted,
  type StrictServer,
} from '../../../test/policy/remote/endpoint/strict-server.ts';
import { eventKinds, openMore, runStatus, useStage } from '../../browser.ts';

/** A model on a server as a user has it: named, tested, asked, with its key in memory alone. */

const stage = useStage();
const KEY = 'sk-never-written-down-1b7c';
let server: StrictServer;

/** Judges what it is asked to judge; else searches once, and answers what the result says. */
function writes(asked: Asked): string[] {
  const said = 'messages' in asked ? asked.messages.map(({ content }) => content) : [asked.prompt];
  const all = said.join('\n');
  const predicted = /Predicted answer: (.*)/.exec(all)?.[1];
  if (predicted !== undefined)
    return [all.includes(`Reference answer: ${predicted}\n`) ? 'True' : 'False'];
  // The system's message, and the examples in it, come first.
  const result = /<result>([\s\S]*)<\/result>/.exec(said.slice(1).join('\n'))?.[1];
  const director = /Leon Kovley/.exec(result ?? '')?.[0];
  return tokensOf(
    result === undefined
      ? '<think> I look it up. </think><search> director of Distant Desert </search>'
      : `<think> It is said. </think><short_answer> \\boxed{${director ?? 'unknown'}} </short_answer>`,
  );
}

const SCRIPT: Partial<Scripted> = { key: KEY, models: ['tiny', 'large'], tokens: writes };

beforeAll(async () => {
  server = await strictServer(SCRIPT);
});
afterAll(() => server.close());

const fill = (page: Page, label: string, text: string): Promise<void> =>
  page.getByRole('form', { name: 'Server' }).getByLabel(label, { exact: true }).fill(text);

const test = async (page: Page, said: string): Promise<void> => {
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.locator('.connection', { hasText: said }).waitFor({ timeout: 60_000 });
};

/** Everything that outlives the tab, and the address. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const request = <T>(asked: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        asked.addEventListener('success', () => resolve(asked.result));
        asked.addEventListener('error', () => reject(new Error('IndexedDB')));
      });
    const parts = [
      location.href,
      JSON.stringify(Object.entries(localStorage)),
      JSON.stringify(Object.entries(sessionStorage)),
    ];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await request(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        parts.push(
          JSON.stringify(await request(database.transaction(store).objectStore(store).getAll())),
        );
      database.close();
    }
    return parts.join('\n');
  });

it('distinguishes what can be wrong, answers through the server with summaries and a judge, and asks again after a fault', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByRole('button', { name: 'Add a server' }).click();
  await fill(page, 'Address', 'http://127.0.0.1:9/v1');
  await fill(page, 'Model', 'huge');
  await test(page, 'Nothing answers');
  await fill(page, 'Address', server.url);
  server.script.cors = false;
  await test(page, 'CORS');
  server.script.cors = true;
  await test(page, 'API key');
  await fill(page, 'API key', KEY);
  await test(page, 'huge');
  await fill(page, 'Model', 'tiny');
  await test(page, 'with log-probabilities');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Use', exact: true }).click();

  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByLabel('Summarizer').selectOption('extractive');
  await page.getByLabel('Judge').selectOption({ label: `tiny at ${new URL(server.url).host}` });
  await page.getByLabel('Recipe').selectOption('search');
  await page.getByLabel('Search the questions').fill('director of Distant Desert');
  await page.locator('[role=option]', { hasText: 'Distant Desert' }).first().click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  const verdict = page.getByTestId('verdict').first();
  expect(await verdict.textContent()).toContain('✓ right');
  expect(await verdict.textContent()).toContain('Leon Kovley');
  await openMore(page);
  expect(await verdict.textContent()).toMatch(/judge right/);
  const kinds = await eventKinds(page);
  expect(kinds.filter((kind) => kind === 'summarize')).toHaveLength(1);
  expect(kinds).not.toContain('error');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSONL' }).click(),
  ]);
  const exported = readFileSync(await download.path(), 'utf8');
  expect(exported).toContain('Leon Kovley');
  expect(server.keys).toContain(`Bearer ${KEY}`);
  for (const place of [exported, await kept(page)]) expect(place).not.toContain(KEY);
  expect(await kept(page)).toContain(server.url);

  // It says what went wrong where the server refuses, and asks again.
  expect(await page.getByText('API key').count()).toBe(0);
  server.script.failures = [{ status: 401, body: '{}' }];
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('API key').first().waitFor();
  await runStatus(page, 'done');
  expect(await verdict.textContent()).not.toMatch(/right|wrong/);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('[data-testid="verdict"]:has-text("✓ right")').first().waitFor();
  expect(stage.faults).toEqual([]);
}, 240_000);
