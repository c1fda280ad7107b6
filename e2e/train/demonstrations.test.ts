import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokensOf } from '../../test/policy/remote/endpoint/published.ts';
import {
  strictServer,
  type Asked,
  type StrictServer,
} from '../../test/policy/remote/endpoint/strict-server.ts';
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

/** Searches for the question, and answers it where the result names the answer. */
const teacher = (asked: Asked): string[] => {
  const questions = JSON.parse(readFileSync('public/world/questions.json', 'utf8')) as {
    text: string;
    answers: string[];
  }[];
  const said = 'messages' in asked ? asked.messages.map(({ content }) => content) : [asked.prompt];
  const one = questions.find(({ text }) => said.some((message) => message.includes(text)));
  const result = /<result>([\s\S]*)<\/result>/.exec(said.slice(1).join('\n'))?.[1];
  const answer = one?.answers.find((known) => result?.includes(known)) ?? 'unknown';
  return tokensOf(
    result === undefined
      ? `<think> I look it up. </think><search> ${one?.text ?? ''} </search>`
      : `<think> It is said. </think><short_answer> \\boxed{${answer}} </short_answer>`,
  );
};

let server: StrictServer;
beforeAll(async () => {
  server = await strictServer({ models: ['large'], tokens: teacher });
});
afterAll(() => server.close());

test('are right rollouts of a larger model on a server', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}train?device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
  await page.locator('summary', { hasText: /^Make demonstrations/ }).click();
  await page.getByLabel('Made from').selectOption('teacher');
  const make = page.getByRole('button', { name: 'Make demonstrations' });
  await page.getByText('No other model is here.').waitFor();
  expect(await make.isEnabled()).toBe(false);

  await page.locator('main').getByRole('link', { name: 'Models', exact: true }).click();
  await page.getByRole('button', { name: 'Add a server' }).click();
  const form = page.getByRole('form', { name: 'Server' });
  await form.getByLabel('Address', { exact: true }).fill(server.url);
  await form.getByLabel('Model', { exact: true }).fill('large');
  await page.getByRole('button', { name: 'Keep' }).click();
  await visit(page, stage, 'train');
  await page.locator('summary', { hasText: /^Make demonstrations/ }).click();
  await page.getByLabel('Made from').selectOption('teacher');
  await page
    .getByLabel('Larger model')
    .selectOption({ label: `large at ${new URL(server.url).host}` });
  await page.getByLabel('Demonstrations at most').fill('3');
  await make.click();
  const made = page.getByTestId('made-demonstrations');
  await made.waitFor({ timeout: 120_000 });
  expect(await made.textContent()).toMatch(/3kept as demonstrations/);

  // What the server says is what the page says.
  server.script.failures = Array.from({ length: 40 }, () => ({ status: 401, body: '{}' }));
  await make.click();
  await page.getByText(/could not be made.*API key/).waitFor({ timeout: 120_000 });
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
