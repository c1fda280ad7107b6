import { describe, expect, test } from 'vitest';
import { told } from './told.ts';

/** Keys that people write gold answers and steps under are understood in every layout. */

const GOLDS = [
  'ground_truth',
  'golden_answers',
  'gold_answers',
  'gold_answer',
  'gold',
  'gts',
  'target',
  'reference',
  'ideal',
  'label',
  'answers',
  'answer',
  'solution',
];

const ASKED = { role: 'user', content: 'who?' };
const SAID = { role: 'assistant', content: '<answer>x</answer>' };

/** A record of each layout whose records are lines of anybody's making. */
const LAYOUTS: [string, object][] = [
  ['verl', { input: 'Question: who?', output: SAID.content }],
  ['rl-logging-board', { prompt: 'Question: who?', response: SAID.content }],
  ['trl', { prompt: 'Question: who?', completion: SAID.content }],
  ['openrlhf', { prompt: 'Question: who?', output: SAID.content }],
  ['skyrl', { input_prompt: 'Question: who?', output_response: SAID.content }],
  ['messages', { messages: [ASKED, SAID] }],
  [
    'sharegpt',
    {
      conversations: [
        { from: 'human', value: 'who?' },
        { from: 'gpt', value: SAID.content },
      ],
    },
  ],
];

describe.each(LAYOUTS)('%s', (layout, record) => {
  test.each(GOLDS)('reads gold answers under %s', async (key) => {
    const one = await told({ ...record, [key]: 'Oslo' });
    expect(one).toMatchObject({ layout, golds: ['Oslo'], answer: 'x', clauses: [] });
    expect(await told({ ...record, [key]: ['Oslo', 'Kristiania'] })).toMatchObject({
      golds: ['Oslo', 'Kristiania'],
    });
  });

  test.each(['ground_truth', 'golden_answers', 'gold', 'gts', 'target', 'reference', 'answers'])(
    'prefers %s to an answer, which may be the model’s own',
    async (key) => {
      expect(await told({ answer: 'mine', ...record, [key]: 'Oslo' })).toMatchObject({
        golds: ['Oslo'],
      });
    },
  );

  test('takes the next key where one is there and says nothing', async () => {
    for (const empty of [null, '', [], {}])
      expect(
        await told({ ...record, ground_truth: empty, golden_answers: ['Oslo'] }),
      ).toMatchObject({ golds: ['Oslo'] });
  });

  test('takes a number for an answer, and no mark of a class or of what is right', async () => {
    expect(await told({ ...record, gold: 3 })).toMatchObject({ golds: ['3'], clauses: [] });
    expect(await told({ ...record, label: true })).toMatchObject({ golds: [] });
    expect(await told({ ...record, label: 'False', answer: 'Oslo' })).toMatchObject({
      golds: layout === 'openrlhf' ? ['False'] : ['Oslo'],
    });
    // OpenRLHF's own key of the gold answer is the label.
    expect(await told({ ...record, label: 1 })).toMatchObject({
      golds: layout === 'openrlhf' ? ['1'] : [],
    });
  });

  test('finds the answer in verl’s reward_model, which elsewhere names a model', async () => {
    const given = { style: 'rule', ground_truth: { target: ['Oslo'] } };
    expect(await told({ ...record, reward_model: given })).toMatchObject({ golds: ['Oslo'] });
    expect(await told({ ...record, reward_model: 'org/some-rm' })).toMatchObject({ golds: [] });
  });

  test.each(['step', 'global_step', 'global_steps', 'training_step', 'train_step'])(
    'counts steps by %s',
    async (key) => expect(await told({ ...record, [key]: 7 })).toMatchObject({ step: 7 }),
  );

  test('counts by the step where both are there, unless it is none', async () => {
    expect(await told({ ...record, step: 2, global_step: 7 })).toMatchObject({ step: 2 });
    expect(await told({ ...record, step: null, global_step: 7 })).toMatchObject({ step: 7 });
  });
});

test('where a tool has a key of its own for the gold answer, that one counts', async () => {
  expect(
    await told({ input: 'who?', output: 'x', gts: 'Oslo', ground_truth: 'Bergen' }),
  ).toMatchObject({ golds: ['Oslo'] });
  expect(
    await told({ question: 'who?', answer: 'Oslo', gen_text_store: 'I know.', target: 'Bergen' }),
  ).toMatchObject({ layout: 'r1-searcher', golds: ['Oslo'] });
});
