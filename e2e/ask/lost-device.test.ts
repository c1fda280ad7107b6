import { expect, it } from 'vitest';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage({ webgpu: true, ownBrowser: true });

it('says that the GPU was lost in the middle of a run, keeps what had happened, and goes on with a new device', async () => {
  const { page, browser } = stage;
  await page.goto(`${stage.url}ask?device=webgpu&recipe=search`);
  await page.waitForSelector('[data-testid="device"]:has-text("webgpu")', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Run an example' }).click();
  await page.waitForSelector('.card');
  const devtools = await browser.newBrowserCDPSession();
  await devtools.send('Browser.crashGpuProcess').catch(() => undefined);
  await runStatus(page, 'failed');
  await page.getByText('the GPU device was lost').first().waitFor();
  expect(await page.locator('.card').count()).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Run again' }).click();
  await runStatus(page, 'done');
  expect(await page.locator('.card[data-kind="answer"]').count()).toBe(1);
});
