import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { TrainState } from '../../src/learn/rl/state.ts';
import { writeRunFile } from '../../src/lab/train/records.ts';
import { runRecord } from '../../test/fixtures/train-runs.ts';
import { slow } from '../../test/slow/slow.ts';
import { trainStep } from '../../test/fixtures/train-steps.ts';
import { openPage, useStage, visit } from '../browser.ts';
import { savedPictures } from '../saved-pictures.ts';
import '../../src/systems/rewards.ts';

/** How charts are looked at, on two stored runs of twenty steps that differ only in the seed. */

const stage = useStage();

const STEPS = 20;

/** The second run searches twice as often; gradients grow from 0.1 tenfold every ten steps. */
const runFile = (id: string, seed: number) => {
  const { settings } = runRecord(id);
  const run = runRecord(id, {
    status: 'finished',
    step: STEPS,
    checkpointStep: STEPS,
    settings: { ...settings, seed },
  });
  const steps = Array.from({ length: STEPS }, (_, i) => ({
    ...trainStep(i + 1, id),
    searches: seed * (1 + (i % 2)),
    kl: i / 1000,
    gradientNorm: 10 ** (i / 10 - 1),
  }));
  const numbers = {
    adapter: Float32Array.of(0),
    first: Float32Array.of(0),
    second: Float32Array.of(0),
  };
  const state: TrainState = {
    ...numbers,
    step: STEPS,
    updates: STEPS,
    warmedUp: 0,
    learningRate: null,
    curriculum: null,
    router: null,
    elapsed: 60,
  };
  const buffer = Buffer.from(writeRunFile({ run, steps, state }));
  return { name: `${id}.run.json`, mimeType: 'application/json', buffer };
};

const chart = (page: Page, id: string) => page.locator(`[data-chart=${id}]`);
const lines = (page: Page, id: string) => chart(page, id).locator('.recharts-line-curve');
const shapes = (page: Page, id: string): Promise<(string | null)[]> =>
  lines(page, id).evaluateAll((all) => all.map((one) => one.getAttribute('d')));
const ticks = (page: Page, id: string, axis: 'xAxis' | 'yAxis'): Promise<string[]> =>
  chart(page, id).locator(`.recharts-${axis}-tick-labels text`).allTextContents();

it('charts have a band over seeds, smoothing, a log axis, zoom by drag and by keys, and one crosshair', async () => {
  const page = await openPage(stage);
  // All charts are in view, so that all are drawn.
  await page.setViewportSize({ width: 1440, height: 2400 });
  await page.goto(`${stage.url}runs`);
  await page.getByLabel('Run files').setInputFiles([runFile('one', 1), runFile('two', 2)]);
  await page.locator('tr[data-run]').nth(1).waitFor();
  for (const box of await page.getByRole('checkbox', { name: /^Compare/ }).all()) await box.check();

  // One line with a band for both seeds; their mean of 1 and 2, 2 and 4 at every second step.
  const seeds = page.getByRole('checkbox', { name: /^Merge runs that differ only in the seed/ });
  await seeds.waitFor();
  const bands = chart(page, 'searches').locator('.recharts-area-area');
  await chart(page, 'searches').scrollIntoViewIfNeeded();
  await bands.waitFor({ state: 'attached' });
  expect(await lines(page, 'searches').count()).toBe(1);
  await chart(page, 'searches').locator('.chart-area').press('End');
  expect(await chart(page, 'searches').locator('.chart-readout').textContent()).toMatch(
    / 3(\.0*)?\s*$/,
  );
  // The crosshair is in every chart that is drawn.
  const drawn = await page.locator('.chart-area').count();
  expect(drawn).toBeGreaterThan(1);
  await expect.poll(() => page.locator('.chart-mark').count()).toBe(drawn);
  await seeds.uncheck();
  await expect.poll(() => lines(page, 'searches').count()).toBe(2);
  expect(await bands.count()).toBe(0);

  // Smoothed lines are others, with what was measured after them.
  const measured = await shapes(page, 'searches');
  await page.getByRole('slider', { name: 'Smoothing' }).fill('0.9');
  await expect.poll(() => lines(page, 'searches').count()).toBe(4);
  const soft = await shapes(page, 'searches');
  expect(measured.every((shape) => soft.includes(shape))).toBe(true);
  expect(new Set(soft).size).toBe(4);
  await chart(page, 'searches').getByText('smoothed, raw values in the background').waitFor();
  await page.getByRole('slider', { name: 'Smoothing' }).fill('0');
  await expect.poll(() => shapes(page, 'searches')).toEqual(measured);

  // Powers of ten; the gradients of two decades are a straight line there.
  await page.getByRole('checkbox', { name: 'Log axis' }).check();
  await expect.poll(() => ticks(page, 'gradient', 'yAxis')).toEqual(['0.1', '1', '10']);
  await page.getByRole('checkbox', { name: 'Log axis' }).uncheck();
  await expect.poll(async () => (await ticks(page, 'gradient', 'yAxis'))[0]).toBe('0');

  // Zoom: by a drag over one chart all show those steps; by keys further in, and out to all.
  const tools = page.getByRole('group', { name: 'Chart settings' });
  const span = () =>
    tools
      .locator('input[type=number]')
      .evaluateAll((all) => all.map((one) => Reflect.get(one, 'valueAsNumber') as number));
  expect(await span()).toEqual([0, STEPS]);
  const area = chart(page, 'gradient').locator('.chart-area');
  const box = (await area.boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.45, box.y + 60);
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
  await page.mouse.up();
  await expect.poll(async () => (await span())[0]).toBeGreaterThan(1);
  const [from = 0, to = 0] = await span();
  expect(to).toBeLessThan(STEPS);
  await expect
    .poll(async () =>
      (await ticks(page, 'seconds', 'xAxis')).every(
        (tick) => Number(tick) >= from && Number(tick) <= to,
      ),
    )
    .toBe(true);
  await area.press('+');
  await expect.poll(async () => (await span())[1]! - (await span())[0]!).toBeLessThan(to - from);
  await area.press('0');
  await expect.poll(span).toEqual([0, STEPS]);
  expect(stage.faults).toEqual([]);
});

slow(
  'e2e/train/finished-run.test.ts > has its held-out questions as a film and before | after, whose rollouts open and are asked with the adapter',
  'test/ui/kit/charts/picture/export-chart.test.ts > is named after its title, and contains it as text',
  'test/ui/kit/charts/picture/export-chart.test.ts > looks as on the page without its style sheets',
  'test/ui/kit/charts/picture/export-chart.test.ts > has room for the whole drawing below its title, and the drawing, not an icon, in it',
  'test/ui/kit/charts/picture/export-chart.test.ts > keeps the labels over the drawing at their positions',
)('every chart of a run leaves as a file that says what it is', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}runs`);
  await page.getByLabel('Run files').setInputFiles([runFile('one', 1)]);
  await page.locator('tr[data-run]').first().waitFor();
  await visit(page, stage, 'train?run=one');
  const charts = page.locator('section.chart[data-chart]');
  await expect.poll(() => charts.count()).toBe(16);
  const titles = await charts.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? ''),
  );
  const pictures = await savedPictures(page, titles);
  expect([...pictures.keys()]).toEqual(titles);
  for (const [title, svg] of pictures) {
    const words = [...svg.matchAll(/<text[^>]*>([^<]+)</g)].map(([, text]) => text).join(' ');
    // Lines or areas, the number at the end of one, and what is across.
    expect(svg, title).toMatch(/<path[^>]* stroke="/);
    expect(words, title).toMatch(/ [\d.−]+.* X axis: steps\.$/);
  }
  expect(stage.faults).toEqual([]);
});
