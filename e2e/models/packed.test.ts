import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeRandomCheckpoint } from '../../test/policy/checkpoint/random-checkpoint.ts';
import { slow } from '../../test/slow/slow.ts';
import { useStage } from '../browser.ts';

/** Weights held packed, how near they are to their checkpoint, and the device measured with them. */

const stage = useStage();
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'random-qwen-'));
  writeRandomCheckpoint(folder, 'qwen');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

slow(
  'e2e/models/checkpoint-policy.test.ts > takes a Qwen2 folder, is the policy of the next visit, and is asked',
  'test/lab/models/serving/holding.test.ts > what it is held in changes its revision, and it is loaded again',
  'test/lab/models/serving/holding.test.ts > what it is held in is changed where nothing runs: it is loaded again without being chosen again',
  'test/lab/models/serving/holding.test.ts > the precision of its KV cache does not change the revision, and a run continues with its own',
  'test/lab/ask/host.test.ts > what could not be loaded is tried again once a checkpoint is held in something else',
  'test/lab/models/checkpoints/host.test.ts > stops a download, hides it, and can be undone',
  'test/policy/model/agreement.test.ts > of fewer bits is worse',
  'test/policy/measure/device.test.ts > is measured figure by figure, and nothing is left on it',
  'test/policy/measure/device.test.ts > is left alone when it is stopped',
  'test/ui/models/store/trial-actions.test.ts > is downloaded with its policy and day, once it was measured',
  'test/ui/models/store/trial-actions.test.ts > reports progress by layer, then the result with its policy',
  'test/ui/models/held.test.tsx > what is loaded says what its weights and its contexts are held in',
  'test/ui/models/held.test.tsx > what is chosen for a checkpoint is shown, stored, and loaded again',
  'test/ui/models/held.test.tsx > what a checkpoint needs marks the type that is chosen, and says what its contexts are held in',
)('holds a checkpoint in int4, compares it, and measures the device', async () => {
  const { page } = stage;
  const name = basename(folder);
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByLabel('Folder of a checkpoint').setInputFiles(folder);
  await page.getByRole('button', { name: /^Copy/ }).click();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Use ${name}` }).click();
  const held = page.locator('dt:text-is("precision") + dd');
  const revision = page.locator('dt:text-is("revision") + dd');
  await expect.poll(() => page.locator('dt:text-is("checkpoint") + dd').innerText()).toBe(name);
  expect(await held.innerText()).toBe('stored as f32, computed in f32');
  const plain = await revision.innerText();

  const choice = page.getByLabel(`Weights of ${name} stored as`);
  await choice.selectOption('int4');
  await expect.poll(() => held.innerText()).toBe('stored as int4, computed in f32');
  expect(await revision.innerText()).toBe(`${plain}+int4`);
  expect(await page.getByTestId('fit').locator('tr.chosen th').innerText()).toContain('int4');

  // Contexts in halves are of the same weights.
  const contexts = page.locator('dt:text-is("KV cache") + dd');
  expect(await contexts.innerText()).toBe('f32');
  const fit = page.getByTestId('fit');
  expect(await fit.innerText()).toMatch(/KV cache in f32 \(automatic\)/);
  await page.getByLabel(`KV cache of ${name} stored as`).selectOption('f16');
  await expect.poll(() => contexts.innerText()).toBe('f16');
  expect(await revision.innerText()).toBe(`${plain}+int4`);
  expect(await fit.innerText()).toMatch(/KV cache in f16: /);

  await page.getByRole('button', { name: 'Measure agreement with the checkpoint' }).click();
  await page.getByText(/agreement with the checkpoint: KL .* 256 tokens/).waitFor();

  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.locator('.measure').getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as JSON' }).click();
  const report = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
  expect(report).toMatchObject({
    format: 'forage.device/1',
    device: 'wasm',
    policy: { id: name, revision: `${plain}+int4`, onDevice: 'int4', keys: 'f16' },
  });
  expect(report.figures.map(({ kind }: { kind: string }) => kind)).toEqual([
    'copy',
    'product',
    'decode',
    'decode',
    'decode',
    'step',
  ]);

  // What was chosen is remembered; taken back, the checkpoint is itself again.
  await page.reload();
  await expect.poll(() => held.innerText()).toBe('stored as int4, computed in f32');
  expect(await contexts.innerText()).toBe('f16');
  await choice.selectOption('automatic');
  await expect.poll(() => revision.innerText()).toBe(plain);
  expect(stage.faults).toEqual([]);
});
