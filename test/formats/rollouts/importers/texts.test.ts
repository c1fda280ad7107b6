import { describe, expect, test } from 'vitest';
import { questionIn } from '../../../../src/formats/rollouts/parts/question.ts';
import { answersOf } from '../../../../src/formats/values/answers.ts';
import { told } from './told.ts';

describe('OpenRLHF and SkyRL', () => {
  const open = { prompt: 'Question: who?', output: '<answer>x</answer>', reward: 1 };
  const sky = {
    input_prompt: 'Question: who?',
    output_response: '<answer>x</answer>',
    score: [0, 0.5, 0.25],
  };
  test.each<[object, object]>([
    [
      open,
      { layout: 'openrlhf', asked: 'who?', reward: 1, clauses: [['reward', 1, 1]], golds: [] },
    ],
    [{ ...open, label: 'a', answer: 'b' }, { golds: ['a'] }],
    // An answer beside a ground truth may be the model's own.
    [{ ...open, answer: 'b', ground_truth: 'c' }, { golds: ['c'] }],
    [
      { ...open, ground_truth: 'c', step: 2 },
      { golds: ['c'], step: 2 },
    ],
    [
      { ...open, reward: null },
      { reward: null, clauses: [] },
    ],
    [sky, { layout: 'skyrl', asked: 'who?', reward: 0.75, clauses: [['score', 0.75, 1]] }],
    [{ ...sky, score: 2 }, { reward: 2 }],
    [
      { ...sky, score: [] },
      { reward: null, clauses: [] },
    ],
    [{ ...sky, score: [1, null] }, { reward: null }],
    [
      {
        ...sky,
        env_extras: { reward_spec: { ground_truth: 'a' }, reward_model: { ground_truth: 'b' } },
      },
      { golds: ['a'] },
    ],
    [{ ...sky, env_extras: { reward_model: { ground_truth: 'b' } } }, { golds: ['b'] }],
    [{ ...sky, ground_truth: 'c' }, { golds: ['c'] }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('RLLoggingBoard and R1-Searcher', () => {
  const board = { prompt: 'Question: who?', response: '<answer>x</answer>', reward: 1, step: 3 };
  const searcher = { question: 'who?', answer: 'a', pred_ans: ' x', gen_text_store: 'I know.' };
  const judged = (said: unknown) => ({ ...searcher, gpt4o_output: said });
  const by = (verdict: boolean) => ({ judge: { verdict, by: 'gpt4o_output' } });
  test.each<[object, object]>([
    [board, { layout: 'rl-logging-board', step: 3, reward: 1, clauses: [['reward', 1, 1]] }],
    [
      { ...board, unstated: ['reward', 'step'] },
      { step: null, reward: null, clauses: [] },
    ],
    [
      { ...board, unstated: ['reward'], advantage: 2 },
      { step: 3, reward: null, advantage: 2 },
    ],
    [{ ...board, ground_truth: 'a', answer: 'b' }, { golds: ['a'] }],
    [{ ...board, gts: 'c' }, { golds: ['c'] }],
    [
      searcher,
      { layout: 'r1-searcher', asked: 'who?', golds: ['a'], answer: ' x', judge: undefined },
    ],
    [{ ...searcher, pred_ans: null }, { answer: null }],
    [judged('True'), by(true)],
    [judged('**false**, because'), by(false)],
    [judged('TRUE.'), by(true)],
    [judged(false), by(false)],
    [judged('Truely'), { judge: undefined }],
    [judged('It is true'), { judge: undefined }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('the question in a prompt', () => {
  test.each([
    ['Be short.\nQuestion: who?\nAssistant:', 'who?'],
    ['Question: example?\nAnswer: x\nQuestion: who?', 'who?'],
    ['User: who?\n<|im_start|>assistant', 'who?'],
    ['<|im_start|>user\nwho?<|im_end|>\n<|im_start|>assistant\n', 'who?'],
    ['<|im_start|>user\nQuestion: who?<|im_end|>', 'who?'],
    ['It asks. Question: who?</s>', 'who?'],
    ['Question: who?<|eot_id|>more', 'who?'],
    ['<question> one </question><question> who? </question>', 'who?'],
    ['  who?  ', 'who?'],
    ['The Question: is this', 'The Question: is this'],
    ['Question:', 'Question:'],
    [`Question: ${'x'.repeat(2000)}`, 'x'.repeat(2000)],
    [`Question: ${'x'.repeat(2001)}`, `Question: ${'x'.repeat(2001)}`],
  ])('%j', (prompt, question) => expect(questionIn(prompt)).toBe(question));
});

describe('gold answers', () => {
  test.each([
    ['a', ['a']],
    ['a<|answer_split|>b<|answer_split|> ', ['a', 'b']],
    ['', []],
    [5, ['5']],
    [false, ['false']],
    [
      ['a', 5, null, ['nested']],
      ['a', '5', 'nested'],
    ],
    [{ target: ['a'], answer: 'b' }, ['a']],
    [{ ground_truth: { target: 'a' } }, ['a']],
    [{ ground_truth: { x: 'a', y: 'b' } }, ['a', 'b']],
    [{ golden_answers: 'a' }, ['a']],
    [{ answers: ['a'] }, ['a']],
    [{ answer: 'a' }, ['a']],
    [{ other: 'a' }, []],
    [null, []],
    [undefined, []],
  ])('%j', (value, golds) => expect(answersOf(value)).toEqual(golds));
});
