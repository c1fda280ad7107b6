import { describe, expect, test } from 'vitest';
import { rolloutsOf } from '../helpers.ts';
import { told } from './told.ts';

/** Which numbers of a row of TRL's table are rewards. */

const row = { prompt: 'Question: who?', completion: '<answer>x</answer>' };
const table = { step: '7', ...row, advantage: 0.5 };

describe('a total that is stated is the reward', () => {
  test.each<[object, object]>([
    [
      { idx: 4, ...row, reward: 1, answer: 'x' },
      { reward: 1, clauses: [['reward', 1, 1]] },
    ],
    [
      { ...table, reward: 1, idx: 4, global_step: 3 },
      { reward: 1, clauses: [['reward', 1, 1]] },
    ],
    [
      { ...row, total_reward: 0 },
      { reward: 0, clauses: [['total_reward', 0, 1]] },
    ],
    // Its parts are clauses where they sum to it: otherwise nobody knows how they were weighed.
    [
      { ...table, accuracy: 1, form: 0.5, reward: 1.5 },
      {
        reward: 1.5,
        clauses: [
          ['accuracy', 1, 1],
          ['form', 0.5, 1],
        ],
      },
    ],
    [
      { ...table, accuracy: 1, form: 0.5, reward: 1.1 },
      { reward: 1.1, clauses: [['reward', 1.1, 1]] },
    ],
  ])('%j', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('a reward function that abstains', () => {
  // TRL writes None and NaN. Nobody knows the weights, so no row of several functions has a total.
  test.each<object>([
    { right: 1, judge_score: 0.25 },
    { right: 1, judge_score: null },
    { right: null, judge_score: 0.25 },
    { right: null, judge_score: null },
  ])('leaves every row without a total, as the others are: %j', async (columns) => {
    expect(await told({ ...table, ...columns })).toMatchObject({ reward: null });
    expect(await told({ ...row, step: 7, ...columns })).toMatchObject({ reward: null });
    const names = { acc: columns['right' as never], judge_score: columns['judge_score' as never] };
    expect(await told({ ...row, ...names })).toMatchObject({ reward: null });
  });

  test('as NaN, which Python’s JSON has', async () => {
    const line = JSON.stringify({ ...table, right: 1, other: 0 }).replace(':0}', ':NaN}');
    const [rollout] = await rolloutsOf(new Blob([line]));
    expect(rollout?.reward).toBeNull();
    expect(rollout?.rewards.map(({ clause }) => clause)).toEqual(['right']);
  });

  test.each(['images', 'tool_calls', 'note', 'error', 'prediction', 'generation', 'answer'])(
    'is none where the empty column holds no numbers: %s',
    async (name) => {
      expect(await told({ ...table, right: 1, [name]: null })).toMatchObject({ reward: 1 });
    },
  );

  test('nor are several scorers of Inspect AI, where one gave no number', async () => {
    const sample = {
      epoch: 1,
      input: 'who?',
      target: 'a',
      messages: [
        { role: 'user', content: 'who?' },
        { role: 'assistant', content: 'a' },
      ],
    };
    const rewardOf = async (scores: object) => (await told({ ...sample, scores })).reward;
    expect(await rewardOf({ a: { value: 'C' }, b: { value: 0 } })).toBeNull();
    expect(await rewardOf({ a: { value: 'C' }, b: { value: null } })).toBeNull();
    expect(await rewardOf({ a: { value: 'C' } })).toBe(1);
  });
});

/** Functions of TRL's examples and documentation, open-r1 and the GRPO notebooks; any other name may be one. */
const FUNCTIONS = [
  'accuracy_reward',
  'think_format_reward',
  'reward_len',
  'reward_num_unique_letters',
  'len_reward',
  'tag_count_reward',
  'reasoning_steps_reward',
  'cosine_scaled_reward',
  'repetition_penalty_reward',
  'get_soft_overlong_punishment',
  'xmlcount_reward_func',
  'correctness',
  'exact_match',
  'environment_reward',
  'judge',
  '<lambda>',
  'Skywork-RM-8B',
];

test.each(FUNCTIONS)('a column of a trainer’s table is a reward function’s: %s', async (name) => {
  expect(await told({ ...table, [name]: 0.25 })).toMatchObject({
    reward: 0.25,
    clauses: [[name, 0.25, 1]],
  });
});

const OTHERS = [
  'id',
  'idx',
  'index',
  'example_id',
  'prompt_idx',
  'sampleIndex',
  '__index_level_0__',
  'Unnamed: 0',
  'global_step',
  'reward_id',
  'length',
  'completion_length',
  'response_len',
  'num_tokens',
  'n_turns',
  'token_count',
  'generation_ms',
  'seed',
  'epoch',
  'temperature',
  'reward_std',
  'rank',
  'kl',
  'logprobs',
  'difficulty',
  'timestamp',
  'num_hops',
  'answer',
  'gold',
  'ground_truth',
  'solution',
  'target',
  'label',
  'prediction',
];

test.each(OTHERS)('what numbers, measures or is the gold answer is none: %s', async (name) => {
  expect(await told({ ...table, [name]: 3 })).toMatchObject({ reward: null, clauses: [] });
  expect(await told({ ...row, [name]: 3 })).toMatchObject({ reward: null, clauses: [] });
  expect(await told({ ...table, [name]: 3, accuracy: 1 })).toMatchObject({
    reward: 1,
    clauses: [['accuracy', 1, 1]],
  });
});

describe('a row of no trainer’s table', () => {
  test.each(['score', 'correct', 'my_score', 'acc', 'f1', 'format_reward'])(
    'has a reward where a name says so: %s',
    async (name) => {
      expect(await told({ ...row, [name]: 0.25 })).toMatchObject({
        reward: 0.25,
        clauses: [[name, 0.25, 1]],
      });
    },
  );
  test.each(['price', 'version', 'page'])('and none elsewhere: %s', async (name) => {
    expect(await told({ ...row, [name]: 3 })).toMatchObject({ reward: null, clauses: [] });
  });
});

test('a gold answer that is a number is a gold answer', async () => {
  expect(await told({ ...row, answer: 3 })).toMatchObject({ golds: ['3'], reward: null });
});

test('metrics of a rollout of verifiers are not part of its reward', async () => {
  const results = { ...row, example_id: 4, reward: 1 };
  const metrics = { right: 0.75, form: 0.25, num_turns: 3, total_tool_calls: 2 };
  expect(await told({ ...results, metrics })).toMatchObject({
    layout: 'verifiers',
    clauses: [
      ['right', 0.75, 1],
      ['form', 0.25, 1],
    ],
  });
});
