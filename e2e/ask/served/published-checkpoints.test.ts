import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { CHECKPOINTS, publishedServer } from '../../../test/policy/remote/endpoint/published.ts';
import { slow } from '../../../test/slow/slow.ts';
import { eventKinds, runStatus, useStage } from '../../browser.ts';
import { askServed } from './served.ts';

/** Published checkpoints behind a server, each asked in the protocol that it was trained in. */

const stage = useStage();

const QUERY = 'director of Distant Desert';

const runsIn = async (recipe: string): Promise<Page> => {
  const { server, prompts, search, opens } = await publishedServer(recipe, QUERY, 'Leon Kovley');
  const page = await askServed(stage, server, 'published', recipe);
  // Who summarizes comes with an address of a recipe that reads summaries.
  const summarizer = page.getByLabel('Summarizer');
  expect(await summarizer.inputValue()).toBe(recipe === 'ur2' ? 'extractive' : 'off');
  await page.getByLabel('Search the questions').fill(QUERY);
  await page.locator('[role=option]', { hasText: 'Distant Desert' }).first().click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await runStatus(page, 'done');
  const verdict = await page.getByTestId('verdict').first().textContent();
  expect(verdict).toContain('✓ right');
  expect(verdict).toContain('Leon Kovley');
  const kinds = await eventKinds(page);
  expect(kinds.filter((kind) => kind === 'search')).toHaveLength(1);
  expect(kinds).not.toContain('error');
  // It was notified of its own tags alone.
  expect(prompts[0]).toContain(opens);
  for (const prompt of prompts) expect(prompt).not.toContain('short_answer');
  expect(prompts.at(-1)).toContain(search);
  await server.close();
  return page;
};

it('runs a published checkpoint of UR² in its own protocol, and other recipes without the summaries that came with it', async () => {
  const page = await runsIn('ur2');
  const recipe = page.getByLabel('Recipe', { exact: true });
  const summarizer = page.getByLabel('Summarizer');
  await expect.poll(() => summarizer.inputValue()).toBe('extractive');
  await recipe.selectOption('search-r1');
  await expect.poll(() => summarizer.inputValue()).toBe('off');
  // Nor where training with UR² is left for a question.
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await recipe.selectOption('ur2/paper');
  await expect.poll(() => summarizer.inputValue()).toBe('extractive');
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await page.locator('.works-with summary').click();
  await expect.poll(() => summarizer.inputValue()).toBe('off');
  await page.context().close();
}, 240_000);

slow(
  'test/policy/remote/endpoint/published.test.ts > a published checkpoint of %s searches, reads and answers in its own tags',
  'e2e/ask/served/published-checkpoints.test.ts > runs a published checkpoint of UR² in its own protocol, and other recipes without the summaries that came with it',
).each(Object.keys(CHECKPOINTS).filter((recipe) => recipe !== 'ur2'))(
  'runs a published checkpoint of %s in its own protocol',
  async (recipe) => {
    const page = await runsIn(recipe);
    await page.context().close();
  },
  240_000,
);
