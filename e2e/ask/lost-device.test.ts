import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage({ webgpu: true, ownBrowser: true });

slow(
  'test/lab/workers/lost-device.test.ts > a device that is taken away in the middle ends what is under way and says so; loaded again, another one is asked',
  'e2e/ask/lost-worker.test.ts > keeps what had happened when the policy worker dies in the middle of a run',
  'e2e/ask/ask-webgpu.test.ts > asks, streams, answers and plays back on WebGPU',
)(
  'says that the GPU was lost in the middle of a run, keeps what had happened, and goes on with a new device',
  async () => {
    const { page, browser } = stage;
    await page.goto(`${stage.url}ask?device=webgpu&recipe=search`);
    await page.waitForSelector('[data-testid="device"]:has-text("GPU")', { timeout: 60_000 });
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await page.waitForSelector('.part');
    const devtools = await browser.newBrowserCDPSession();
    await devtools.send('Browser.crashGpuProcess').catch(() => undefined);
    await runStatus(page, 'failed');
    await page.getByText('the GPU device was lost').first().waitFor();
    expect(await page.locator('.part').count()).toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Run again' }).click();
    await runStatus(page, 'done');
    expect(await page.locator('.part[data-kind="answer"]').count()).toBe(1);
  },
);
