import { expect, test } from 'vitest';
import { useStage, visit } from '../browser.ts';
import { giveRollouts } from '../training.ts';

/** Demonstrations for a cold start, made in the lab worker of a real page. */

const stage = useStage();

const rollout = (answer: string) => ({
  question: 'Where was the author of Old Wolf born?',
  answers: ['Borfield'],
  messages: [
    { role: 'user', content: 'Where was the author of Old Wolf born?' },
    { role: 'assistant', content: 'Thought: I search Old Wolf.\nAction: search[Old Wolf author]' },
    { role: 'user', content: 'Observation: Its author was born in Borfield.' },
    { role: 'assistant', content: `Thought: It says so.\nAction: finish[${answer}]` },
  ],
});

test('are made of rollouts of other systems or of gold evidence, and kept', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}train?device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
  await page.locator('summary', { hasText: /^Make demonstrations/ }).click();
  const make = page.getByRole('button', { name: 'Make demonstrations' });

  // Of gold evidence: it says how far it is, and stops when it is told to.
  await make.click();
  await page.getByText(/^[\d,]+ of [\d,]+ read, [\d,]+ kept/).waitFor({ timeout: 120_000 });
  await page
    .getByRole('status')
    .filter({ hasText: ' kept' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await expect.poll(() => make.isEnabled()).toBe(true);
  expect(await page.getByTestId('made-demonstrations').count()).toBe(0);

  await giveRollouts(page, ['Borfield', 'Mondria'].map(rollout));
  await make.click();
  const made = page.getByTestId('made-demonstrations');
  await made.waitFor({ timeout: 60_000 });
  expect(await made.textContent()).toMatch(
    /2rollouts1kept as demonstrations1left out: its answer is wrong/,
  );

  // The cold start takes them, also after a reload, by keyboard too.
  await page.locator('summary', { hasText: /^Cold start, then RL/ }).click();
  await page.getByLabel('Cold start first').check();
  const stored = page.getByLabel('Stored demonstrations');
  const name = /^demonstrations-rollouts-search\.jsonl: 1 rollout, /;
  const chosen = () =>
    stored.evaluate((field: HTMLSelectElement) => field.selectedOptions[0]?.text);
  await expect.poll(chosen).toMatch(name);
  await page.reload();
  await page.locator('summary', { hasText: /^Cold start, then RL/ }).click();
  await expect.poll(chosen).toMatch(name);
  await page.getByText(/^1 trajectory, 1 right by EM/).waitFor();
  await stored.focus();
  await page.keyboard.press('ArrowUp');
  await page.getByText('The cold start needs a file of demonstrations').waitFor();
  await stored.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByText(/^1 trajectory, 1 right by EM/).waitFor();

  // Deleted on Rollouts: the form says so, also after a reload.
  await visit(page, stage, 'rollouts');
  await page.getByText('demonstrations-rollouts-search.jsonl').first().waitFor();
  await page
    .getByRole('button', { name: /^Delete/ })
    .first()
    .click();
  await page.getByText(/^Deleted “demonstrations-rollouts-search\.jsonl”/).waitFor();
  await page.goto(`${stage.url}train?device=wasm`);
  await page.locator('summary', { hasText: /^Cold start, then RL/ }).click();
  await page
    .getByText('“demonstrations-rollouts-search.jsonl” was deleted from Rollouts. Choose another')
    .waitFor();
}, 300_000);

test('of the tour are one click, and so is the training with them', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByRole('button', { name: 'Show me how' }).click();
  const tour = page.getByRole('complementary', { name: 'Guided tour' });
  await tour.getByRole('button', { name: 'Skip' }).click();
  await tour.getByRole('button', { name: 'Skip' }).click();
  await tour.getByRole('button', { name: 'Make demonstrations' }).click();
  await page.waitForURL(/train/);
  await page.getByText(/^[\d,]+ made so far/).waitFor({ timeout: 120_000 });
  // Others in their place, which are made sooner.
  await page.locator('summary', { hasText: /^Make demonstrations/ }).click();
  await page.getByRole('button', { name: 'Cancel' }).first().click();
  const make = page.locator('main').getByRole('button', { name: 'Make demonstrations' });
  await expect.poll(() => make.isEnabled()).toBe(true);
  await giveRollouts(page, ['Borfield', 'Borfield'].map(rollout));
  await make.click();
  await page.getByTestId('made-demonstrations').waitFor({ timeout: 60_000 });
  await tour.getByRole('button', { name: 'Next', exact: true }).click();
  await tour.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL(/run=/);
  await tour.getByRole('button', { name: 'Watch the training' }).waitFor();
  await page.getByTestId('cold-start').waitFor({ timeout: 120_000 });
}, 300_000);
