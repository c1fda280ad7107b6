import { expect, test, vi } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { useStage } from '../browser.ts';
import { startSmall, status, stepsDone, stopBy } from '../training.ts';

/** What may go wrong while a run trains: another tab, a full disk, a worker that is lost. */

const stage = useStage();
vi.setConfig({ testTimeout: 240_000 });

slow(
  'test/lab/train/kinds-of-runs.test.ts > another tab is told of each step as it is made, and ends it there; both then tell the same steps',
  'test/lab/train/other-tabs.test.ts > stops there when it is asked to here, with the record that the other tab leaves',
  'test/ui/train/run/run-page.test.tsx > in another tab says so',
  'e2e/train/training-page.test.ts > trains, takes another learning rate, pauses, goes on after a reload and in another tab, and stops',
)(
  'shows in a second tab what the first one trains; what is pressed there is done in the first',
  async () => {
    const { page } = stage;
    const id = await startSmall(page, stage, { steps: 400 });
    await status(page, 'running');
    const second = await page.context().newPage();
    await second.goto(`${stage.url}train?run=${id}`);
    await status(second, 'running');
    await expect.poll(() => stepsDone(second), { timeout: 60_000 }).toBeGreaterThan(0);
    // The first tab continues undisturbed.
    const before = await stepsDone(page);
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(before);
    await second.getByText(/training in another tab; the buttons here control it/).waitFor();
    await stopBy(second, /^Stop now and keep step/);
    await status(page, 'stopped');
    await status(second, 'stopped');
    // Only the tab that trains writes: both tell the same steps, and none is lost.
    const kept = await stepsDone(page);
    expect(kept).toBeGreaterThan(before);
    await second.reload();
    await expect.poll(() => stepsDone(second)).toBe(kept);
    await second.close();
  },
);

test('goes on from the last snapshot when a worker is lost; pauses when storage is full, says what it needs and what can be deleted, and goes on when there is room', async () => {
  const { page } = stage;
  const devtools = await page.context().newCDPSession(page);
  const origin = new URL(stage.url).origin;
  await startSmall(page, stage, { steps: 400 });
  await status(page, 'running');
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(0);
  const engine = page.workers().findLast((worker) => worker.url().includes('/policy-'));
  await engine!.evaluate(() => self.close());
  await page.getByText(/worker was lost: it ended; started again from the last snapshot/).waitFor();
  const before = await stepsDone(page);
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(before);

  const used = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: used + 100_000 });
  await status(page, 'paused');
  const alert = page.getByRole('alert').filter({ hasText: /storage is full: this snapshot/ });
  await alert
    .getByText(/storage is full: this snapshot needs [\d.]+ MB more/)
    .first()
    .waitFor();
  expect(await alert.textContent()).toMatch(/rollouts of past steps take [\d.]+ MB/);
  const kept = await stepsDone(page);
  expect(kept).toBeGreaterThan(0);

  await devtools.send('Storage.overrideQuotaForOrigin', { origin });
  await page.getByRole('button', { name: /^Resume after step/ }).click();
  await status(page, 'running');
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(kept);
  await stopBy(page, /^Stop now and keep step/);
  await status(page, 'stopped');
});
