import { expect, it } from 'vitest';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { eventKinds, runStatus, useStage } from '../browser.ts';

const stage = useStage({ webgpu: true });

/** Without a GPU the longer contexts of a policy that searches itself take two thirds of the time. */
const RECIPE = ALL_TESTS ? 'search' : 'naive-rag';

it('asks, streams, answers and plays back on WebGPU', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}ask?device=webgpu&recipe=${RECIPE}`);
  const adapter = await page.evaluate(async () => {
    const found = await navigator.gpu?.requestAdapter();
    return found ? `${found.info.vendor} ${found.info.architecture}` : null;
  });
  expect(adapter).not.toBeNull();

  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await page.waitForSelector('.part');
  await runStatus(page, 'done');
  const device = (await page.getByTestId('device').textContent()) ?? '';
  expect(device).toContain('GPU');
  expect(device.toLowerCase()).toContain((adapter ?? '').split(' ').at(-1)?.toLowerCase());

  const kinds = await eventKinds(page);
  expect(kinds).toContain('retrieve');
  expect(kinds).toContain('answer');
  await page.locator('main').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector(`.playback-step:has-text("1 / ${kinds.length}")`);
  expect(stage.faults).toEqual([]);
});
