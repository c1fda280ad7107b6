import { existsSync, openAsBlob } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importRollouts } from '../../../src/formats/rollouts/import.ts';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';
import { demonstrateRollout } from '../../../src/learn/demonstrations/from-rollouts.ts';
import { Tally } from '../../../src/learn/demonstrations/tally.ts';
import type {
  DemonstrationOptions,
  Outcome,
} from '../../../src/learn/demonstrations/write-rollout.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import { wordTokenizer } from '../../agent/text/tokenizers.ts';
import { modelWith } from './model.ts';

const options = (
  recipe = 'search',
  overrides: SettingsOverride = {},
  maxTokens = 4096,
): DemonstrationOptions => ({ recipe: getRecipe(recipe), overrides, seed: 0, maxTokens });

async function demonstrate(
  record: object | string,
  how: DemonstrationOptions = options(),
): Promise<Outcome> {
  const line = typeof record === 'string' ? record : JSON.stringify(record);
  for await (const item of importRollouts(new Blob([`${line}\n`]), 'file.jsonl')) {
    if (item.kind === 'fault') throw new Error(item.reason);
    return demonstrateRollout(modelWith(), item.rollout, how);
  }
  throw new Error('no record');
}

const PROMPT =
  'Answer the given question. You must conduct reasoning inside <think> and </think> first. Search by <search> query </search>; results are between <information> and </information>. Answer inside <answer> and </answer>. Question: Where was the author of Old Wolf born?\n';
const searchR1 = (text: string, answers = ['Borfield']) => ({
  id: 'a',
  question: 'Where was the author of Old Wolf born?',
  answers,
  prompt: PROMPT,
  text,
});
const FIRST =
  "I need the author of Old Wolf.\n</think>\n\n<search> author of Old Wolf </search>\n\n<information>{'document': 'Old Wolf\\nOld Wolf was written by Victor Kerlund.'}\n{'document': 'Wolf\\nA wolf is an animal.'}</information>\n\n";
const SECOND =
  '<think>It is Victor Kerlund.\nWhere was he born?</think>\n<search>Victor Kerlund born</search>\n\n<information>Doc 1(Title: "Victor Kerlund") He was born in Borfield.</information>\n\n';
const ANSWER = '<think>Borfield, then.</think>\n<answer> Borfield </answer>';
const RIGHT = searchR1(FIRST + SECOND + ANSWER);

const react = (observation: string) => ({
  question: 'Where was the author of Old Wolf born?',
  answers: ['Borfield'],
  messages: [
    { role: 'user', content: 'Where was the author of Old Wolf born?' },
    {
      role: 'assistant',
      content: 'Thought: I need to search Old Wolf.\nAction: search[Old Wolf author birthplace]',
    },
    { role: 'user', content: `Observation: ${observation}` },
    { role: 'assistant', content: 'Thought: He is of Borfield.\nAction: finish[Borfield]' },
  ],
});

const R1_SEARCHER = {
  question: 'Where was the author of Old Wolf born?',
  answer: 'Borfield',
  pred_ans: ' Borfield ',
  stop_reason_final: 'finished',
  gen_text_store:
    ' I need the author. <|begin_of_query|> Old Wolf author <|end_of_query|>\n\n<|begin_of_documents|>\n(1)Title: Old Wolf Text: Its author was born in Borfield.\n<|end_of_documents|>\n\n So it is Borfield.</think>\n\n <answer> Borfield </answer>',
  gpt4o_output: 'True',
};

const rolloutOf = (outcome: Outcome) => {
  if ('leftOut' in outcome) throw new Error(outcome.leftOut);
  return outcome.rollout;
};

describe('a rollout of another system', () => {
  it('is written again as thought, query, passages as they were shown, and answer', async () => {
    const rollout = rolloutOf(await demonstrate(RIGHT));
    expect(faultOf(rollout)).toBeNull();
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true, searches: 2 });
    expect(rollout.recipe.id).toBe('search');
    expect(rollout.segments.map(({ source, role, mask }) => [source, role, mask])).toEqual([
      ['prompt', 'instruction', 0],
      ['prompt', 'question', 0],
      ['prompt', 'instruction', 0],
      ['policy', 'think', 1],
      ['policy', 'other', 1],
      ['policy', 'search', 1],
      ['environment', 'result', 0],
      ['policy', 'think', 1],
      ['policy', 'other', 1],
      ['policy', 'search', 1],
      ['environment', 'result', 0],
      ['policy', 'think', 1],
      ['policy', 'other', 1],
      ['policy', 'answer', 1],
    ]);
    expect(
      rollout.segments
        .slice(3)
        .map(({ text }) => text)
        .join(''),
    ).toBe(
      '<think> I need the author of Old Wolf. </think>\n<search> author of Old Wolf </search>' +
        '<result> Old Wolf : Old Wolf was written by Victor Kerlund.\n Wolf : A wolf is an animal.</result>' +
        '<think> It is Victor Kerlund. Where was he born? </think>\n<search> Victor Kerlund born </search>' +
        '<result> Victor Kerlund : He was born in Borfield.</result>' +
        '<think> Borfield, then. </think>\n<short_answer> \\boxed{ Borfield } </short_answer>',
    );
    for (const { ids, text } of rollout.segments) expect(wordTokenizer.decode(ids)).toBe(text);
  });

  it.each([
    ['ReAct', react('Old Wolf is by Victor Kerlund, who was born in Borfield.')],
    ['R1-Searcher', R1_SEARCHER],
  ])('in the layout of %s too', async (_, record) => {
    const rollout = rolloutOf(await demonstrate(record));
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics?.searches).toBe(1);
    expect(rollout.segments.find(({ role }) => role === 'result')?.text).toContain('Borfield');
  });

  it('is written in the format that another recipe speaks', async () => {
    const { segments } = rolloutOf(await demonstrate(RIGHT, options('search-r1')));
    const text = segments.map((one) => one.text).join('');
    expect(text).toContain('<answer> Borfield </answer>');
    expect(text).toContain('<information>Doc 1(Title: "Old Wolf")');
  });

  it('shows as many passages as the recipe does', async () => {
    const { segments } = rolloutOf(
      await demonstrate(RIGHT, options('search', { retrieval: { k: 1 } })),
    );
    expect(segments.some(({ text }) => text.includes('A wolf is an animal'))).toBe(false);
  });

  it('can be written again from what was written', async () => {
    const once = rolloutOf(await demonstrate(RIGHT));
    const twice = rolloutOf(await demonstrate(once));
    expect(twice.segments).toEqual(once.segments);
  });

  it.each<[string, object, DemonstrationOptions?]>([
    ['wrong', searchR1(`${FIRST}<think>Mondria.</think><answer>Mondria</answer>`)],
    ['no-gold', searchR1(FIRST + SECOND + ANSWER, [])],
    ['no-answer', searchR1(FIRST + SECOND)],
    ['no-search', searchR1(ANSWER)],
    ['no-thought', searchR1(`${FIRST}<answer>Borfield</answer>`)],
    ['answer-not-shown', searchR1(`${FIRST}${ANSWER}`)],
    ['made-up-result', searchR1(`I know.</think>\n<information>Borfield</information>\n${ANSWER}`)],
    ['too-many-searches', RIGHT, options('search', { retrieval: { maxSearches: 1 } })],
    ['too-long', RIGHT, options('search', {}, 200)],
  ])('%s is left out', async (reason, record, how) => {
    expect(await demonstrate(record, how)).toEqual({ leftOut: reason });
  });
});

const FILE = new URL('../../../../shared/data/wiki-multihop/demonstrations.jsonl', import.meta.url);
const missing = !existsSync(FILE);
if (missing) console.warn('skipped: needs ../shared/data/wiki-multihop');

it.skipIf(missing)(
  'published trajectories become demonstrations of what they were shown',
  async () => {
    const tally = new Tally();
    let read = 0;
    for await (const item of importRollouts(await openAsBlob(FILE), 'demonstrations')) {
      // Every eighth: both systems are among them.
      if (item.kind !== 'rollout' || read++ % 8 > 0) continue;
      const outcome = await demonstrateRollout(modelWith(), item.rollout, options());
      tally.add(outcome);
      if ('leftOut' in outcome) continue;
      const letters = (text: string): string =>
        text.replaceAll(/\\n/gu, ' ').replaceAll(/[^\p{L}\p{N}]+/gu, '');
      const shown = letters(item.rollout.segments.map(({ text }) => text).join(' '));
      for (const event of outcome.rollout.events)
        if (event.kind === 'retrieve')
          for (const { passage } of event.hits) expect(shown).toContain(letters(passage.text));
    }
    expect(tally.summary.of).toBe(81);
    expect(tally.summary.kept).toBeGreaterThan(65);
  },
);
