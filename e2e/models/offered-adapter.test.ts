import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { openGguf } from '../../src/policy/gguf/open.ts';
import { architectureMetadata } from '../../src/policy/gguf/write/architecture.ts';
import { ggufOfSource } from '../../src/policy/gguf/write/model.ts';
import { tokenizerMetadata } from '../../src/policy/gguf/write/tokenizer.ts';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { useStage, visit } from '../browser.ts';

/** The trained adapter that Models offers for SmolLM2, from a broken download to the list of adapters in Ask. */

const stage = useStage();
const SMALL = resolve(import.meta.dirname, '../../test/fixtures/gguf-tokenizer/asks.gguf');
const NAME = 'SmolLM2-135M-Instruct-zeros';

/** A GGUF file in the shape of SmolLM2, with a small tokenizer; all weights are zero. */
async function writeZeros(path: string): Promise<void> {
  const bytes = readFileSync(SMALL);
  const read = (start: number, end: number) =>
    Promise.resolve(Uint8Array.from(bytes.subarray(start, end)));
  const { files } = await openGguf([{ name: 'asks.gguf', size: bytes.length, read }]);
  const config = parsePolicyConfig({
    model_type: 'llama',
    hidden_size: 576,
    intermediate_size: 1536,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    vocab_size: 49_152,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 100_000,
    tie_word_embeddings: true,
  });
  const metadata = new Map([
    ...architectureMetadata(config, NAME),
    ...(await tokenizerMetadata(files, config.vocabSize)),
  ]);
  const zeros = {
    config,
    dtype: 'f32',
    read: () => Promise.reject(new Error('not read')),
  } as const;
  const file = ggufOfSource(NAME, zeros, metadata, 'Q8_0');
  const header = await file.pieces()[Symbol.asyncIterator]().next();
  writeFileSync(path, header.value as Uint8Array);
  // A hole in the file reads as zeros.
  truncateSync(path, file.bytes);
}

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forage-offered-'));
  await writeZeros(join(folder, `${NAME}.gguf`));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

slow(
  'test/ui/models/adapter/offer.test.tsx > is offered for %s',
  'test/ui/models/adapter/offer.test.tsx > is not offered for %s',
  'test/ui/models/adapter/offer.test.tsx > is imported as a run of that model with the passages that are chosen',
  'test/ui/models/adapter/offer.test.tsx > says what is wrong where it does not arrive or does not fit, and can be tried again',
  'test/lab/train/adopted-adapter.test.ts > is a run of the chosen model, whatever its precision, that RL continues',
  'test/scripts/offline-list.test.ts > stores what every visit needs for offline use, and no trained adapter',
)('is fetched on click only, tried again after a failure, and listed by Runs and Ask', async () => {
  const { page } = stage;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('.safetensors'))
      asked.push(new URL(request.url()).pathname);
  });
  const adapters = () => asked.filter((path) => path.startsWith('/assets/'));
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByLabel('Model file').setInputFiles(join(folder, `${NAME}.gguf`));
  await page.getByRole('button', { name: /^Copy/ }).click();
  const use = page.getByRole('button', { name: `Use SmolLM2 after RL for ${NAME}` });
  await use.waitFor();
  expect(await use.innerText()).toMatch(/^Use it \(9\.\d+ MB\)$/);
  expect(adapters()).toEqual([]);
  expect(await faultsInBoth(page)).toEqual([]);

  await page.route('**/assets/*.safetensors', (route) => route.abort());
  await use.click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'Check the connection and try again.' })
    .waitFor();
  expect(await use.innerText()).toMatch(/^Try again/);
  await page.unroute('**/assets/*.safetensors');
  await use.click();
  await page.getByRole('button', { name: 'Ask with the adapter' }).waitFor();
  expect(adapters()).toHaveLength(2);

  await visit(page, stage, 'runs');
  const run = page.locator('.list-table tbody tr');
  await expect.poll(() => run.count()).toBe(1);
  expect(await run.innerText()).toMatch(/SmolLM2 after RL\s+✓\s+finished/);
  await visit(page, stage, 'models');
  // Imported once: it is not offered again; the cold start, from which RL can be repeated, is.
  await page.getByRole('button', { name: `Use SmolLM2 cold start for ${NAME}` }).waitFor();
  expect(await use.count()).toBe(0);
  await page.getByRole('button', { name: 'Ask with the adapter' }).click();
  const choice = page.getByRole('group', { name: 'Adapter' }).getByLabel('Adapter');
  await choice.waitFor();
  expect(await choice.inputValue()).toMatch(/@newest$/);
  // As it was trained.
  expect(await page.getByLabel('Passages, k').getAttribute('placeholder')).toBe('(2)');
  expect(stage.faults).toEqual([]);
});
