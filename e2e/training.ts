import type { Page } from 'playwright-core';
import type { Stage } from './browser.ts';

/** What the end-to-end tests of training do on the page. */

export interface SmallRun {
  steps: number;
  questions?: number;
  group?: number;
  /** Held-out questions, scored before the first step and after every one; none where absent. */
  heldOut?: number;
  /** Supervision on every rollout: a policy gradient is 0 where all rewards are equal, and then there is no adapter. */
  learns?: true;
  /** What the rollouts follow; "search" takes thrice as long as this, of one retrieval each. */
  recipe?: 'naive-rag' | 'search';
}

/** Fills in the form; a step of these takes less than a second. */
export const fillSmall = async (
  page: Page,
  stage: Pick<Stage, 'url'>,
  run: SmallRun,
): Promise<void> => {
  await page.goto(`${stage.url}train?new=1&device=wasm`);
  // Neither samples per group again.
  const recipe = run.learns ? 'ex-search/uniform' : 'search/grpo';
  await page.getByLabel('Recipe', { exact: true }).selectOption(recipe);
  await page.getByLabel('Rollout system').selectOption(run.recipe ?? 'naive-rag');
  await page.getByLabel('Steps', { exact: true }).fill(String(run.steps));
  await page.getByLabel('Questions per step').fill(String(run.questions ?? 1));
  await page.getByLabel('Rollouts per question').fill(String(run.group ?? 2));
  await page.getByText('Held-out score').click();
  await page.getByLabel('Held-out questions').fill(String(run.heldOut ?? 0));
  if (run.heldOut) await page.getByLabel('Scored every, steps').fill('1');
};

/** @returns the run's id */
export const startSmall = async (
  page: Page,
  stage: Pick<Stage, 'url'>,
  run: SmallRun,
): Promise<string> => {
  await fillSmall(page, stage, run);
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  return new URL(page.url()).searchParams.get('run')!;
};

/** @param timeout in milliseconds, for a busy machine */
export const status = (page: Page, name: string, timeout = 120_000): Promise<void> =>
  page.locator(`.run-title .badge[data-status=${name}]`).waitFor({ timeout });

/** Steps done and stored, as the page says. */
export const stepsDone = (page: Page): Promise<number> =>
  page
    .getByRole('progressbar', { name: 'Steps done' })
    .evaluate((bar) => Number(bar.getAttribute('value')));

/** Path of what a button hands to the browser. */
export const downloaded = async (page: Page, button: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return download.path();
};

/** Opens Stop and chooses a way; its consequences are beside it. */
export const stopBy = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByText('Stop …').click();
  await page.getByRole('button', { name }).first().click();
};

/** Gives the training form rollouts of another system to make demonstrations from. */
export async function giveRollouts(page: Page, rollouts: readonly object[]): Promise<void> {
  await page.getByLabel('Made from').selectOption('rollouts');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByLabel('Rollouts of other systems').click(),
  ]);
  await chooser.setFiles({
    name: 'react.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(rollouts.map((rollout) => JSON.stringify(rollout)).join('\n')),
  });
}
