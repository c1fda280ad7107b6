import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialKilobytes } from '../../bench/page/initial-scripts.ts';
import { EXAMPLES } from '../../src/ui/ask/store/examples.ts';
import { DIST, useStage, visit } from '../browser.ts';

const stage = useStage();

it('comes from a cold load to a running rollout with one press', async () => {
  const { page } = stage;
  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await page.waitForSelector('.card');
  expect(await page.locator('main h1').textContent()).toBe(EXAMPLES[0]);
  expect(await page.locator('.question-gold').textContent()).toMatch(/[2-5] hops/);
});

it('needs at most 350 kB of compressed JavaScript to begin with', () => {
  const kilobytes = initialKilobytes(DIST);
  console.log(`initial JavaScript: ${kilobytes.toFixed(0)} kB compressed`);
  expect(kilobytes).toBeLessThanOrEqual(350);
  expect(readdirSync(join(DIST, 'assets')).some((file) => file.endsWith('.wasm'))).toBe(true);
});

it('leads to every place, and says what is there', async () => {
  const { page } = stage;
  for (const [place, heading, text] of [
    ['Train', 'Train the policy in this tab', 'Nothing has been trained here yet'],
    ['Runs', 'Runs', 'There is none yet'],
    ['Evaluate', 'Evaluate', 'Nothing has been evaluated in this browser yet'],
    ['Models', 'Models', 'policy of the next run'],
    ['Corpus', 'Corpus', 'found by the retriever'],
  ] as const) {
    await page.getByRole('link', { name: place, exact: true }).click();
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    expect(await page.locator('main').textContent()).toContain(text);
  }
  await visit(page, stage, 'corpus/no-such-place');
  await page.getByRole('heading', { name: 'Nothing is here', exact: true }).waitFor();
});
