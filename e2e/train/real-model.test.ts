import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openCheckpoint } from '../../src/policy/checkpoint/checkpoint.ts';
import { openGguf } from '../../src/policy/gguf/open.ts';
import { runStatus, useStage, visit } from '../browser.ts';
import { giveRollouts, status } from '../training.ts';

/** The whole way of a model file: ask, demonstrations, cold start, ask with the adapter, a GGUF file that opens again. */

const stage = useStage();
const FILE = resolve(import.meta.dirname, '../../test/fixtures/gguf-tokenizer/asks.gguf');

const rollout = (author: string, place: string) => ({
  question: `Where was ${author} born?`,
  answers: [place],
  messages: [
    { role: 'user', content: `Where was ${author} born?` },
    { role: 'assistant', content: `Thought: I search it.\nAction: search[${author}]` },
    { role: 'user', content: `Observation: ${author} was born in ${place}.` },
    { role: 'assistant', content: `Thought: It says so.\nAction: finish[${place}]` },
  ],
});
const ROLLOUTS = [
  ['Elena Belner', 'Borfield'],
  ['Leon Norrath', 'Mondria'],
].map(([author = '', place = '']) => rollout(author, place));

/** The query projection of its first layer. */
const matrixOf = async (bytes: Uint8Array): Promise<Float32Array> => {
  const read = (start: number, end: number) =>
    Promise.resolve(Uint8Array.from(bytes.subarray(start, end)));
  const { files } = await openGguf([{ name: 'model.gguf', size: bytes.length, read }]);
  return (await openCheckpoint(files)).read('model.layers.0.self_attn.q_proj.weight');
};

test('a GGUF file is taught to search, asked with its adapter, and downloaded as a GGUF file that opens', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByLabel('Model file').setInputFiles(FILE);
  await page.getByRole('button', { name: /^Copy/ }).click();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Ask with asks' }).click();
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');

  await page.goto(`${stage.url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
  await page.locator('summary', { hasText: /^Make demonstrations/ }).click();
  await giveRollouts(page, ROLLOUTS);
  // The vocabulary of 561 cuts words to letters.
  await page.getByLabel('Tokens at most', { exact: true }).fill('4000');
  await page.getByRole('button', { name: 'Make demonstrations' }).click();
  const made = page.getByTestId('made-demonstrations');
  await made.waitFor();
  expect(await made.textContent()).toContain('2kept as demonstrations');

  await page.locator('summary', { hasText: /^Cold start, then RL/ }).click();
  await page.getByLabel('Cold start first').check();
  await page.getByText('2 trajectories, 2 right by EM').waitFor();
  await page.getByLabel('Stop at format rate').fill('');
  await page.getByLabel('Questions per evaluation').fill('0');
  await page.getByLabel('Held-out share').fill('0');
  await page.getByLabel('Demonstrations per update').fill('1');
  await page.getByLabel('Steps', { exact: true }).fill('0');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  await status(page, 'finished');
  expect(await page.locator('main').innerText()).toMatch(/asks/);

  await page.getByRole('button', { name: 'Ask with this adapter' }).click();
  await page.waitForURL(/policy=[^&]*newest/);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  await page.getByText(/^Answered by the adapter of .*, newest snapshot\.$/).waitFor();

  await visit(page, stage, 'runs');
  await page.locator('.list-table tbody button[aria-expanded]').first().click();
  await page.getByRole('button', { name: 'Download as GGUF' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^Merged model, Q8_0/ }).click(),
  ]);
  const bytes = readFileSync(await download.path());
  const name = download.suggestedFilename();
  expect(name).toMatch(/\.gguf$/);

  await visit(page, stage, 'models');
  await page.getByLabel('Model file').setInputFiles({ name, mimeType: '', buffer: bytes });
  const preview = page.locator('.plan-card');
  await preview.getByTestId('fit').waitFor();
  expect(await preview.innerText()).toContain('matrices stored as Q8_0 (15)');
  await page.getByRole('button', { name: /^Copy/ }).click();
  await expect.poll(() => page.getByText('ready', { exact: true }).count()).toBe(2);
  // Training changed its matrices.
  const [before, after] = await Promise.all([matrixOf(readFileSync(FILE)), matrixOf(bytes)]);
  expect(after.length).toBe(before.length);
  expect(after).not.toEqual(before);
  expect(stage.faults).toEqual([]);
});
