import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { fillSmall, status } from '../training.ts';

/** What a run shows from its first second to its film. */

const stage = useStage();

/** How far a step is, as the page says in one frame. */
interface Sample {
  step: number;
  /** Its name, without how much of it is done. */
  phase: string;
  share: number;
}

const progressNow = (page: Page): Promise<Sample | null> =>
  page.evaluate(() => {
    const row = document.querySelector('[data-testid=phase]');
    const step = document.querySelector('.run-progress .progress-name b')?.textContent;
    const share = row?.querySelector('progress')?.value;
    if (!row || step === undefined || share === undefined) return null;
    const phase = (row.querySelector('.progress-name')?.textContent ?? '').replace(
      / [\d,]+ \/.*/,
      '',
    );
    return { step: Number(step), phase, share };
  });

/** What a run must have shown by its end; on a fast machine each may be there for less than a look from here. */
const BEGINNINGS = [
  'charts to come',
  'held-out questions first',
  'a rollout of step 1 before any is stored',
];

/** Notes what the page shows of these, at every change of it. */
const watchBeginnings = (page: Page): Promise<void> =>
  page.evaluate(([charts, questions, live]) => {
    const shown = new Set<string>();
    Object.assign(globalThis, { shownBeginnings: shown });
    const look = () => {
      const main = document.querySelector('main');
      if (!main) return;
      if (main.querySelector('[aria-label="Charts to come"]')) shown.add(charts!);
      const step = main.querySelector('[data-testid=live-step]');
      const words = step?.textContent ?? '';
      if (words.includes('Held-out questions, before the first step')) shown.add(questions!);
      const drawn = words.includes('Step 1 under way') && step?.querySelector('.live-chip');
      // It is the first step's: none is stored yet.
      if (drawn && !main.querySelector('[data-chart=em]')) shown.add(live!);
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  }, BEGINNINGS);

/** Where progress ran backwards within a step, or within a phase before the first rollouts of the run. */
function falls(samples: readonly Sample[]): string[] {
  const first = samples.findIndex(({ phase }) => phase === 'rollouts');
  const stretch = (i: number): string => {
    const { step, phase } = samples[i]!;
    return i < first ? phase : `step ${step}`;
  };
  return samples.flatMap(({ phase, share }, i) => {
    const before = samples[i - 1];
    return !before || stretch(i) !== stretch(i - 1) || share >= before.share
      ? []
      : [`${stretch(i)}: ${before.phase} ${before.share}, then ${phase} ${share}`];
  });
}

slow(
  'test/ui/train/first-seconds.test.tsx > what will stand on the page of a run stands there before its first step',
  'test/ui/train/first-seconds.test.tsx > held-out questions come first, then the rollouts of the first step, each as it ends',
  'test/lab/train/training.test.ts > is trained, told step by step, and stored with each of its steps and their rollouts',
  'test/lab/train/step-pace.test.ts > never falls within a step, and begins anew with the next',
  'test/ui/ask/store/training-step.test.ts > of a held-out question is read among those of its score',
  'e2e/train/charts.test.ts > charts have a band over seeds, smoothing, a log axis, zoom by drag and by keys, and one crosshair',
  'e2e/train/finished-run.test.ts > has its held-out questions as a film and before | after, whose rollouts open and are asked with the adapter',
  'e2e/train/finished-run.test.ts > a sweep begins from the form, is stopped and goes on by its buttons, and opens its runs by keys',
  'e2e/train/training-page.test.ts > says beside the field what is not allowed, and estimates what is',
)(
  'streams its first step, ends with a headline, and its film opens the rollout of a cell',
  async () => {
    const { page } = stage;
    // Before anything ran the form says what the recipe is, and what a try would take.
    await page.goto(`${stage.url}train?new=1&device=wasm`);
    // Nothing was trained here: the curve to expect is one that a study measured.
    const toExpect = page.getByTestId('measured-curve');
    await toExpect.locator('.sparkline').waitFor();
    expect(await toExpect.textContent()).toMatch(
      /EM [\d.]+ % → [\d.]+ % in 10 steps\.\s+Measured with the built-in model.* by n = 64 held-out dev questions, 1 seed, on this world: a run with the seed of the recipe starts at the same score\.$/,
    );
    expect(await toExpect.locator('.fine').count()).toBe(0);
    // What is said of other recipes, `training-page.test.ts` holds.
    const recipe = page.getByLabel('Recipe', { exact: true });
    await recipe.selectOption('search/grpo');
    await page
      .getByRole('button', { name: /^Try it: 10 steps.*, ≈ / })
      .waitFor({ timeout: 120_000 });
    await page.getByLabel('Recipe', { exact: true }).selectOption('kunlun-baize/dapo');
    const card = page.getByRole('region', { name: /^Recipe: / });
    await card
      .getByText(/R = .* · R_fmt .*equation/)
      .first()
      .waitFor();
    await card.getByRole('link', { name: /^arXiv 2506\.19466/ }).waitFor();

    await fillSmall(page, stage, { steps: 2, questions: 2, group: 3, heldOut: 4 });
    await watchBeginnings(page);
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.waitForURL(/run=/);
    const seen: Sample[] = [];
    while (!(await page.locator('.run-title .badge[data-status=finished]').isVisible())) {
      const sample = await progressNow(page);
      if (sample) seen.push(sample);
      await page.waitForTimeout(50);
    }
    const shown = await page.evaluate(() => [
      ...(globalThis as unknown as { shownBeginnings: Set<string> }).shownBeginnings,
    ]);
    expect(shown.toSorted()).toEqual(BEGINNINGS.toSorted());
    expect(falls(seen)).toEqual([]);
    // The baseline is before step 1.
    expect([...new Set(seen.map(({ step }) => step))]).toEqual([0, 1, 2]);
    expect(seen.filter(({ share }) => share > 0 && share < 1).length).toBeGreaterThan(2);

    await status(page, 'finished');
    const headline = page.getByTestId('headline');
    await headline.getByText('before the first step → after step 2').waitFor();
    expect(await headline.textContent()).toMatch(/EM [\d.]+ % → [\d.]+ %.*4 held-out questions/);
    await page.getByText(/dashed: EM [\d.]+ % before the first step/).waitFor();

    // One crosshair over all charts; a drag zooms all of them.
    const area = page.locator('[data-chart=em] .chart-area');
    await area.focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.chart-readout').count()).toBeGreaterThan(2);
    await page.getByRole('spinbutton', { name: 'Steps' }).fill('1');
    await expect.poll(() => area.getAttribute('aria-valuemin')).toBe('1');
    await page.getByRole('button', { name: 'all steps', exact: true }).click();
    await expect.poll(() => area.getAttribute('aria-valuemin')).toBe('0');

    const film = page.getByRole('region', { name: 'Training film' });
    const picture = film.locator('.film-picture');
    await picture.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const says = (await picture.getAttribute('aria-valuetext')) ?? '';
    expect(says).toMatch(/before the first step: [✓✗] (right|wrong) by EM, “.*”, gold /);
    expect(await faultsInBoth(page)).toEqual([]);
    await picture.focus();
    await page.keyboard.press('Enter');
    await page.getByText('before its first step').waitFor();
    const answer = /“(.*)”, gold/.exec(says)?.[1] ?? '';
    if (answer !== 'no answer')
      await page.locator('.column').getByText(answer).first().waitFor({ state: 'attached' });
    await page.reload();
    await page.getByText('before its first step').waitFor();
    await page.getByRole('link', { name: 'Back to the run' }).click();

    // The same as a table, at the width of a phone too.
    await film.getByRole('button', { name: 'Training film: table' }).click();
    expect(await film.getByRole('row').count()).toBe(5);
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = () =>
      page.evaluate(() => [...document.querySelectorAll('main')].map((main) => main.scrollWidth));
    // Charts follow their container when they are notified of its size.
    await expect
      .poll(async () => Math.max(...(await wide())), { timeout: 20_000 })
      .toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, stage, 'runs');
    await page.locator('.sparkline').first().waitFor();
    // What it came to is the curve that the next run of this recipe may expect.
    await visit(page, stage, 'train?new=1');
    await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
    const expected = page
      .getByRole('paragraph')
      .filter({ hasText: 'Your last run of this recipe' });
    await expected.locator('.sparkline').waitFor();
    expect(await expected.textContent()).toMatch(/EM [\d.]+ % → [\d.]+ % in 2 steps/);
    expect(await toExpect.count()).toBe(0);
    expect(stage.faults).toEqual([]);
  },
  300_000,
);
