import { expect, test } from 'vitest';
import {
  formatsOf,
  itemSchema,
  schemaOf,
  SCHEMAS,
} from '../../../src/formats/import/schemas/list.ts';
import {
  IN_JSON,
  questionRead,
  type ItemSchema,
} from '../../../src/formats/import/schemas/schema.ts';

/** A definition in the list is all that a format of questions or passages needs. */

const quiz: ItemSchema = {
  id: 'quiz',
  name: 'quiz questions',
  kind: 'questions',
  containers: [...IN_JSON, 'csv'],
  is: (item) => 'riddle' in item && 'solution' in item,
  read: questionRead((value) => {
    const { riddle, solution } = value as { riddle: unknown; solution: unknown };
    if (typeof riddle !== 'string') return { key: 'riddle', expected: 'expected text' };
    return {
      question: { text: riddle, answers: [String(solution)], supporting: [] },
      passages: [],
      problems: [],
    };
  }),
};
const schemas = [...SCHEMAS, quiz];
const item = { riddle: 'What has hands and no arms?', solution: 'a clock' };

test('its items are told by their keys, and read', () => {
  expect(schemaOf(item, schemas)?.id).toBe('quiz');
  expect(schemaOf(item)).toBeNull();
  expect(itemSchema('quiz', schemas).read(item).question).toMatchObject({
    text: 'What has hands and no arms?',
    answers: ['a clock'],
  });
  expect(itemSchema('quiz', schemas).read({ ...item, riddle: 7 }).problems).toEqual([
    { key: 'riddle', expected: 'expected text' },
  ]);
});

test('it is among the formats that a file may be read as, in its containers alone', () => {
  const formats = formatsOf(schemas).filter(({ schema }) => schema === 'quiz');
  expect(formats).toEqual([
    { container: 'jsonl', schema: 'quiz', kind: 'questions' },
    { container: 'json-array', schema: 'quiz', kind: 'questions' },
    { container: 'csv', schema: 'quiz', kind: 'questions' },
  ]);
  expect(() => itemSchema('quiz')).toThrow(
    /no format of items called “quiz”; this version knows hotpotqa/,
  );
});

test.each([
  [{ question: 'q', answer: 'a', reward_model: {}, context: [] }, 'verl'],
  [{ question: 'q', answer: 'a', paragraphs: [], context: [] }, 'musique'],
  [{ question: 'q', answer: 'a', paragraphs: 'none', context: [] }, 'hotpotqa'],
  [{ question: 'q', answer: 'a', context: [], evidences: [] }, '2wikimultihopqa'],
  [{ question: 'q', answer: 'a', context: [], type: 'inference' }, '2wikimultihopqa'],
  [{ question: 'q', answer: 'a', context: [], type: 'bridge' }, 'hotpotqa'],
  [{ question: 'q', answer: 'a', golden_answers: ['a'] }, 'flashrag'],
  [{ question: 'q', golden_answers: ['a'], reward_model: {} }, 'verl'],
  [{ question: 'q', answers: ['a'] }, 'qa'],
  [{ question: 'q', contents: 'c', text: 't' }, 'contents'],
  [{ question: 'q', text: 't' }, 'passage'],
  [{ constructor: ['One.'], Wolf: ['Two.'] }, 'title-sentences'],
  [{ question: 'q' }, undefined],
  [{}, undefined],
  [[{ question: 'q', answer: 'a' }], undefined],
])('%j is %s', (value, id) => {
  expect(schemaOf(value)?.id).toBe(id);
});
