import { expect, it } from 'vitest';
import { eventKinds, openMore, runStatus, useStage } from '../browser.ts';

const stage = useStage();

it('asks, streams, answers and plays back on WASM, after one click', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=wasm`);
  await page.getByRole('button', { name: 'Watch it answer' }).click();

  // It streams: there are events while it still runs.
  await page.waitForSelector('.part');
  await runStatus(page, 'done');
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const engines = page.workers().filter((worker) => worker.url().includes('/policy-'));
  expect(engines).toHaveLength(Math.min(2, cores));
  // One rollout needs one of them; a second one starts the other.
  const device = page.getByTestId('device');
  expect(await device.textContent()).toContain(cores > 1 ? 'CPU, 1 of 2 workers' : 'CPU, 1 worker');

  const kinds = await eventKinds(page);
  // The background passes through the router like any call.
  expect(kinds.slice(0, 2)).toEqual(['route', 'background']);
  expect(kinds).toContain('search');
  expect(kinds).toContain('route');
  expect(kinds).toContain('retrieve');
  expect(kinds).toContain('answer');
  expect(kinds.at(-1)).toBe('stop');
  await openMore(page);
  const verdict = await page.getByTestId('verdict').textContent();
  for (const figure of ['gold', 'EM', 'F1', 'recall', 'searches', 'tokens', 'time']) {
    expect(verdict).toContain(figure);
  }

  // Playback by keys dims what has not happened yet.
  await page.locator('main').focus();
  await page.keyboard.press('Home');
  await expectStep(`1 / ${kinds.length}`);
  expect(await page.locator('.part.ahead').count()).toBe(kinds.length - 1);
  await page.keyboard.press('ArrowRight');
  await expectStep(`2 / ${kinds.length}`);
  expect(await page.locator('.part.current').getAttribute('data-index')).toBe('1');
  await page.keyboard.press('End');
  await expectStep(`${kinds.length} / ${kinds.length}`);
  await page.keyboard.press('Escape');
  await expectStep(`all ${kinds.length} events`);

  // And by buttons.
  await page.getByRole('button', { name: 'First event (Home)' }).click();
  await page.getByRole('button', { name: 'Play (space)' }).click();
  await expectStep(`2 / ${kinds.length}`);

  await page.getByLabel('Rollouts', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await device.filter({ hasText: cores > 1 ? 'CPU, 2 workers' : 'CPU, 1 worker' }).waitFor();
  await runStatus(page, 'done');
  expect(stage.faults).toEqual([]);
});

const expectStep = (text: string): Promise<unknown> =>
  stage.page.waitForSelector(`.playback-step:has-text("${text}")`, { timeout: 60_000 });
