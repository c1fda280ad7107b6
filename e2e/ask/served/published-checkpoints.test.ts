import { expect, it } from 'vitest';
import { strictServer } from '../../../test/policy/remote/endpoint/strict-server.ts';
import { eventKinds, openPage, runStatus, useStage } from '../../browser.ts';
import { askServed, tokensOf } from './served.ts';

/** Published checkpoints behind a server, each asked in the protocol that it was trained in. */

const stage = useStage();

/** What a published checkpoint writes: a search, then the answer that the result has. */
interface Checkpoint {
  search: string;
  /** How the result that it was trained to read begins and ends. */
  result: [begin: string, close: string];
  answer: (name: string) => string;
}

const QUERY = 'director of Distant Desert';
const CHECKPOINTS: Record<string, Checkpoint> = {
  'search-r1': {
    search: `<think> Who? </think>\n<search> ${QUERY} </search>`,
    result: ['<information>Doc 1(Title: "', '</information>'],
    answer: (name) => `<think> It is said. </think>\n<answer> ${name} </answer>`,
  },
  'r1-searcher': {
    search: `<think>Who? <|begin_of_query|> ${QUERY} <|end_of_query|>`,
    result: ['<|begin_of_documents|>\n(1)Title: ', '\n<|end_of_documents|>'],
    answer: (name) => `It is said.</think>\n<answer>${name}</answer>`,
  },
  research: {
    search: `<think> Who? </think> <search> ${QUERY} </search>`,
    result: ['<result>\n"', '</result>'],
    answer: (name) => `<think> Said. </think> <answer> It is \\boxed{${name}} </answer>`,
  },
  ur2: {
    search: `<think> Who? <|begin_of_query|> ${QUERY} <|end_of_query|>`,
    result: ['<|begin_of_documents|>\n', '\n<|end_of_documents|>'],
    answer: (name) => `That is all. </think> It is \\boxed{${name}}.`,
  },
  'auto-refine': {
    search: `<think> Who? </think>\n<search> ${QUERY} </search>`,
    result: ['<documents>Doc 1(Title: "', '</documents>'],
    answer: (name) => `<refine> By ${name}. </refine>\n<answer> ${name} </answer>`,
  },
};

it.each(Object.entries(CHECKPOINTS))(
  'runs a published checkpoint of %s in its own protocol',
  async (recipe, { search, result: [begin, close], answer }) => {
    const prompts: string[] = [];
    const published = await strictServer({
      models: ['published'],
      tokens: (asked) => {
        const all =
          'messages' in asked
            ? asked.messages.map(({ content }) => content).join('\n')
            : asked.prompt;
        prompts.push(all);
        // The tags stand in the instruction, too, which ends where the question begins.
        const context = all.slice(all.lastIndexOf('Question:'));
        const read = context.includes(begin) && context.includes(close);
        const name = /Leon Kovley/.exec(context.slice(context.indexOf(begin)))?.[0] ?? 'unknown';
        return tokensOf(read ? answer(name) : search);
      },
    });
    const page = await askServed(stage, published, 'published', recipe);
    // Who summarizes comes with an address of a recipe that reads summaries.
    const summarizer = page.getByLabel('Summarizer');
    expect(await summarizer.inputValue()).toBe(recipe === 'ur2' ? 'extractive' : 'off');
    await page.getByLabel('Search the questions').fill(QUERY);
    await page.locator('[role=option]', { hasText: 'Distant Desert' }).first().click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await runStatus(page, 'done');
    const verdict = await page.getByTestId('verdict').first().textContent();
    expect(verdict).toContain('✓ exact match');
    expect(verdict).toContain('Leon Kovley');
    const kinds = await eventKinds(page);
    expect(kinds.filter((kind) => kind === 'search')).toHaveLength(1);
    expect(kinds).not.toContain('hint');
    expect(kinds).not.toContain('error');
    // It was told of its own tags alone.
    expect(prompts[0]).toContain(begin.slice(0, begin.indexOf('>') + 1));
    for (const prompt of prompts) expect(prompt).not.toContain('short_answer');
    expect(prompts.at(-1)).toContain(search);
    await page.context().close();
    await published.close();
  },
  240_000,
);

it('asks by other recipes without the summaries that came with UR²', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}ask?device=wasm&recipe=ur2`);
  const recipe = page.getByLabel('Recipe', { exact: true });
  const summarizer = page.getByLabel('Summarizer');
  await page.locator('.works-with summary').click();
  await expect.poll(() => summarizer.inputValue()).toBe('extractive');
  await recipe.selectOption('search-r1');
  await expect.poll(() => summarizer.inputValue()).toBe('off');
  // Nor where training with UR² is left for a question.
  await page.goto(`${stage.url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('ur2/paper');
  await expect.poll(() => summarizer.inputValue()).toBe('extractive');
  await page.goto(`${stage.url}ask?device=wasm&recipe=search-r1`);
  await page.locator('.works-with summary').click();
  await expect.poll(() => summarizer.inputValue()).toBe('off');
  await page.context().close();
}, 120_000);
