import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { runStatus, useStage } from './browser.ts';

const stage = useStage();

/** Other programs on the machine may delay one cancel, but not each of these. */
const ATTEMPTS = 4;

/** Starts sixteen rollouts, cancels them with Escape, and returns how long that took. */
async function cancelRun(page: Page): Promise<number> {
  await page
    .getByRole('button', { name: 'Run', exact: true })
    .or(page.getByRole('button', { name: 'Run this question' }))
    .or(page.getByRole('button', { name: 'Run an example' }))
    .first()
    .click();
  await page.waitForSelector('[data-testid="run-status"]:has-text("running")');
  await page.waitForSelector('.card');
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        const status = document.querySelector('[data-testid="run-status"]');
        const observer = new MutationObserver(() => {
          if (status?.textContent === 'cancelled') resolve(performance.now() - start);
        });
        if (status)
          observer.observe(status, { characterData: true, subtree: true, childList: true });
        dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
      }),
  );
}

it('cancels sixteen rollouts within half a second and keeps what happened', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}?device=wasm&n=16`);
  await page.waitForSelector('[role=option]');
  const taken: number[] = [];
  while (taken.length < ATTEMPTS && !taken.some((milliseconds) => milliseconds < 500))
    taken.push(await cancelRun(page));
  expect(Math.min(...taken)).toBeLessThan(500);
  expect(await page.locator('.card').count()).toBeGreaterThan(0);
  expect(await page.locator('.card[data-kind="stop"]').count()).toBe(16);

  // And it is ready for the next run.
  await page.goto(`${stage.url}?device=wasm&recipe=naive-rag`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
}, 180_000);
