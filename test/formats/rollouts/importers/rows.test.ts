import { describe, expect, test } from 'vitest';
import { importOne } from '../helpers.ts';
import { blocks, told } from './told.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, more = {}) => ({ role: 'assistant', content, ...more });

describe('verl and OpenRLHF’s inference', () => {
  const verl = {
    input: 'Question: who?',
    output: '<answer>x</answer>',
    gts: 'a',
    score: 0.5,
    step: 3,
  };
  test.each<[object, object]>([
    [
      verl,
      {
        layout: 'verl',
        asked: 'who?',
        golds: ['a'],
        step: 3,
        reward: 0.5,
        clauses: [['score', 0.5, 1]],
        answer: 'x',
      },
    ],
    [
      { ...verl, score: undefined, reward: 2 },
      { reward: 2, clauses: [['score', 2, 1]] },
    ],
    [{ ...verl, reward: 2 }, { reward: 0.5 }],
    [
      { ...verl, score: 'high' },
      { reward: null, clauses: [] },
    ],
    [{ ...verl, question: 'why?' }, { asked: 'why?' }],
    [{ ...verl, step: '3' }, { step: 3 }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));
});

describe('TRL', () => {
  const trl = { prompt: 'Question: who?', completion: '<answer>x</answer>', step: 7 };
  test.each<[object, object]>([
    [
      { ...trl, acc: 1 },
      { layout: 'trl', step: 7, reward: 1, clauses: [['acc', 1, 1]] },
    ],
    // How several columns were weighed is nowhere said.
    [
      { ...trl, acc: 1, form: 0.5 },
      {
        reward: null,
        clauses: [
          ['acc', 1, 1],
          ['form', 0.5, 1],
        ],
      },
    ],
    [
      { ...trl, advantage: -1, seed: 3, epoch: 2, logprobs: 0 },
      { reward: null, clauses: [], advantage: -1 },
    ],
    [{ ...trl, step: '12' }, { step: 12 }],
    [{ ...trl, step: ' 12 ' }, { step: 12 }],
    [{ ...trl, step: 'final' }, { step: null }],
    [{ ...trl, step: '1.5' }, { step: null }],
    [{ ...trl, step: '1'.repeat(16) }, { step: null }],
    [{ ...trl, answer: 'a', solution: 'b' }, { golds: ['a'] }],
    [{ ...trl, ground_truth: 'c', solution: 'b' }, { golds: ['c'] }],
    [{ ...trl, solution: 'b' }, { golds: ['b'] }],
    [{ ...trl, prompt: [user('first?'), assistant('Yes.'), user('who?')] }, { asked: 'who?' }],
    [{ ...trl, prompt: [{ role: 'system', content: 'be short' }] }, { asked: 'be short' }],
    [{ ...trl, question: 'why?' }, { asked: 'why?' }],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test('what is neither text nor messages is named', async () => {
    await expect(importOne({ ...trl, prompt: 5 })).rejects.toThrow(
      '"prompt" must be text or a list',
    );
    await expect(importOne({ ...trl, completion: null })).rejects.toThrow('"completion" must be');
  });
});

describe('verifiers', () => {
  const base = {
    example_id: 4,
    prompt: [user('who?')],
    completion: [assistant('<answer>x</answer>')],
    answer: 'a',
    reward: 1,
  };
  test.each<[object, object]>([
    [
      base,
      { layout: 'verifiers', asked: 'who?', golds: ['a'], reward: 1, clauses: [['reward', 1, 1]] },
    ],
    [
      { ...base, metrics: { right: 0.75, form: 0.25 } },
      {
        clauses: [
          ['right', 0.75, 1],
          ['form', 0.25, 1],
        ],
      },
    ],
    [{ ...base, metrics: { right: 0.75, form: 0.5 } }, { clauses: [['reward', 1, 1]] }],
    [
      { ...base, right: 1, total_ms: 5, num_turns: 2, id: 9, turn: 3 },
      { clauses: [['right', 1, 1]] },
    ],
    [
      { ...base, reward: null },
      { reward: null, clauses: [] },
    ],
    [{ ...base, metrics: {} }, { clauses: [['reward', 1, 1]] }],
    [{ ...base, prompt: 'who?' }, { asked: 'who?' }],
    [
      { ...base, question: 'why?', step: 2, advantage: 0.5 },
      { asked: 'why?', step: 2, advantage: 0.5 },
    ],
  ])('%#', async (record, expected) => expect(await told(record)).toMatchObject(expected));

  test.each(['task', 'generation_ms', 'timing', 'stop_condition', 'is_completed', 'example_id'])(
    '%s tells them from TRL’s rows, a reward is there in both',
    async (key) => {
      const { example_id: _, ...bare } = base;
      expect((await told({ ...bare, [key]: 'x' })).layout).toBe('verifiers');
      expect((await told(bare)).layout).toBe('trl');
      const { reward: _reward, ...without } = bare;
      expect((await told({ ...without, [key]: 'x' })).layout).toBe('trl');
    },
  );

  test('a text is one message of the model', async () => {
    expect(await blocks({ ...base, prompt: 'p', completion: '<answer>x</answer>' })).toEqual([
      'question/prompt: p',
      'answer/policy: <answer>x</answer>',
    ]);
    await expect(importOne({ ...base, completion: { a: 1 } })).rejects.toThrow('"completion" must');
  });
});
