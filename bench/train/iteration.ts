/**
 * Seconds of one reinforcement-learning iteration of the page: 64 rollouts of the built-in policy and
 * the update on them, in headless Chromium on WASM against the built page (`npx vite build` first).
 *
 *   npx tsx bench/train/iteration.ts [--steps 5] [--recipe search/grpo] [--json]
 *
 * The first step compiles kernels and is printed apart. What a step took is in its own record.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '5' },
    recipe: { type: 'string', default: 'search/grpo' },
    json: { type: 'boolean', default: false },
  },
});

interface Iteration {
  step: number;
  rollouts: number;
  rolloutSeconds: number;
  updateSeconds: number;
  totalSeconds: number;
  /** Tokens that the policy wrote, a second of the rollouts' time. */
  tokensPerSecond: number;
}

/** The columns of the run's metrics that are asked for here. */
function iterationsOf(csv: string): Iteration[] {
  const [head = '', ...rows] = csv.trim().split('\n');
  const names = head.split(',');
  const cell = (row: string, name: string): number => Number(row.split(',')[names.indexOf(name)]);
  return rows.map((row) => ({
    step: cell(row, 'step'),
    rollouts: cell(row, 'rollouts'),
    rolloutSeconds: cell(row, 'seconds.rollout'),
    updateSeconds: cell(row, 'seconds.update'),
    totalSeconds: cell(row, 'seconds.total'),
    tokensPerSecond: cell(row, 'tokensPerSecond'),
  }));
}

async function train(page: Page, url: string): Promise<string> {
  await page.goto(`${url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption(values.recipe);
  await page.getByLabel('Steps', { exact: true }).fill(values.steps);
  await page.getByText('Held-out score').click();
  await page.getByLabel('Held-out questions').fill('0');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.locator('.badge[data-status=finished]').waitFor({ timeout: 1_800_000 });
  await page.goto(`${url}runs`);
  await page.getByRole('button', { name: /^Edit and export/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Metrics (CSV)' }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

const server = await serve({ root: resolve(import.meta.dirname, '../../dist') });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const steps = iterationsOf(await train(await browser.newPage(), server.url));
  if (values.json) console.log(JSON.stringify({ recipe: values.recipe, steps }));
  else
    for (const each of steps)
      console.log(
        `step ${each.step}: ${each.rollouts} rollouts in ${each.rolloutSeconds.toFixed(1)} s ` +
          `(${each.tokensPerSecond.toFixed(0)} tokens/s), update ${each.updateSeconds.toFixed(1)} s, ` +
          `${each.totalSeconds.toFixed(1)} s in all${each.step === 1 ? ' (kernels are compiled)' : ''}`,
      );
} finally {
  await browser.close();
  await server.close();
}
