import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { openPage, useStage } from './browser.ts';

/** A researcher trains, looks, pauses and goes on; the runs here are as small as runs can be. */

const stage = useStage();
vi.setConfig({ testTimeout: 240_000 });

const SMALL = { Steps: '3', 'Questions a step': '1', 'Rollouts a question': '2' };

const startSmall = async (page: Page, steps = SMALL.Steps): Promise<string> => {
  await page.goto(`${stage.url}train?new=1`);
  for (const [label, value] of Object.entries({ ...SMALL, Steps: steps }))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByTestId('estimate').getByText('a step').first().waitFor();
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  return new URL(page.url()).searchParams.get('run')!;
};

const status = (page: Page, wanted: string): Promise<unknown> =>
  page.waitForSelector(`h1 ~ [data-status="${wanted}"]`, { timeout: 120_000 });

const stepsDone = (page: Page): Promise<number> =>
  page
    .getByRole('progressbar', { name: 'Steps done' })
    .evaluate((bar) => Number(bar.getAttribute('value')));

const seriousFaults = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
  );
};

it('trains, pauses after a step, goes on, and opens a step’s rollouts with their advantages in Inspect', async () => {
  const { page } = stage;
  await startSmall(page);
  await status(page, 'running');
  await page.getByRole('button', { name: 'Pause' }).click();
  await status(page, 'paused');
  const paused = await stepsDone(page);
  expect(paused).toBeGreaterThan(0);
  expect(paused).toBeLessThan(3);

  await page.getByRole('button', { name: /^Resume after step/ }).click();
  await status(page, 'finished');
  expect(await stepsDone(page)).toBe(3);

  await page.getByRole('button', { name: 'Rollouts of step 3' }).click();
  await page.getByRole('button', { name: 'Inspect these 2' }).first().click();
  await page.waitForSelector('.column');
  expect(await page.locator('.column').count()).toBe(2);
  await page.getByText('advantage').first().waitFor();
  expect(stage.faults).toEqual([]);
});

it('keeps a run for the next visit, and gives it away as PEFT files, as CSV and as one file', async () => {
  const page = await openPage(stage);
  const id = await startSmall(page, '1');
  await status(page, 'finished');
  await page.reload();
  await page.goto(`${stage.url}runs`);
  await page.getByRole('button', { name: /^Edit and export/ }).click();
  const saved = async (button: RegExp): Promise<string[]> => {
    const names: string[] = [];
    page.on('download', (download) => names.push(download.suggestedFilename()));
    await page.getByRole('button', { name: button }).click();
    await expect.poll(() => names.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    page.removeAllListeners('download');
    return names;
  };
  expect((await saved(/PEFT|adapter/i)).toSorted()).toEqual([
    'adapter_config.json',
    'adapter_model.safetensors',
  ]);
  expect(await saved(/CSV/)).toEqual([`${id}.csv`]);
  expect(await saved(/^Export the run/)).toEqual([expect.stringMatching(/\.run\.json$/)]);
  await page.context().close();
});

it('shows in a second tab what the first one trains, and does not let it write', async () => {
  const page = await openPage(stage);
  const id = await startSmall(page, '40');
  await status(page, 'running');
  const second = await page.context().newPage();
  await second.goto(`${stage.url}train?run=${id}`);
  await status(second, 'running');
  await expect.poll(() => stepsDone(second), { timeout: 60_000 }).toBeGreaterThan(0);
  // The first tab goes on undisturbed.
  const before = await stepsDone(page);
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(before);
  await second.getByRole('button', { name: 'Pause' }).click();
  await second.getByText(/not training in this tab/).waitFor();
  await page.getByRole('button', { name: 'Stop and keep' }).click();
  await status(page, 'stopped');
  await status(second, 'stopped');
  await page.context().close();
});

it('pauses when storage is full, says what it needs and what can be deleted, and goes on when there is room', async () => {
  const page = await openPage(stage);
  const devtools = await page.context().newCDPSession(page);
  const origin = new URL(stage.url).origin;
  await startSmall(page, '30');
  await status(page, 'running');
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(0);
  const used = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: used + 100_000 });
  await status(page, 'paused');
  const alert = page.getByRole('alert');
  await alert.getByText(/storage is full: this checkpoint needs [\d.]+ MB more/).waitFor();
  expect(await alert.textContent()).toMatch(/rollouts of past steps take [\d.]+ MB/);
  const kept = await stepsDone(page);
  expect(kept).toBeGreaterThan(0);

  await devtools.send('Storage.overrideQuotaForOrigin', { origin });
  await page.getByRole('button', { name: /^Resume after step/ }).click();
  await status(page, 'running');
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(kept);
  await page.getByRole('button', { name: 'Stop and keep' }).click();
  await status(page, 'stopped');
  await page.context().close();
});

it('goes on from the last checkpoint when a worker is lost', async () => {
  const page = await openPage(stage);
  await startSmall(page, '40');
  await status(page, 'running');
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(0);
  const engine = page.workers().findLast((worker) => worker.url().includes('/policy-'));
  await engine!.evaluate(() => self.close());
  await page
    .getByText(/worker was lost: it ended; started again from the last checkpoint/)
    .waitFor();
  const before = await stepsDone(page);
  await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await status(page, 'stopped');
  await page.context().close();
});

it.each(['light', 'dark'] as const)(
  'axe finds no fault in the form, a run and the list of runs, %s',
  async (colorScheme) => {
    const page = await openPage(stage, { colorScheme });
    await page.goto(`${stage.url}train?new=1`);
    await page.getByTestId('estimate').getByText('a step').first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await startSmall(page, '1');
    await status(page, 'finished');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rollouts of step 1' }).click();
    await page.getByRole('button', { name: 'Inspect these 2' }).first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.goto(`${stage.url}runs`);
    await page.getByRole('button', { name: /^Edit and export/ }).click();
    expect(await seriousFaults(page)).toEqual([]);
    await page.context().close();
  },
);
