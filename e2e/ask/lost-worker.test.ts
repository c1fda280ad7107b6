import type { Page, Worker } from 'playwright-core';
import { expect, it } from 'vitest';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage();

/** The one that was started last, where there are several. */
const workerNamed = (page: Page, name: string): Worker => {
  const found = page.workers().findLast((worker) => worker.url().includes(`/${name}-`));
  if (!found)
    throw new Error(
      `no ${name} worker among ${page
        .workers()
        .map((w) => w.url())
        .join()}`,
    );
  return found;
};

/** Ends the worker from inside: nobody is told, as when the system takes its memory. */
const kill = async (page: Page, name: string): Promise<void> => {
  await workerNamed(page, name).evaluate(() => self.close());
};

it('reports that the policy worker, the retrieval worker or the lab worker was lost, and continues', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&recipe=naive-rag`);
  await page.waitForSelector('[data-testid="device"]:has-text("CPU")');
  await page.waitForSelector('.status:has-text("web passages")');
  for (const name of ['policy', 'retrieval', 'lab']) {
    await kill(page, name);
    const alert = page.getByRole('alert');
    await alert.waitFor({ timeout: 30_000 });
    expect(await alert.textContent()).toContain(`The ${name} worker was lost`);

    await page.getByRole('button', { name: 'Restart it' }).click();
    await alert.waitFor({ state: 'detached' });
    const before = page.locator('.column');
    await before.evaluateAll((all) => all.forEach((one) => one.setAttribute('data-before', '')));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.column[data-finished=true]:not([data-before])').waitFor();
    await runStatus(page, 'done');
    expect(await page.locator('.part[data-kind="answer"]').count()).toBe(1);
  }
});

it('keeps what had happened when the policy worker dies in the middle of a run', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&n=16`);
  await page.waitForSelector('.status:has-text("web passages")');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForSelector('.part');
  await kill(page, 'policy');
  await runStatus(page, 'failed');
  expect(await page.locator('.part').count()).toBeGreaterThan(0);
  await page.getByText('the rollouts below are kept').waitFor();
  // Sixteen last until the worker is dead; one shows that it continues.
  await page.getByRole('textbox', { name: 'Rollouts', exact: true }).fill('1');
  await page.getByRole('button', { name: 'Run again' }).click();
  await runStatus(page, 'done');
});
