import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openCheckpoint } from '../../src/policy/checkpoint/checkpoint.ts';
import { openGguf } from '../../src/policy/gguf/open.ts';
import { runStatus, useStage, visit } from '../browser.ts';
import { giveRollouts, status } from '../training.ts';

/** The whole way of a model file: ask, demonstrations, cold start, RL, ask with the adapter, a GGUF file that opens again. */

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
  ['Victor Kerlund', 'Arstad'],
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
  expect(await made.textContent()).toContain('3kept as demonstrations');

  await page.locator('summary', { hasText: /^Cold start, then RL/ }).click();
  await page.getByLabel('Cold start first').check();
  await page.getByText('3 trajectories, 3 right by EM').waitFor();
  await page.locator('summary', { hasText: 'Held-out score, snapshots' }).first().click();
  const fields = {
    'Stop at format rate': '',
    'Questions per evaluation': '1',
    'Held-out share': '0.34',
    'Demonstrations per update': '1',
    Steps: '1',
    'Questions per step': '1',
    'Rollouts per question': '2',
    'Held-out questions': '0',
  };
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  await status(page, 'finished');
  expect(await page.locator('main').innerText()).toMatch(/asks/);
  // The loss of the demonstration that is held out falls, and its answers are scored.
  const words = await page.getByTestId('cold-start').locator('p').first().innerText();
  const [, loss = NaN, lossBefore = NaN] =
    /held-out loss ([\d.]+), format \d.*Before it: held-out loss ([\d.]+), format \d/
      .exec(words)
      ?.map(Number) ?? [];
  expect(loss, words).toBeLessThan(lossBefore);
  // Then RL, whose rewards are all equal here.
  await page.getByRole('button', { name: 'Rollouts of step 1' }).waitFor();

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
