import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { openMore, useStage } from '../browser.ts';
import { status } from '../training.ts';

/** The headline system of each paper is trained whole by one button: a step, small. */

const stage = useStage();

const fillIn = async (page: Page, recipe: string, fields: Record<string, string>) => {
  await page.goto(`${stage.url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption(recipe);
  for (const fold of ['Cold start, then RL', 'Curriculum', 'Held-out score, snapshots'])
    await page.locator('summary', { hasText: fold }).first().click();
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
};

/** Presses the one button, and waits for the end. */
const trained = async (page: Page) => {
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  // A start, scored questions and two steps: 40 s alone, over two minutes beside three other files on a slow machine.
  await status(page, 'finished', 210_000);
};

slow(
  'test/cli/data/headline.test.ts > warms up gold and noisy, then runs RDRA, STIE and a router that learns beside',
  'test/ui/train/headline-runs.test.tsx > $training is chosen, sized and started by one button',
  'test/ui/train/headline-runs.test.tsx > a run of KunLunBaizeRAG has charts of STIE and of its router, and a step says what STIE did',
  'test/ui/kit/events/cards.test.tsx > %# says what happened in one line',
  'test/ui/ask/columns/verdict.test.tsx > in training has its reward by clause, and its advantage or why it has none',
  'e2e/train/finished-run.test.ts > opens the rollouts of a step in Ask, coloured by advantage, and comes back',
)(
  'KunLunBaizeRAG: warm-up, then a step with backgrounds, STIE and a router that learns beside',
  async () => {
    const { page } = stage;
    await fillIn(page, 'kunlun-baize/whole', {
      Steps: '1',
      'Questions per step': '2',
      'Rollouts per question': '2',
      'Rollouts tried': '8',
      'Updates at most': '1',
      'Demonstrations per update': '2',
      'Steps until gold': '2',
      'Held-out questions': '1',
    });
    await trained(page);
    for (const chart of ['STIE: clauses that fired', 'Router: π(local)'])
      await page.getByRole('region', { name: chart }).waitFor();
    expect(await faultsInBoth(page)).toEqual([]);

    await page.getByRole('button', { name: 'Rollouts of step 1' }).click();
    // By what the clauses of the filters did: counted, not told.
    expect(await page.getByTestId('stie-counts').textContent()).toMatch(
      /checked [1-9]\d* answers?/,
    );
    await page.getByRole('button', { name: 'Open these 2' }).first().click();
    await page.locator('.column').nth(1).waitFor();
    for (const kind of ['background', 'route'])
      await page.locator(`.part[data-kind="${kind}"]`).first().waitFor();
    await openMore(page);
    expect(await page.locator('.verdict').first().textContent()).toMatch(/advantage/);
    expect(stage.faults).toEqual([]);
  },
  240_000,
);

slow(
  'test/cli/data/headline.test.ts > scores its pool, and its rollouts read summaries, whose fallbacks are counted',
  'test/lab/train/training.test.ts > scores questions, then makes a step of each stage, and its rollouts read summaries',
  'test/ui/train/headline-runs.test.tsx > $training is chosen, sized and started by one button',
  'test/ui/setup/summarizer.test.ts > is extraction as long as a recipe that reads summaries is chosen, and nobody after it',
  'e2e/train/finished-run.test.ts > opens the rollouts of a step in Ask, coloured by advantage, and comes back',
)(
  'UR²: a start that does not search, questions scored, then a step of each stage',
  async () => {
    const { page } = stage;
    await fillIn(page, 'ur2/paper', {
      Steps: '2',
      'for steps': '1',
      'Questions per step': '2',
      'Rollouts per question': '2',
      'Scored by, rollouts': '2',
      'Questions scored': '8',
      'Held-out questions': '1',
    });
    // Who summarizes was chosen with the recipe: one button is enough.
    expect(await page.getByLabel('Summarizer').inputValue()).toBe('extractive');
    await trained(page);
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Open these 2' }).first().click();
    await page.locator('.column').nth(1).waitFor();
    expect(stage.faults).toEqual([]);
  },
  240_000,
);
