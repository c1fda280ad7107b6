import { describe, expect, test } from 'vitest';
import { importRun } from '../../../../src/formats/rollouts/run.ts';
import { blobOf, importOne, readAll } from '../helpers.ts';
import { blocks, told } from './told.ts';

/** Lines that people write themselves: a question and what the model wrote to it. */

const TEXT =
  '<think>look</think><search>Low Tide</search><information>Ida Holm.</information><answer>Ida Holm</answer>';
const ASKED = 'Who wrote Low Tide?';

/** Why a file of these records cannot be opened. */
const refusal = async (...records: object[]): Promise<string> => {
  try {
    for await (const _ of importRun([{ name: 'mine.jsonl', blob: blobOf(...records) }], 'mine'));
    return 'read';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a question and a text of the model are a rollout', () => {
  test.each<[object, string]>([
    [{ question: ASKED, answer: 'Ida Holm', completion: TEXT }, 'trl'],
    [{ question: ASKED, answer: 'Ida Holm', response: TEXT, reward: 1 }, 'rl-logging-board'],
    [{ question: ASKED, golden_answers: ['Ida Holm'], output: TEXT }, 'openrlhf'],
    [{ question: ASKED, gold: 'Ida Holm', text: TEXT }, 'rl-logging-board'],
    [{ query: ASKED, gold: 'Ida Holm', generation: TEXT }, 'rl-logging-board'],
    [{ problem: ASKED, answer: 'Ida Holm', prediction: TEXT }, 'rl-logging-board'],
    [{ input: ASKED, target: 'Ida Holm', response: TEXT }, 'rl-logging-board'],
    [{ prompt: ASKED, target: 'Ida Holm', model_output: TEXT }, 'rl-logging-board'],
  ])('%j', async (record, layout) => {
    expect(await told(record)).toMatchObject({
      layout,
      asked: ASKED,
      golds: ['Ida Holm'],
      answer: 'Ida Holm',
      reward: 'reward' in record ? 1 : null,
    });
    expect(await blocks(record)).toEqual([
      `instruction/prompt: ${ASKED}`,
      'think/policy: <think>look</think>',
      'search/policy: <search>Low Tide</search>',
      'result/environment: <information>Ida Holm.</information>',
      'answer/policy: <answer>Ida Holm</answer>',
    ]);
  });

  test('texts are only in the segments, all other keys stay', async () => {
    const others = { gold: 'Ida', response: 'Ida Holm', note: 'late' };
    const { origin } = await importOne({ question: ASKED, text: TEXT, ...others });
    expect(origin?.fields).toEqual(others);
  });

  test('without tags too, where the key says whose text it is', async () => {
    expect(
      await told({ question: ASKED, answer: 'Ida Holm', response: 'The answer is Ida Holm.' }),
    ).toMatchObject({ answer: 'Ida Holm', golds: ['Ida Holm'] });
  });

  test('of several texts, the one with tags', async () => {
    const record = { question: ASKED, answer: 'Ida Holm', response: 'Ida Holm', text: TEXT };
    expect((await blocks(record)).length).toBe(5);
    expect((await blocks({ ...record, response: TEXT, text: `${ASKED}${TEXT}` })).length).toBe(5);
  });

  test('as a chat', async () => {
    const completion = [{ role: 'assistant', content: TEXT }];
    for (const record of [
      { question: ASKED, completion },
      { question: ASKED, response: completion },
      { prompt: [{ role: 'user', content: ASKED }], generation: TEXT },
    ])
      expect(await told(record)).toMatchObject({ layout: 'trl', asked: ASKED, answer: 'Ida Holm' });
  });

  test('an empty text is what the model wrote, where something was made of it', async () => {
    const record = { question: ASKED, answer: 'Ida Holm', response: '' };
    expect(await told({ ...record, reward: 0 })).toMatchObject({ answer: null, reward: 0 });
    const items = await readAll(blobOf({ ...record, response: TEXT }, record));
    expect(items.map(({ kind }) => kind)).toEqual(['rollout', 'fault']);
  });
});

describe('names the missing part of a rollout', () => {
  test.each<[object, RegExp]>([
    [
      { question: ASKED, prediction: 'Ida Holm', answer: 'Ida Holm' },
      /^mine holds no rollouts: line 1 has the keys question, prediction and answer and no text of a rollout; expected it under completion, response or output, or with tags .*\.$/,
    ],
    [
      { question: ASKED, gold: 'Ida Holm', text: 'Ida Holm wrote it.' },
      /has the keys question, gold and text and no text of a rollout; expected it under completion/,
    ],
    [
      { response: TEXT, id: 3 },
      /has the keys response and id and no question next to the text under response; expected it under prompt, question, query, problem or input\.$/,
    ],
    [{ text: TEXT }, /has the keys text and no question next to the text under text;/],
    [
      { question: ASKED, response: 'Ida', output: 'Holm' },
      /it is unclear which of response and output is the rollout’s text/,
    ],
  ])('%j', async (record, why) => expect(await refusal(record, record)).toMatch(why));
});

describe('questions and passages are still told as such', () => {
  test.each<[object, string]>([
    [{ question: ASKED, answer: 'Ida Holm' }, 'questions with their answers'],
    [{ question: ASKED, answer: 'Ida Holm', response: '' }, 'questions with their answers'],
    [{ question: ASKED, answer: 'Ida Holm', text: 'It is a novel.' }, 'questions with their answers'],
    [{ question: ASKED, golden_answers: ['Ida Holm'], id: 'a' }, 'FlashRAG questions'],
    [{ title: 'Low Tide', text: 'A novel by Ida Holm.' }, 'passages'],
    [{ title: 'Tags', text: 'Answers stand in <answer> and </answer>.' }, 'passages'],
    [{ id: 3, text: 'The element <search> holds a form.' }, 'passages'],
    [{ id: 3, contents: '"Low Tide"\nA novel by Ida Holm.' }, 'passages'],
  ])('%j', async (record, what) => {
    expect(await refusal(record, record)).toContain(`mine holds ${what} and no rollouts. Open it under Corpus`);
  }); // prettier-ignore
});
