import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { readRunFile } from '../src/lab/train/run-file.ts';
import { faultsInBoth, faultsOf } from './axe.ts';
import { openPage, runStatus, useStage } from './browser.ts';
import { fillSmall, startSmall, status, stepsDone } from './training.ts';

/** The training and runs pages with the real trainer, in runs of a few small steps. */

const stage = useStage();
const LONG = 300_000;

const downloaded = async (page: Page, button: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return download.path();
};

/** A run of two steps that has ended, for those who look at it and go on from the list of runs. */
let finished: Promise<{ page: Page; id: string }> | null = null;
const finishedRun = async (): Promise<{ page: Page; id: string }> => {
  const page = await openPage(stage);
  const id = await startSmall(page, stage, { steps: 2, group: 5 });
  await status(page, 'finished');
  return { page, id };
};
const ended = async (): Promise<{ page: Page; id: string }> => {
  finished ??= finishedRun();
  const run = await finished;
  await run.page.goto(`${stage.url}train?run=${run.id}`);
  await status(run.page, 'finished');
  return run;
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
  'trains, takes another learning rate, pauses, goes on after a reload and in another tab, and stops',
  async () => {
    const page = await openPage(stage);
    await startSmall(page, stage, { steps: 500 });
    await status(page, 'running');
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

    // A second tab says where it trains, pauses it there, and goes on with it.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('It trains in another tab').waitFor();
    await other.getByRole('button', { name: 'Pause' }).click();
    await Promise.all([status(page, 'paused'), status(other, 'paused')]);
    await other.getByRole('button', { name: /Resume after step/ }).click();
    await page.getByText('It trains in another tab').waitFor();
    expect(await other.getByText('It trains in another tab').count()).toBe(0);
    await other.close();
    await page.getByText('The tab was closed while this run trained').waitFor();
    await page.getByRole('button', { name: /Resume after step/ }).click();
    await status(page, 'running');
    await page.getByRole('button', { name: 'Stop what is running' }).click();
    await status(page, 'stopped');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'opens the rollouts of a step in Inspect, coloured by advantage, and comes back',
  async () => {
    const { page, id } = await ended();
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Inspect these 5' }).first().click();
    await page.getByText('step 2, best reward first').waitFor();
    expect(await page.locator('.column').count()).toBe(5);
    expect(await page.locator('.verdict').first().textContent()).toMatch(/advantage\s*[+−]/);
    await page.getByRole('button', { name: 'Colour by writer' }).click();
    await page.getByRole('link', { name: 'Back to the step' }).click();
    await page.getByRole('heading', { name: 'Step 2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Step 2' }).waitFor({ state: 'detached' });

    // A rollout that is clicked is the one that is seen, and its address says whose it is.
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.locator('.rollout-answer button').nth(4).click();
    const inView = () =>
      page.locator('.column.focused').evaluate((column) => {
        const { left, right, top } = column.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && top < innerHeight / 2 && column.ariaLabel;
      });
    await expect.poll(inView).toBe('Rollout 5');
    const query = new URL(page.url()).searchParams;
    expect([...query.keys()]).toEqual(['of', 'at', 'group', 'rollout']);
    expect([query.get('of'), query.get('at'), query.get('rollout')]).toEqual([id, '2', '5']);
    await page.reload();
    await page.getByText('step 2, best reward first').waitFor();
    await expect.poll(inView).toBe('Rollout 5');
  },
  LONG,
);

it(
  'axe finds no fault in a run, its rollouts and the list of runs, light and dark',
  async () => {
    const { page } = await ended();
    expect(await faultsInBoth(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Inspect these 5' }).first().waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    await page.goto(`${stage.url}runs`);
    await page.getByRole('button', { name: /^Edit and export/ }).click();
    expect(await faultsInBoth(page)).toEqual([]);
  },
  LONG,
);

it(
  'renames, exports, deletes with undo, imports and compares runs',
  async () => {
    const { page, id } = await ended();
    await page.goto(`${stage.url}runs`);
    await page.getByRole('button', { name: /Edit and export/ }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('mine');
    await name.press('Enter');
    await page.getByRole('link', { name: 'mine' }).waitFor();
    const csv = readFileSync(await downloaded(page, 'Metrics (CSV)'), 'utf8');
    expect(csv.split('\n')[0]).toMatch(/^format,runId,step,/);
    expect(csv.trim().split('\n')).toHaveLength(3);
    const file = await downloaded(page, 'Export the run');
    expect(readRunFile(readFileSync(file, 'utf8')).run.id).toBe(id);
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

    // A score of held-out questions has its interval though it is the only one, and its dot, at the
    // very edge of the chart, is whole.
    const scored = readRunFile(readFileSync(file, 'utf8'));
    const score = { n: 20, em: 0.5, f1: 0.5, recall: 1, searches: 2, formatValid: 1 };
    const buffer = Buffer.from(
      JSON.stringify({
        ...JSON.parse(readFileSync(file, 'utf8')),
        run: { ...scored.run, id: 'scored-once', name: 'scored once' },
        steps: scored.steps.map((step) => ({ ...step, heldOut: step.step === 2 ? score : null })),
      }),
    );
    const once = { name: 'once.run.json', mimeType: 'application/json', buffer };
    await page.locator('input[type=file]').setInputFiles(once);
    await page.getByRole('link', { name: 'scored once' }).click();
    const chart = page.locator('[data-chart=em]');
    await chart.locator('.recharts-errorBar').waitFor({ state: 'attached' });
    const cut = await chart.locator('circle.recharts-line-dot').evaluateAll((dots) =>
      dots.filter((dot) => {
        const id = /#([^)"]+)/.exec(dot.closest('[clip-path]')?.getAttribute('clip-path') ?? '');
        const clip = id && document.getElementById(id[1] ?? '')?.querySelector('rect');
        const of = (element: Element, name: string) => Number(element.getAttribute(name));
        return clip && of(dot, 'cx') + of(dot, 'r') > of(clip, 'x') + of(clip, 'width');
      }),
    );
    expect(cut).toEqual([]);

    // At twice the size no word of the status bar runs into the next, and Stop is in view.
    await page.setViewportSize({ width: 720, height: 450 });
    const bar = await page.locator('footer.status').evaluate((footer) => ({
      narrow: [...footer.querySelectorAll('.cell')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
      stop: footer.querySelector('.stop')?.getBoundingClientRect().right,
    }));
    expect(bar).toEqual({ narrow: [], stop: 720 });
    await page.setViewportSize({ width: 1440, height: 900 });
  },
  LONG,
);

it(
  'warms up on the user’s own rollouts before the first step, and gives the adapter away as PEFT files',
  async () => {
    const page = await openPage(stage);
    await page.goto(`${stage.url}?device=wasm&recipe=naive-rag&n=2`);
    await page.getByRole('button', { name: 'Run an example' }).click();
    await runStatus(page, 'done');
    const rollouts = await downloaded(page, 'Download JSONL');
    await fillSmall(page, stage, { steps: 1 });
    await page.getByText('Warm-up on your trajectories').click();
    await page.getByLabel('Supervised first').check();
    await page.getByText('The warm-up needs a file of trajectories').waitFor();
    await page.locator('input[type=file]').setInputFiles(rollouts);
    await page.getByText(/^2 trajectories, \d right/).waitFor();
    await page.getByLabel('Updates', { exact: true }).fill('3');
    await page.getByLabel('Only right answers').uncheck();
    await page.getByRole('button', { name: 'Start training' }).click();
    await status(page, 'finished');
    await page
      .getByText(/Warm-up: 3 of 3 updates on 2 trajectories, loss [\d.]+ → [\d.]+/)
      .waitFor();

    const names: string[] = [];
    page.on('download', (download) => names.push(download.suggestedFilename()));
    await page.getByRole('button', { name: 'Download the adapter' }).click();
    await expect
      .poll(() => names.toSorted(), { timeout: 60_000 })
      .toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
