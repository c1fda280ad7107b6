import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { readRunFile } from '../../src/lab/train/records.ts';
import '../../src/systems/index.ts';
import { faultsInBoth, faultsOf } from '../axe.ts';
import { openMore, openPage, runStatus, useStage, visit } from '../browser.ts';
import { downloaded, startSmall, status, stepsDone, stopBy } from '../training.ts';
import { savedPictures } from '../saved-pictures.ts';
import { matched } from '../rollouts-page.ts';

/** What is done with a run that has ended: all of these look at one. */

const stage = useStage();
const LONG = 300_000;

/** A run of two steps that has ended, for those who look at it and continue from the list of runs. */
let finished: Promise<{ page: Page; id: string }> | null = null;
const finishedRun = async (): Promise<{ page: Page; id: string }> => {
  const page = await openPage(stage);
  const id = await startSmall(page, stage, { steps: 2, group: 5, heldOut: 2, learns: true });
  await status(page, 'finished');
  return { page, id };
};
const ended = async (): Promise<{ page: Page; id: string }> => {
  finished ??= finishedRun();
  const run = await finished;
  await visit(run.page, stage, `train?run=${run.id}`);
  await status(run.page, 'finished');
  return run;
};

it(
  'leaves no third of a row of charts empty at 2,560 pixels',
  async () => {
    const { page } = await ended();
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 2560, height: 1200 });
    await page.locator('.chart-grid .chart').first().waitFor();
    const rows = await page.locator('.chart-grid').evaluateAll((grids) =>
      grids.map((grid) => {
        const box = grid.getBoundingClientRect();
        const charts = [...grid.children].map((chart) => chart.getBoundingClientRect());
        const right = Math.max(...charts.map((chart) => chart.right));
        return { charts: charts.length, used: (right - box.left) / box.width };
      }),
    );
    await page.setViewportSize(size);
    const several = rows.filter(({ charts }) => charts > 1);
    expect(several.map(({ charts }) => charts)).toContain(3);
    expect(Math.min(...several.map(({ used }) => used))).toBeGreaterThan(2 / 3);
  },
  LONG,
);

it(
  'opens the rollouts of a step in Ask, coloured by advantage, and comes back',
  async () => {
    const { page, id } = await ended();
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Open these 5' }).first().click();
    await page.getByText('step 2, best reward first').waitFor();
    expect(await page.locator('.column').count()).toBe(5);
    await openMore(page);
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
        const { left, right } = column.getBoundingClientRect();
        const { top, bottom } = column.querySelector('.verdict')!.getBoundingClientRect();
        const seen = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
        return seen && column.ariaLabel;
      });
    await expect.poll(inView).toBe('Rollout 5');
    const query = new URL(page.url()).searchParams;
    expect([...query.keys()]).toEqual(['of', 'at', 'group', 'rollout']);
    expect([query.get('of'), query.get('at'), query.get('rollout')]).toEqual([id, '2', '5']);

    // Also where the picture above it comes late, until the reader moves.
    const drawLate = async (meanwhile: () => Promise<void>): Promise<void> => {
      const asked: Route[] = [];
      await page.route('**/SiblingTree-*.js', (route) => void asked.push(route));
      await page.reload();
      await page.getByText('step 2, best reward first').waitFor();
      await expect.poll(inView).toBe('Rollout 5');
      await meanwhile();
      await Promise.all(asked.map((route) => route.continue()));
      await page.locator('[data-chart=siblings] svg').first().waitFor();
      await page.unroute('**/SiblingTree-*.js');
    };
    await drawLate(async () => {});
    await expect.poll(inView).toBe('Rollout 5');
    const answer = page.locator('.ask-main');
    await drawLate(async () => {
      await answer.hover();
      await page.mouse.wheel(0, -2000);
      await expect.poll(() => answer.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    });
    // Where the reader went, the page stays.
    await page.waitForTimeout(500);
    expect(await answer.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  },
  LONG,
);

it(
  'axe finds no fault in a run, its rollouts and the list of runs, light and dark',
  async () => {
    const { page } = await ended();
    expect(await faultsInBoth(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Open these 5' }).first().waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    await visit(page, stage, 'runs');
    await page.getByRole('button', { name: /^Edit and export/ }).click();
    expect(await faultsInBoth(page)).toEqual([]);
  },
  LONG,
);

it('the rollouts of a training run open in the same table, step by step, and again as it was', async () => {
  const { page, id } = await ended();
  await visit(page, stage, 'rollouts');
  await page
    .getByRole('region', { name: 'Rollouts of your training runs' })
    .getByRole('button')
    .click();
  await page.waitForURL(new RegExp(`/rollouts/run-${id}`));
  await page.waitForSelector('[data-testid="file-figures"]');
  await page.getByLabel('Group the table (g)').selectOption({ label: 'step, then question' });
  await page.locator('.group-head', { hasText: 'step 2' }).waitFor();
  expect(await page.locator('tr[data-position]').count()).toBe(10);
  await page.getByText('These rollouts have none of the published faults.').waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.imports').length === 0);
  await matched(page, '10 rollouts');

  // Its numbers are computed under its own settings.
  await page.locator('tr[data-position] a').first().click();
  const its = 'the settings of the run (ex-search/uniform)';
  for (const view of ['What if', 'Group', 'Tokens']) {
    await page.getByRole('tab', { name: view }).click();
    await page.getByText(its).waitFor();
  }
  expect(stage.faults).toEqual([]);
}, 240_000);

it(
  'renames, exports, deletes with undo, imports and compares runs',
  async () => {
    const { page, id } = await ended();
    await visit(page, stage, 'runs');
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
    await page.getByLabel('Run files').setInputFiles(file);
    await page.getByRole('link', { name: 'mine (imported)' }).waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByText('These runs have the same settings and seed').waitFor();
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
        steps: scored.steps.map((step) => ({
          ...step,
          heldOutAtStart: undefined,
          heldOut: step.step === 2 ? score : null,
        })),
      }),
    );
    const once = { name: 'once.run.json', mimeType: 'application/json', buffer };
    await page.getByLabel('Run files').setInputFiles(once);
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

    // Pressed heads sort the list, one way and then the other.
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { steps: object[] };
    const longer = {
      name: 'four.run.json',
      mimeType: 'application/json',
      buffer: Buffer.from(
        JSON.stringify({
          ...stored,
          state: null,
          steps: [1, 2, 3, 4].map((step) => ({ ...stored.steps[0], step })),
          run: {
            ...scored.run,
            id: 'four-steps',
            name: 'four steps',
            step: 4,
            checkpointStep: null,
          },
        }),
      ),
    };
    await visit(page, stage, 'runs');
    await page.getByLabel('Run files').setInputFiles(longer);
    const names = () => page.locator('tr[data-run] .row-name > a').allTextContents();
    await expect.poll(names).toContain('four steps');
    const head = (name: string) => page.getByRole('columnheader', { name });
    await head('name').getByRole('button').click();
    const upwards = ['four steps', 'mine', 'mine (imported)', 'scored once'];
    expect(await names()).toEqual(upwards);
    expect(await head('name').getAttribute('aria-sort')).toBe('ascending');
    await head('name').getByRole('button').click();
    expect(await names()).toEqual(upwards.toReversed());
    await head('steps').getByRole('button').click();
    expect((await names())[0]).toBe('four steps');

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
  'has its held-out questions as a film and before | after, whose rollouts open and are asked with the adapter',
  async () => {
    const { page, id } = await ended();
    expect(await page.getByTestId('headline').textContent()).toMatch(
      /EM [\d.]+ % → [\d.]+ %.*2 held-out questions; before the first step → after step 2/,
    );
    const film = page.getByRole('region', { name: 'Training film' });
    const picture = film.locator('.film-picture');
    await picture.scrollIntoViewIfNeeded();
    for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowLeft']) await picture.press(key);
    const says = (await picture.getAttribute('aria-valuetext')) ?? '';
    expect(says).toMatch(/before the first step: [✓✗] (right|wrong) by EM, “.*”, gold /);
    await picture.press('Enter');
    await page.getByText('before its first step').waitFor();
    await page.getByRole('link', { name: 'Back to the run' }).click();
    await page.getByText(/dashed: EM [\d.]+ % before the first step/).waitFor();

    const beside = page.getByRole('region', { name: 'Before | after' });
    await page.getByTestId('beside-sentence').waitFor();
    await beside.getByLabel('Held-out question').selectOption({ index: 1 });
    await page.waitForURL(/question=.*from=0&to=newest/);
    await page.getByTestId('beside-sentence').waitFor();
    const pictures = await savedPictures(page, [
      'Answers: EM and F1',
      'Training film',
      'Before | after',
    ]);
    const answers = pictures.get('Answers: EM and F1') ?? '';
    const words = [...answers.matchAll(/<text[^>]*>([^<]+)</g)].map(([, text]) => text).join(' ');
    // Lines, the number at the end of one, and what is across.
    expect(answers).toMatch(/<path[^>]* stroke="/);
    expect(words).toMatch(/EM held-out.* [\d.−]+.* X axis: steps\.$/);
    expect(pictures.get('Before | after')).toContain('after: step 2');
    expect(await faultsOf(page)).toEqual([]);
    await beside.getByRole('button', { name: 'Before | after: table' }).click();
    await beside.getByRole('columnheader', { name: 'before: untrained, no step yet' }).waitFor();
    await beside.getByRole('button', { name: 'Before | after: picture' }).click();
    await film.getByRole('button', { name: 'Training film: table' }).click();
    expect(await film.getByRole('row').count()).toBe(3);
    // As wide as a phone; charts follow their container when they are notified of its size.
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = () => page.locator('main').evaluate(({ scrollWidth }) => scrollWidth);
    await expect.poll(wide).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    // The first round after it opens its event, of a rollout of the run's own scores.
    await beside
      .getByRole('button', { name: /^after, / })
      .first()
      .click();
    await page.getByText(/^event \d+ of/).waitFor();
    await page.getByRole('link', { name: 'Back to the run' }).click();
    await beside.getByRole('button', { name: 'Ask it now, without and with the adapter' }).click();
    await page.waitForURL(/\/ask\?/);
    await runStatus(page, 'done');
    expect(await page.locator('.column').count()).toBe(2);
    const asked = new URL(page.url()).searchParams;
    expect([asked.get('beside'), asked.get('policy')]).toEqual(['alone', `${id}@newest`]);
    const answeredBy = page.getByText(
      /^Answered by the adapter of .*, newest snapshot, compared with/,
    );
    await answeredBy.waitFor();
    // On a phone too, where the setup, which says so as well, is put away.
    await page.setViewportSize({ width: 390, height: 844 });
    await answeredBy.waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, stage, `train?run=${id}&step=1`);
    await page
      .getByRole('region', { name: 'Step 1', exact: true })
      .getByRole('button', { name: 'Ask with the adapter of step 1' })
      .click();
    await page.waitForURL(/\/ask\?/);
    expect(new URL(page.url()).searchParams.get('policy')).toBe(`${id}@1`);

    await visit(page, stage, 'runs');
    const row = page.locator(`tr[data-run="${id}"]`);
    await row.locator('.sparkline').waitFor();
    await row.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('button', { name: 'Delete the adapters of past steps' }).click();
    await page.getByRole('button', { name: 'Delete the adapters', exact: true }).click();
    await page.getByText(/[1-9].* freed/).waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'a sweep begins from the form, is stopped and goes on by its buttons, and opens its runs by keys',
  async () => {
    const { page } = await ended();
    await visit(page, stage, 'train?new=1');
    // What the last run came to is the curve that the next one of its recipe may expect.
    const expected = page
      .getByRole('paragraph')
      .filter({ hasText: 'Your last run of this recipe' });
    await expected.locator('.sparkline').waitFor();
    expect(await expected.textContent()).toMatch(/EM [\d.]+ % → [\d.]+ % in 4 steps/);
    await page.getByRole('button', { name: 'Sweep …' }).click();
    const panel = page.getByRole('region', { name: 'Sweep' });
    await panel.getByLabel('Values by row').fill('1e-3');
    await panel.getByText('lr has one value; give two or more').waitFor();
    expect(await panel.getByRole('button').isDisabled()).toBe(true);
    await panel.getByLabel('Values by row').fill('1e-3, 2e-3');
    await panel.getByLabel('Columns').selectOption({ label: '(only one setting)' });
    await panel.getByRole('button', { name: 'Start 2 runs' }).click();
    await page.waitForURL(/sweep=/);
    await page.getByText('Trains now:').waitFor();
    await stopBy(page, 'Stop now and drop the rest');
    await page
      .getByText(/^1 run dropped\./)
      .getByRole('button', { name: 'Undo' })
      .click();
    const goOn = page.getByRole('button', { name: 'Go on: 1 run left' });
    await goOn.click();
    await page.getByText('2 of 2 runs ended').waitFor();
    await page.locator('.heat-value').waitFor();
    const map = page.getByRole('slider', { name: 'Runs of the sweep' });
    for (const key of ['ArrowRight', 'ArrowRight']) await map.press(key);
    expect(await map.getAttribute('aria-valuetext')).toMatch(/^lr 0\.002 finished: held-out EM/);
    await map.press('Enter');
    await page.getByRole('heading', { name: /ex-search\/uniform, sweep: lr 0\.002$/ }).waitFor();
    await page.getByRole('link', { name: 'Its sweep' }).click();
    await page.getByText('2 of 2 runs ended').waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'goes on to more steps than it had',
  async () => {
    const { page } = await ended();
    await page.getByLabel('Go on to step').fill('3');
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await expect.poll(() => stepsDone(page)).toBe(3);
    await status(page, 'finished');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'a new run starts from its adapter, with its shape',
  async () => {
    const { page, id } = await ended();
    await visit(page, stage, 'train?new=1');
    const from = page.getByLabel('Start from');
    const rank = page.getByLabel('Rank', { exact: true });
    await from.selectOption(id);
    await page.getByText('Adapter (LoRA)').click();
    await page.getByText(/The shape is that of the adapter of/).waitFor();
    expect(await rank.count()).toBe(0);
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByText(/^Started from the adapter of/).waitFor({ timeout: 60_000 });
    await stopBy(page, /^Stop now/);
    await status(page, 'stopped');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
