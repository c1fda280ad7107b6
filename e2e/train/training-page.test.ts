import { expect, test } from 'vitest';
import { loadExpectedCurves } from '../../src/evaluate/study/expected-curves.ts';
import { emptyRollout, metrics, policySegment } from '../../test/fixtures/rollouts.ts';
import { slow } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { runStatus, useStage } from '../browser.ts';
import { downloaded, fillSmall, startSmall, status, stepsDone, stopBy } from '../training.ts';

/** The training and runs pages with the real trainer, in runs of a few small steps. */

const stage = useStage();
const LONG = 300_000;
/** The form measures this device by itself, for some seconds on a quiet machine. */
const MEASURED = 120_000;

test(
  'says beside the field what is not allowed, and estimates what is',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}train?device=wasm`);
    // Before anything ran the form says what the recipe is, what a study measured of it, and what a try would take.
    const recipe = page.getByLabel('Recipe', { exact: true });
    await recipe.selectOption('search/grpo');
    const toExpect = page.getByTestId('measured-curve');
    await toExpect.locator('.sparkline').waitFor();
    const onThisWorld =
      /EM ([\d.]+) % → ([\d.]+) % in 10 steps\.\s+Measured with the built-in model.* by n = 64 held-out dev questions, 1 seed, on this world: a run with the seed of the recipe starts at the same score\.$/;
    await expect.poll(() => toExpect.textContent()).toMatch(onThisWorld);
    // The model as it is has little to learn: the card offers a start from which it learns in ten steps.
    await page.getByRole('button', { name: 'Start from that' }).click();
    const learns = onThisWorld.exec((await toExpect.textContent()) ?? '');
    expect(Number(learns?.[2]) - Number(learns?.[1])).toBeGreaterThan(30);
    await page.getByRole('button', { name: 'Start from the model as it is' }).click();
    await page.getByRole('button', { name: 'Start from that' }).waitFor();
    await page
      .getByRole('button', { name: /^Try it: 10 steps.*, ≈ / })
      .waitFor({ timeout: MEASURED });
    // Who summarizes comes with a recipe that wants summaries: one button is enough.
    await recipe.selectOption('ur2/paper');
    await expect.poll(() => page.getByLabel('Summarizer').inputValue()).toBe('extractive');
    expect(await page.getByRole('button', { name: 'Start training' }).isDisabled()).toBe(false);
    // Of one that nobody trained nothing is promised.
    const offered = await recipe
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    const { curves } = await loadExpectedCurves();
    const untrained = offered.find((id) => !curves.some(({ training }) => training === id));
    if (untrained !== undefined) {
      await recipe.selectOption(untrained);
      await page.getByText(/^What to expect is not known: this recipe has no run here/).waitFor();
    }
    await recipe.selectOption('kunlun-baize/dapo');
    const card = page.getByRole('region', { name: /^Recipe: / });
    await card
      .getByText(/R = .* · R_fmt .*equation/)
      .first()
      .waitFor();
    await card.getByRole('link', { name: /^arXiv 2506\.19466/ }).waitFor();

    const steps = page.getByLabel('Steps', { exact: true });
    await steps.fill('0');
    await page.getByText(/With 0 steps and no cold start nothing is trained/).waitFor();
    const begin = page.getByRole('button', { name: 'Start training' });
    expect(await begin.isDisabled()).toBe(true);
    await steps.fill('100');
    await page.getByText(/≈ .* for 100 steps/).waitFor({ timeout: MEASURED });
    expect(await page.getByTestId('estimate').textContent()).toMatch(
      /≤ [\d.]+ [MG]B of memory.*, of 4\.29 GB.*measured: .* tokens per rollout.*measured on this device with \d+ rollouts/,
    );
    expect(await begin.isDisabled()).toBe(false);

    // A warm-up wants a file, whose trajectories are counted.
    await recipe.selectOption('search/grpo');
    await page.getByText('Cold start, then RL').click();
    await page.getByLabel('Cold start first').check();
    await page.getByText('The cold start needs a file of demonstrations').waitFor();
    const trajectories = [0, 1].map((em) => ({
      ...emptyRollout(`r-${em}`),
      segments: [policySegment([5])],
      metrics: metrics({ em }),
    }));
    const buffer = Buffer.from(trajectories.map((one) => JSON.stringify(one)).join('\n'));
    const file = { name: 'own.jsonl', mimeType: 'application/jsonl', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(/^2 trajectories, 1 right/).waitFor();
    expect(await begin.isDisabled()).toBe(false);
    await page.getByLabel('Cold start first').uncheck();

    // A paper's switch continues and out by its name, from the keyboard too, and shows in the fields.
    const fold = page.locator('details.fold', { hasText: 'Switches of papers' });
    await fold.locator('summary').first().click();
    const gppo = fold.getByRole('listitem').filter({ hasText: 'GPPO' }).first();
    await gppo.getByRole('button', { name: 'Put on: GPPO' }).press('Enter');
    await gppo.getByText('on', { exact: true }).waitFor();
    expect(await page.getByLabel('Beyond the clip').isChecked()).toBe(true);
    expect(await page.getByLabel('Updates per step', { exact: true }).inputValue()).toBe('4');
    expect(await faultsOf(page)).toEqual([]);
    await gppo.getByRole('button', { name: 'Take out: GPPO' }).press('Enter');
    await gppo.getByRole('button', { name: 'Put on: GPPO' }).waitFor();
    expect(await page.getByLabel('Beyond the clip').isChecked()).toBe(false);
    expect(await begin.isDisabled()).toBe(false);

    // What a stage learns by has a field for each of its numbers, and for what its rollouts do otherwise.
    await recipe.selectOption('collab-rag/dpo');
    await page.getByLabel('β', { exact: true }).fill('0.3');
    await page.getByLabel('Worse up to').fill('1');
    await page.getByText('Set low below high.').waitFor();
    expect(await begin.isDisabled()).toBe(true);
    await page.getByLabel('Better from').fill('1.2');
    await page.getByText(/earned at least 1\.2 beside one .* at most 1\./).waitFor();
    await page.getByRole('button', { name: 'Back to the recipe (1 change)' }).click();
    expect(await page.getByLabel('β', { exact: true }).inputValue()).toBe('0.1');
    await recipe.selectOption('cir/stages');
    await page.getByText('1 change of the loop in this stage: retrieval.maxSearches 4').click();
    await page.getByLabel('retrieval.maxSearches').nth(1).fill('5');
    await page.getByText('1 change of the loop in this stage: retrieval.maxSearches 5').waitFor();
    expect(await begin.isDisabled()).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
  },
  LONG,
);

test(
  'trains, takes another learning rate, pauses, goes on after a reload and in another tab, and stops',
  async () => {
    const { page } = stage;
    await startSmall(page, stage, { steps: 500 });
    await status(page, 'running');
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    await page.locator('#learning-rate').fill('5e-4');
    await page.getByRole('button', { name: 'Set' }).click();
    const applied = () => page.locator('#learning-rate').getAttribute('placeholder');
    await expect.poll(applied, { timeout: 60_000 }).toBe('0.0005');
    await stopBy(page, 'Pause after this step');
    await status(page, 'paused');
    const paused = await stepsDone(page);
    await page.reload();
    await status(page, 'paused');
    expect(await stepsDone(page)).toBe(paused);
    await page.getByRole('button', { name: /Resume after step/ }).click();
    await status(page, 'running');
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBeGreaterThan(paused);
    // Whoever would end it by loading the page again is asked.
    const asked = page.waitForEvent('dialog');
    page.evaluate(() => location.reload()).catch(() => undefined);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await status(page, 'running');

    // A second tab says where it trains, pauses it there, and continues with it.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('This run is training in another tab').waitFor();
    await stopBy(other, 'Pause after this step');
    await Promise.all([status(page, 'paused'), status(other, 'paused')]);
    await other.getByRole('button', { name: /Resume after step/ }).click();
    await page.getByText('This run is training in another tab').waitFor();
    expect(await other.getByText('This run is training in another tab').count()).toBe(0);
    await other.close();
    await page.getByText('The tab was closed while this run trained').waitFor();
    await page.getByRole('button', { name: /Resume after step/ }).click();
    await status(page, 'running');
    // From another page, by keyboard: it asks first, in the same words.
    await page.getByRole('link', { name: 'Models', exact: true }).first().click();
    const bar = page.getByRole('contentinfo', { name: 'Status' });
    const stop = bar.locator('summary');
    await stop.focus();
    await page.keyboard.press('Enter');
    await bar.getByText(/^The step under way, \d+, is lost\. Kept: \d+ steps with/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await bar
      .getByText(/is lost/)
      .first()
      .waitFor({ state: 'hidden' });
    await bar.getByTestId('training').waitFor();
    await page.keyboard.press('Enter');
    await bar.getByRole('button', { name: /^Stop now and keep step/ }).click();
    await bar.getByTestId('training').waitFor({ state: 'hidden' });
    await page.goBack();
    await status(page, 'stopped');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

slow(
  'test/lab/train/kinds-of-runs.test.ts > a warm-up learns from the trajectories of a file before the first step; that is told of the run, also after it went on',
  'test/ui/train/run/run-page.test.tsx > keeps saying what it made before its first step, whatever else is told',
  'test/ui/train/run/run-page.test.tsx > has its adapter to download once there is a snapshot',
  'test/ui/train/store/actions.test.ts > are saved under the run’s name',
  'e2e/train/training-page.test.ts > says beside the field what is not allowed, and estimates what is',
  'e2e/train/finished-run.test.ts > goes on to more steps than it had',
)(
  'warms up on the user’s own rollouts before the first step, and gives the adapter away as PEFT files',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}ask?device=wasm&recipe=naive-rag&n=2`);
    await page.getByRole('button', { name: 'Watch it answer' }).click();
    await runStatus(page, 'done');
    const rollouts = await downloaded(page, 'Download JSONL');
    await fillSmall(page, stage, { steps: 1 });
    await page.getByText('Cold start, then RL').click();
    await page.getByLabel('Cold start first').check();
    await page.getByText('The cold start needs a file of demonstrations').waitFor();
    await page.locator('input[type=file]').setInputFiles(rollouts);
    await page.getByText(/^2 trajectories, \d right/).waitFor();
    await page.getByLabel('Length in').selectOption('updates');
    await page.getByLabel('Updates at most').fill('3');
    await page.getByLabel('Questions per evaluation').fill('2');
    await page.getByLabel('Only right answers').uncheck();
    await page.getByRole('button', { name: 'Start training' }).click();
    await status(page, 'finished');
    await page
      .getByText(/Cold start: 3 of 3 updates on 2 demonstrations, loss [\d.]+ → [\d.]+/)
      .waitFor();
    // It is the run's, not the tab's: told after a reload, and after the run continued.
    await page.reload();
    await page
      .getByTestId('cold-start')
      .getByText(/After 3 of 3 updates: .*format \d+ %, searches [\d.]+, EM/)
      .waitFor();
    await page.getByText(/Cold start: 3 of 3 updates on 2 demonstrations/).waitFor();
    await page.getByLabel('Go on to step').fill('2');
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await expect.poll(() => stepsDone(page), { timeout: 60_000 }).toBe(2);
    await status(page, 'finished');
    await page.getByText(/Cold start: 3 of 3 updates on 2 demonstrations/).waitFor();

    const zip = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the adapter' }).click();
    expect((await zip).suggestedFilename()).toMatch(/-adapter\.zip$/);
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
