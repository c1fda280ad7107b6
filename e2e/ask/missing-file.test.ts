import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../../scripts/serve/server.mjs';
import { DIST, distWithout, runStatus, useStage } from '../browser.ts';

const stage = useStage();
let lacking: ReturnType<typeof distWithout>;
let server: Served;

beforeAll(async () => {
  lacking = distWithout('policy/model.safetensors');
  server = await serve({ root: lacking.root });
});
afterAll(async () => {
  await server.close();
  lacking.drop();
});

it('names the missing model file and loads again once it is there', async () => {
  const { page } = stage;
  await page.goto(`${server.url}ask?device=wasm&recipe=naive-rag`);
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('policy/model.safetensors');
  expect(await alert.textContent()).toContain('404');

  // The rest continues loading meanwhile.
  await page.waitForSelector('.progress-row:has-text("Retrieval"):has-text("✓")');
  const { port } = server;
  await server.close();
  server = await serve({ root: DIST, port });
  await page.getByRole('button', { name: 'Load again' }).click();
  await alert.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  expect(await page.locator('.part[data-kind="answer"]').count()).toBe(1);
});
