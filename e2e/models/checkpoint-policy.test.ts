import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeRandomCheckpoint } from '../../test/policy/checkpoint/random-checkpoint.ts';
import { slow } from '../../test/slow/slow.ts';
import { eventKinds, runStatus, useStage, visit } from '../browser.ts';
import { startSmall, status } from '../training.ts';

/** A checkpoint from elsewhere, from its folder to an adapter trained on it. */

const stage = useStage();
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'random-qwen-'));
  writeRandomCheckpoint(folder, 'qwen');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('takes a Qwen2 folder, is the policy of the next visit, and is asked', async () => {
  const { page } = stage;
  const name = basename(folder);
  await page.goto(`${stage.url}models`);
  await page.getByLabel('Folder of a checkpoint').setInputFiles(folder);
  await page.getByTestId('fit').waitFor();
  await page.getByRole('button', { name: /^Copy/ }).click();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Use ${name}` }).click();
  await page.getByText('in use', { exact: true }).waitFor();

  await page.goto(`${stage.url}ask?device=wasm`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  // Whose it is is in the record of what was asked.
  expect(await page.locator('body').innerText()).toContain(name);
  const kinds = await eventKinds(page);
  // The background passes through the router like any call.
  expect(kinds.slice(0, 2)).toEqual(['route', 'background']);
  expect(kinds.at(-1)).toBe('stop');
  // Random weights say nothing of the form that is asked for; nothing else goes wrong.
  for (const fault of await page.locator('.part[data-kind=error]').allInnerTexts())
    expect(fault).toMatch(
      /text between blocks|the turn ended without a search or an answer|is not closed/,
    );

  expect(stage.faults).toEqual([]);
});

slow(
  'e2e/models/checkpoint-policy.test.ts > takes a Qwen2 folder, is the policy of the next visit, and is asked',
  'test/policy/checkpoint/train-parity.test.ts > the training forward pass agrees with transformers, sequences packed (relaxed %s)',
  'test/lab/models/serving/holding.test.ts > training holds it from the start, and lets go where the start fails',
  'test/policy/lora/peft.test.ts > writes the fields that PEFT writes, with the same values',
  'test/lab/train/files/merged-download.test.ts > an adapter is one archive with a folder as PEFT loads it; its base of the hub is a name that Python resolves (%s)',
  'test/lab/train/files/merged-download.test.ts > keeps config, tokenizer, generation settings and chat template of the checkpoint',
)('is trained, and gives its adapter and its merged weights', async () => {
  const { page } = stage;
  const name = basename(folder);
  await startSmall(page, stage, { steps: 1, learns: true });
  await status(page, 'finished');
  expect(await page.locator('main').innerText()).toContain(name);
  const zip = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the adapter' }).click();
  const files = unzipSync(readFileSync(await (await zip).path()));
  expect(Object.keys(files).map((path) => basename(path))).toEqual([
    'adapter_model.safetensors',
    'adapter_config.json',
    'README.md',
  ]);
  const config = Object.entries(files).find(([path]) => path.endsWith('.json'))?.[1];
  expect(JSON.parse(new TextDecoder().decode(config)).base_model_name_or_path).toBe(`./${name}`);

  await visit(page, stage, 'runs');
  await page.locator('.list-table tbody button[aria-expanded]').first().click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Merged model (tar)' }).click();
  const archive = await (await download).path();
  const listed = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' });
  expect(
    listed
      .trim()
      .split('\n')
      .map((path) => basename(path))
      .toSorted(),
  ).toEqual(['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']);

  for (const [kind, file] of [
    [/^Merged model, Q8_0/, /-q8_0\.gguf$/],
    [/^Adapter only/, /-adapter\.gguf$/],
  ] as const) {
    const gguf = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as GGUF' }).click();
    await page.getByRole('menuitem', { name: kind }).click();
    expect((await gguf).suggestedFilename()).toMatch(file);
    const bytes = readFileSync(await (await gguf).path());
    expect(bytes.toString('latin1', 0, 4)).toBe('GGUF');
  }
  expect(stage.faults).toEqual([]);
});
