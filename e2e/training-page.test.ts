import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, useStage } from './browser.ts';

/** The training and runs pages with the real trainer, in runs of a few small steps. */

const stage = useStage();
const LONG = 300_000;

const faultsOf = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
  );
};

const status = (page: Page, name: string) =>
  page.locator(`.run-title .badge[data-status=${name}]`).waitFor({ timeout: 120_000 });

/** Steps done, as the page says. */
const stepsDone = async (page: Page): Promise<number> =>
  Number(
    /step (\d+)/.exec((await page.locator('.progress-name').first().textContent()) ?? '')?.[1],
  );

/** Starts a run of steps that take about a second each. */
const start = async (page: Page, steps: number): Promise<void> => {
  await page.goto(`${stage.url}train?new=1&device=wasm`);
  // Draws no group again, so that every rollout has an advantage.
  await page.getByLabel('Training recipe').selectOption('grpo-em');
  await page.getByLabel('Steps', { exact: true }).fill(String(steps));
  await page.getByLabel('Questions a step').fill('2');
  await page.getByLabel('Rollouts a question').fill('2');
  await page.getByText('Held-out score').click();
  await page.getByLabel('Held-out questions').fill('0');
  await page.getByRole('button', { name: 'Start training' }).click();
  await status(page, 'running');
};

const downloaded = async (page: Page, button: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return download.path();
};

it(
  'says beside the field what is not allowed, and estimates what is',
  async () => {
    const page = await openPage(stage);
    await page.goto(`${stage.url}train?device=wasm`);
    const steps = page.getByLabel('Steps', { exact: true });
    await steps.fill('0');
    await page.getByText('At least 1.').waitFor();
    const begin = page.getByRole('button', { name: 'Start training' });
    expect(await begin.isDisabled()).toBe(true);
    await steps.fill('100');
    await page.getByText(/≈ .* for 100 steps/).waitFor();
    expect(await page.getByTestId('estimate').textContent()).toMatch(/memory at the peak.*machine/);
    expect(await begin.isDisabled()).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  },
  LONG,
);

it(
  'trains, takes another learning rate, pauses, goes on after a reload, and stops',
  async () => {
    const page = await openPage(stage);
    await start(page, 500);
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    await page.locator('#learning-rate').fill('5e-4');
    await page.getByRole('button', { name: 'Set' }).click();
    const applied = () => page.locator('#learning-rate').getAttribute('placeholder');
    await expect.poll(applied, { timeout: 60_000 }).toBe('0.0005');
    await page.getByRole('button', { name: 'Pause' }).click();
    await status(page, 'paused');
    const paused = await stepsDone(page);
    await page.reload();
    await status(page, 'paused');
    expect(await stepsDone(page)).toBe(paused);
    await page.getByRole('button', { name: /Resume after step/ }).click();
    await status(page, 'running');
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(paused + 1);
    await page.getByRole('button', { name: 'Stop what is running' }).click();
    await status(page, 'stopped');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'opens the rollouts of a step in Inspect, coloured by advantage, and comes back',
  async () => {
    const page = await openPage(stage);
    await start(page, 2);
    await status(page, 'finished');
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Inspect these 2' }).first().click();
    await page.getByText('step 2, best reward first').waitFor();
    expect(await page.locator('.column').count()).toBe(2);
    expect(await page.locator('.verdict').first().textContent()).toMatch(/advantage\s*[+−]/);
    await page.getByRole('button', { name: 'Colour by writer' }).click();
    await page.getByRole('link', { name: 'Back to the step' }).click();
    await page.getByRole('heading', { name: 'Step 2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Step 2' }).waitFor({ state: 'detached' });
  },
  LONG,
);

it(
  'renames, exports, deletes with undo, imports and compares runs',
  async () => {
    const page = await openPage(stage);
    await start(page, 1);
    await status(page, 'finished');
    await page.goto(`${stage.url}runs`);
    await page.getByRole('button', { name: /Edit and export/ }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('mine');
    await name.press('Enter');
    await page.getByRole('link', { name: 'mine' }).waitFor();
    const file = await downloaded(page, 'Export the run');
    await page.getByRole('button', { name: 'Delete mine' }).click();
    await page.getByRole('link', { name: 'mine' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'mine' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('link', { name: 'mine (imported)' }).waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByText('The settings of these runs are the same').waitFor();
    await page.locator('[data-chart=em] .recharts-line').first().waitFor({ state: 'attached' });
    expect(await faultsOf(page)).toEqual([]);
  },
  LONG,
);
