import { expect, it } from 'vitest';
import { runStatus, useStage } from './browser.ts';

const stage = useStage();

it('cancels sixteen rollouts within half a second and keeps what happened', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}?device=wasm&n=16`);
  await page.waitForSelector('[role=option]');
  await page
    .getByRole('button', { name: 'Run this question' })
    .or(page.getByRole('button', { name: 'Run an example' }))
    .click();
  await page.waitForSelector('.card');
  const milliseconds = await page.evaluate(
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
  console.log(`cancel to cancelled: ${milliseconds.toFixed(0)} ms`);
  expect(milliseconds).toBeLessThan(500);
  expect(await page.locator('.card').count()).toBeGreaterThan(0);
  expect(await page.locator('.card[data-kind="stop"]').count()).toBe(16);

  // And it is ready for the next run.
  await page.goto(`${stage.url}?device=wasm&recipe=naive-rag`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
});
