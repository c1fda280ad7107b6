import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { faultsOf } from '../axe.ts';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage();
const FILE = resolve(import.meta.dirname, '../../test/fixtures/gguf-tokenizer/asks.gguf');

it('a GGUF file is opened, shown with its types, and asked', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}models`);
  await page.getByLabel('Model file').setInputFiles(FILE);
  const preview = page.getByLabel('Preview of asks');
  await preview.getByTestId('fit').waitFor();
  expect(await preview.innerText()).toContain('llama · 2 layers');
  expect(await preview.innerText()).toContain('matrices stored as Q8_0 (15) · held as int8');
  expect(await faultsOf(page, '.plan-card')).toEqual([]);
  await preview.getByRole('button', { name: /^Copy 55\.1 kB/ }).click();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Ask with asks' }).click();
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  expect(await page.locator('body').innerText()).toContain('asks');
  // Random weights say nothing of the form that is asked for; nothing else goes wrong.
  for (const fault of await page.locator('.part[data-kind=error]').allInnerTexts())
    expect(fault).toMatch(/text between blocks|the turn ended without a search or an answer/);
  expect(stage.faults).toEqual([]);
});
