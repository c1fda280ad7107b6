import { describe, expect, it } from 'vitest';
import { importAll } from '../../../src/formats/import/collect.ts';
import { answersOf } from '../../../src/formats/values/answers.ts';
import { jsonl } from '../../fixtures/import/files.ts';
import { importOne } from '../rollouts/helpers.ts';

const BOTH = ['Albi', 'City of Albi'];

/** Ways in which training code and data sets keep two gold answers. */
const WRITTEN: [string, unknown][] = [
  ['a list', BOTH],
  ['a list of lists', [BOTH]],
  ['numpy in a text', "['Albi' 'City of Albi']"],
  ['Python in a text', "['Albi', 'City of Albi']"],
  ['an array in a text', "array(['Albi', 'City of Albi'], dtype=object)"],
  ['JSON in a text', '["Albi", "City of Albi"]'],
  ['an object of JSON in a text', '{"target": ["Albi", "City of Albi"]}'],
  ['an object of Python in a text', "{'target': array(['Albi', 'City of Albi'], dtype=object)}"],
  ['an object', { target: BOTH }],
  ['numpy in an object', { target: "['Albi' 'City of Albi']" }],
  ['a list of lists in an object', { target: [BOTH] }],
  ['a text in a list', ["['Albi' 'City of Albi']"]],
  ["TriviaQA's aliases", { value: 'Albi', aliases: BOTH, type: 'WikipediaEntity' }],
  ["SQuAD's places", { text: BOTH, answer_start: [3, 9] }],
  ["DeepResearcher's mark", 'Albi<|answer_split|>City of Albi'],
];

describe.each(WRITTEN)('%s', (_, written) => {
  it('gives both answers', () => expect([...new Set(answersOf(written))]).toEqual(BOTH));

  it('gives both to a rollout and to a question', async () => {
    const input = 'Question: Which town lies on the Tarn?';
    const rollout = await importOne({ input, output: '<answer>Albi</answer>', gts: written });
    expect([...new Set(rollout.question.answers)]).toEqual(BOTH);
    for (const question of [
      { question: 'Which town lies on the Tarn?', answer: written },
      { prompt: input, reward_model: { ground_truth: written } },
    ]) {
      const { questions, rejected } = await importAll(jsonl(question));
      expect(rejected).toEqual([]);
      expect(questions.map(({ answers }) => answers)).toEqual([BOTH]);
    }
  });
});

describe('an answer that looks like a list stays an answer', () => {
  it.each([
    '[0, 1]',
    '[0, 1)',
    '(0, 1)',
    '{1, 2}',
    '[Verse 1]',
    '(Albi)',
    "['",
    '{"a": "b"}',
    '[]',
  ])('%s', (text) => expect(answersOf(text)).toEqual([text]));
});

it('nothing is no answer', () => {
  for (const value of [null, undefined, '', ' ', [], {}, [null], { target: null }])
    expect(answersOf(value)).toEqual([]);
});
