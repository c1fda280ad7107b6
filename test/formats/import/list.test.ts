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

test('its items are recognised by their keys, and read', () => {
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

test('every format that a file may be read as', () => {
  const MULTIHOP = ['hotpotqa', '2wikimultihopqa', 'musique'];
  const SINGLE = ['verl', 'flashrag', 'qa'];
  const PASSAGES = ['contents', 'passage'];
  const containers = new Map<string, string[]>();
  for (const { container, schema } of formatsOf(SCHEMAS))
    containers.set(container, [...(containers.get(container) ?? []), schema]);
  expect([...containers]).toEqual([
    ['jsonl', [...MULTIHOP, ...SINGLE, ...PASSAGES, 'title-sentences']],
    ['json-array', [...MULTIHOP, ...SINGLE, ...PASSAGES]],
    ['json-object', ['title-sentences']],
    ['csv', ['qa', 'passage']],
    ['tsv', ['qa', 'passage']],
    ['parquet', [...MULTIHOP, ...SINGLE, ...PASSAGES]],
    ['markdown', ['prose']],
    ['text', ['prose']],
  ]);
  const questions = SCHEMAS.filter(({ kind }) => kind === 'questions').map(({ id }) => id);
  expect(questions).toEqual([...MULTIHOP, ...SINGLE]);
  // As the menu calls them, and as the message does about a file that was opened elsewhere.
  expect(SCHEMAS.map(({ name, holds }) => holds ?? name)).toEqual([
    'HotpotQA questions',
    '2WikiMultiHopQA questions',
    'MuSiQue questions',
    'questions',
    'FlashRAG questions',
    'questions with their answers',
    'passages',
    'passages',
    'passages by title',
    'running text',
  ]);
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
  [null, undefined],
  ['question', undefined],
  [{ question: 'q', answer: 'a', context: [], type: 'compositional' }, '2wikimultihopqa'],
  [{ question: 'q', answer: 'a', context: [], type: 'bridge_comparison' }, '2wikimultihopqa'],
  [{ context: [], answer: 'a' }, undefined],
  [{ paragraphs: [{}] }, undefined],
  [{ prompt: 'p', reward_model: {} }, 'verl'],
  [{ reward_model: {} }, undefined],
  [{ golden_answers: 'a' }, undefined],
  [{ answer: 'a' }, undefined],
  [{ paragraph_text: 't' }, 'passage'],
  [{ sentences: ['t'] }, 'passage'],
  [{ Wolf: ['One.', 2] }, undefined],
  [{ Wolf: ['One.'], Bear: 'Two.' }, undefined],
])('%j is %s', (value, id) => {
  expect(schemaOf(value)?.id).toBe(id);
});
