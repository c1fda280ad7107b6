import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage();

/**
 * Moments of the cancels, milliseconds after the first card: while prompts are read, between decode
 * steps, during searches. Sixteen rollouts are over within a second.
 */
const MOMENTS = ALL_TESTS ? [0, 20, 40, 60, 80, 110, 140, 170, 200] : [20, 80];

/** The promise is of the median: other programs on the machine may delay single ones. */
const PROMISED_MS = 500;
/** None may hang: a pass over sixteen contexts on a machine that others use is over by then. */
const WORST_MS = 2000;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Starts sixteen rollouts and cancels them with Escape so long after their first card. The page itself
 * waits, since a message to it may take longer than the run.
 * @returns how many milliseconds that took; null where the run was over before
 */
async function cancelRun(page: Page, moment: number): Promise<number | null> {
  const cancelled = page.evaluate(
    (wait) =>
      new Promise<number | null>((resolve) => {
        let start: number | null = null;
        let waiting = false;
        const look = (): void => {
          const status = document.querySelector('[data-testid="run-status"]')?.textContent ?? '';
          if (waiting && status === 'done') resolve(null);
          if (start !== null && status === 'cancelled') resolve(performance.now() - start);
          if (waiting || !status.startsWith('running') || !document.querySelector('.part')) return;
          waiting = true;
          setTimeout(() => {
            start = performance.now();
            dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
          }, wait);
        };
        new MutationObserver(look).observe(document.body, {
          characterData: true,
          subtree: true,
          childList: true,
        });
      }),
    moment,
  );
  await page
    .getByRole('button', { name: 'Run', exact: true })
    .or(page.getByRole('button', { name: 'Run this question' }))
    .or(page.getByRole('button', { name: 'Watch it answer' }))
    .first()
    .click();
  return cancelled;
}

/** A run that is over too early is made again, and cancelled sooner. */
async function cancelled(page: Page, moment: number): Promise<number> {
  for (const sooner of [1, 2, 4, 8]) {
    const ms = await cancelRun(page, moment / sooner);
    if (ms !== null) return ms;
  }
  throw new Error(`every run was over ${moment / 8} ms after its first card`);
}

it(`cancels sixteen rollouts${ALL_TESTS ? ' within half a second (median, none above two)' : ''} and keeps what happened`, async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm&n=16`);
  await page.waitForSelector('[role=option]');
  const taken: number[] = [];
  for (const moment of MOMENTS) taken.push(await cancelled(page, moment));
  // In a quick run other files are tested beside this one.
  if (ALL_TESTS) {
    const shown = taken.map((ms) => ms.toFixed(0)).join(', ');
    expect(median(taken), `milliseconds of each: ${shown}`).toBeLessThan(PROMISED_MS);
    expect(Math.max(...taken), `milliseconds of each: ${shown}`).toBeLessThan(WORST_MS);
  }
  // The status can be on the screen before the last cards are.
  await expect.poll(() => page.locator('.part[data-kind="stop"]').count()).toBe(16);
  expect(await page.locator('.part').count()).toBeGreaterThan(16);

  // And the page is ready for the next run, with the workers that it has.
  await page.getByLabel('Recipe', { exact: true }).selectOption('naive-rag');
  await page.getByRole('textbox', { name: 'Rollouts', exact: true }).fill('1');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
}, 180_000);
