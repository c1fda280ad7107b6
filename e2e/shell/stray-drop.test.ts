import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { faultsOf } from '../axe.ts';
import { drop } from '../drop.ts';
import { useStage, visit } from '../browser.ts';

const stage = useStage();
const GGUF = 'tiny.Q4_K_M.gguf';
const FILE = resolve(import.meta.dirname, '../../test/fixtures/inspect/r1-searcher-dev.jsonl');

it('a file dropped where none is accepted does not replace the page, and a message says where to drop it', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}evaluate`);
  await page.locator('main h1').waitFor();
  // Nobody drops a file in the frame in which a page appears, whose events Chromium's driver may lose.
  await page.evaluate(() => new Promise((rest) => requestIdleCallback(rest)));
  const devtools = await page.context().newCDPSession(page);
  // As the browser does it: what no one prevents, it opens in place of the page.
  const dropAt = async (x: number, y: number) => {
    const data = { items: [], files: [FILE], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x, y, data });
  };
  await dropAt(700, 400);
  const said = page
    .getByRole('alert')
    .filter({ hasText: '“r1-searcher-dev.jsonl” cannot be opened here' });
  await said.waitFor();
  expect(page.url()).toBe(`${stage.url}evaluate`);
  expect(await faultsOf(page, '.stray-drop')).toEqual([]);

  await said.getByRole('link', { name: 'Rollouts' }).click();
  await page.getByLabel('Rollout files').first().waitFor({ state: 'attached' });
  expect(await said.count()).toBe(0);
  // Beside the page, as onto the rail, nothing is taken either.
  await dropAt(20, 600);
  await said.waitFor();
  // What a page takes after it is not told of.
  const files = () => page.getByRole('link', { name: 'r1-searcher-dev.jsonl' }).count();
  await dropAt(700, 400);
  await page.waitForSelector('[data-testid="file-figures"]');
  expect(await said.count()).toBe(0);
  await visit(page, stage, 'rollouts');
  await expect.poll(files).toBe(1);
  await devtools.detach();
});

it('a GGUF model that is dropped on any page opens on Models', async () => {
  const { page } = stage;
  for (const at of ['', 'rollouts', 'corpus', 'runs', 'train', 'evaluate']) {
    await visit(page, stage, at);
    await page.evaluate(() => new Promise((rest) => requestIdleCallback(rest)));
    await drop(page, { [GGUF]: 'GGUF\u0003' });
    const said = page.locator('.stray-drop');
    await said.waitFor();
    expect(await said.innerText(), at).toContain(`“${GGUF}” is a model.`);
    expect(await page.getByText('could not be read').count(), at).toBe(0);
    if (at === '') expect(await faultsOf(page, '.stray-drop')).toEqual([]);
    if (at !== 'evaluate') await page.getByRole('button', { name: 'Hide this message' }).click();
  }
  await page.locator('.stray-drop').getByRole('link', { name: 'Open it on Models' }).click();
  const fault = page.getByRole('alert').filter({ hasText: `${GGUF}: ` });
  await fault.waitFor();
  expect(await fault.innerText()).toContain('the file ends at byte 5');
  expect(await page.locator('.stray-drop').count()).toBe(0);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  expect(await fault.count()).toBe(0);
  // On Models itself, a drop previews it at once.
  await drop(page, { [GGUF]: 'GGUF\u0003' }, '.checkpoints-section');
  await fault.waitFor();
  expect(stage.faults).toEqual([]);
});
