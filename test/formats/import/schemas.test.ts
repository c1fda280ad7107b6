import { describe, expect, it } from 'vitest';
import { questionScores } from '../../../src/agent/answers/checked.ts';
import { itemSchema } from '../../../src/formats/import/schemas/list.ts';
import { HOTPOT, MUSIQUE, VERL } from '../../fixtures/import/files.ts';

const read = (schema: string, value: unknown) => itemSchema(schema).read(value);
const question = (schema: string, value: unknown) => read(schema, value).question;
const problems = (schema: string, value: unknown) => read(schema, value).problems;

describe('questions with contexts', () => {
  it('have the aliases next to the answer, each once', () => {
    const more = { ...HOTPOT, answer: ['Ada', 'A.'], answer_aliases: ['A.', ' Ada Holm '] };
    expect(question('hotpotqa', more)?.answers).toEqual(['Ada', 'A.', 'Ada Holm']);
  });

  it('are read where the rest of the columns is not there', () => {
    expect(read('hotpotqa', { question: ' Who? ', answer: 'Ada', context: [] })).toEqual({
      question: { text: 'Who?', answers: ['Ada'], supporting: [] },
      passages: [],
      problems: [],
    });
  });

  it('with sub-questions and their titles keep them as the gold chain', () => {
    const decomposition = [
      { question: 'Ivo >> born in', answer: 'Tarn', title: 'Ivo  (painter)' },
      { question: 'the country of #1?', answer: 'Orsa', title: 'Tarn' },
    ];
    const item = { question: 'Where?', answers: ['Orsa'], hops: 2, supporting: ['Tarn'] };
    expect(question('qa', { ...item, decomposition })).toMatchObject({
      hops: 2,
      chain: [
        {
          subject: 'Ivo',
          relation: 'born in',
          object: 'Tarn',
          title: 'Ivo (painter)',
          passage: null,
          query: 'Ivo born in',
        },
        { subject: '', relation: '', object: 'Orsa', title: 'Tarn', query: 'the country of Tarn?' },
      ],
    });
    const without = question('qa', { ...item, hops: 4, decomposition: [] });
    expect(without).toMatchObject({ hops: 4 });
    expect(without).not.toHaveProperty('chain');
    expect(read('qa', { ...item, decomposition: [{ question: 'Who?' }] })).toMatchObject({
      question: { hops: 2, supporting: ['Tarn'] },
      problems: [
        {
          key: 'decomposition.0.answer',
          expected: 'expected a list of sub-questions with question, answer and title',
        },
      ],
    });
  });

  it('without paragraphs’ numbers go by their order; a step may name none', () => {
    const paragraphs = MUSIQUE.paragraphs.map((rest) => ({ ...rest, idx: null, title: 'Ivo' }));
    const question_decomposition = [
      { question: 'Ivo >> born', answer: 'Tarn', paragraph_support_idx: 2 },
      { question: 'the country of #1 and #2 and #12', answer: 'x' },
    ];
    const item = { ...MUSIQUE, paragraphs, question_decomposition };
    expect(question('musique', item)).toMatchObject({
      supporting: ['Ivo'],
      chain: [
        { subject: 'Ivo', relation: 'born', title: 'Ivo', passage: 2, query: 'Ivo born' },
        {
          subject: '',
          relation: '',
          title: '',
          passage: null,
          query: 'the country of Tarn and x and #12',
        },
      ],
    });
  });

  it.each([
    ['hotpotqa', { ...HOTPOT, answer: {} }, 'answer', 'expected a text, a number or a list of them'],
    ['hotpotqa', { ...HOTPOT, answer: ' ' }, 'answer', 'expected a text, a number or a list of them'],
    ['hotpotqa', { ...HOTPOT, question: ' ' }, 'question', 'expected a text that is not empty'],
    ['hotpotqa', { ...HOTPOT, context: [['Ada', []]] }, 'context.0.1', 'expected at least one sentence'],
    ['musique', { ...MUSIQUE, paragraphs: [{ title: 'A', paragraph_text: '' }] }, 'paragraphs.0.paragraph_text', 'expected text that is not empty'],
    ['musique', { ...MUSIQUE, question: 5 }, 'question', 'expected string, received number'],
    ['flashrag', { question: 'Who?', golden_answers: [] }, 'golden_answers', 'expected a text, a number or a list of them'],
    ['qa', { question: 'Who?', answer: null }, 'answer', 'expected `answer` or `answers`'],
    ['verl', { ...VERL, prompt: null }, 'prompt', 'expected a question in `question` or `prompt`'],
    ['verl', { ...VERL, prompt: [{ role: 'system', content: 'x' }] }, 'prompt', 'expected a question in `question` or `prompt`'],
    ['verl', { ...VERL, prompt: 'Question: ' }, 'prompt', 'expected a question in `question` or `prompt`'],
    ['verl', { ...VERL, reward_model: null }, 'reward_model.ground_truth', 'expected at least one answer'],
    ['verl', { ...VERL, reward_model: { ground_truth: '<|answer_split|>' } }, 'reward_model.ground_truth', 'expected at least one answer'],
    ['verl', { ...VERL, data_source: 5 }, 'data_source', 'expected string, received number'],
    ['passage', { id: 1, text: ' ' }, 'text', 'expected text that is not empty'],
    ['passage', { sentences: [''] }, 'text', 'expected text that is not empty'],
    ['contents', { id: 1, contents: ' \n' }, 'contents', 'expected a text that is not empty'],
    ['title-sentences', 7, '', 'expected {title: [sentences]}'],
    ['title-sentences', null, '', 'expected {title: [sentences]}'],
    ['title-sentences', ['x'], '', 'expected {title: [sentences]}'],
    ['title-sentences', { A: [' '] }, 'A', 'expected at least one sentence that is not empty'],
    ['title-sentences', { A: 'x' }, 'A', 'expected array, received string'],
  ])('%s %j: what was expected, and where', (schema, value, key, expected) => {
    const [first, ...others] = problems(schema, value);
    expect(first?.key).toBe(key);
    expect(first?.expected).toContain(expected);
    expect(others).toEqual([]);
  }); // prettier-ignore
});

describe('plain questions', () => {
  const qa = (fields: object) => question('qa', { question: 'Who?', answer: 'a', ...fields });
  it.each([
    [{ id: 1, _id: 2, idx: 3 }, { id: '1' }],
    [{ _id: 2, idx: 3 }, { id: '2' }],
    [{ idx: 3 }, { id: '3' }],
    [{ answers: ['b', 'a'] }, { answers: ['a', 'b'] }],
    [{ answer: ' ["a","b"] ' }, { answers: ['a', 'b'] }],
    [{ answer: '[a' }, { answers: ['[a'] }],
    [{ answer: '"a", "b"]' }, { answers: ['"a", "b"]'] }],
    [{ answer: 1.5 }, { answers: ['1.5'] }],
    [{ answers: [1n, 'b'] }, { answers: ['1', 'b', 'a'].toSorted() }],
    [
      { type: 'inference', level: 'hard' },
      { type: 'bridge', difficulty: 'hard' },
    ],
  ])('%o', (fields, expected) => {
    const { answers, ...rest } = qa(fields) ?? {};
    const { answers: wanted, ...others } = expected as { answers?: string[] };
    expect(rest).toMatchObject(others);
    if (wanted) expect(answers?.toSorted()).toEqual(wanted);
  });

  it('of FlashRAG stand whatever their metadata is', () => {
    const item = { question: 'Who?', golden_answers: ['a'], metadata: { level: 7, context: 'x' } };
    expect(read('flashrag', item)).toEqual({
      question: { text: 'Who?', answers: ['a'], supporting: [] },
      passages: [],
      problems: [],
    });
  });
});

describe('supporting titles that a question lists', () => {
  const titles = ['Low Tide', ' Ida  Holm ', 'Low Tide'];
  it.each([
    ['qa', { question: 'Who?', answer: 'Ada', supporting: titles }],
    ['qa', { question: 'Who?', answer: 'Ada', supporting: JSON.stringify(titles) }],
    ['qa', { question: 'Who?', answer: 'Ada', supporting_titles: titles }],
    ['qa', { question: 'Who?', answer: 'Ada', supporting_facts: titles.map((one) => [one, 0]) }],
    ['flashrag', { question: 'Who?', golden_answers: ['Ada'], supporting: titles }],
    ['hotpotqa', { question: 'Who?', answer: 'Ada', context: [], supporting: titles }],
    ['2wikimultihopqa', { question: 'Who?', answer: 'Ada', context: [], supporting: titles }],
    ['verl', { ...VERL, supporting: titles }],
  ])('%s %j', (schema, item) => {
    expect(question(schema, item)?.supporting).toEqual(['Low Tide', 'Ida Holm']);
    expect(problems(schema, item)).toEqual([]);
  });

  it('do not take the place of those that the layout tells', () => {
    const item = { ...HOTPOT, supporting_facts: [['Ada', 0]], supporting: titles };
    expect(question('hotpotqa', item)?.supporting).toEqual(['Ada']);
  });

  it.each([
    [{ supporting: 'Low Tide' }, 'supporting'],
    [{ supporting: [5] }, 'supporting'],
    [{ supporting: { a: 'Low Tide' } }, 'supporting'],
  ])('are named where they are not a list: %j', (fields, key) => {
    const { question: stands, problems: found } = read('qa', {
      question: 'Who?',
      answer: 'Ada',
      ...fields,
    });
    expect(stands).toEqual({ text: 'Who?', answers: ['Ada'], supporting: [] });
    expect(found).toEqual([{ key, expected: 'expected a list of titles' }]);
  });
});

describe('what a question says of its task', () => {
  const item = { question: 'Which town?', answer: 'Albi' };
  const LISTED = 'Which town? A) Albi B) Oslo C) Lyon';
  it.each([
    ['a list', { options: ['Albi', 'Oslo', 'Lyon'] }],
    ['under another name', { choices: ['Albi', 'Oslo', 'Lyon'] }],
    ['by letters, as MedQA', { options: { B: 'Oslo', A: 'Albi', C: 'Lyon' } }],
    ['in a cell of CSV', { options: '["Albi","Oslo","Lyon"]' }],
    ['listed already', { question: LISTED, options: ['Albi', 'Oslo', 'Lyon'] }],
  ])('options, %s, which the policy reads with their letters', (_, fields) => {
    for (const read of [
      question('qa', { ...item, ...fields }),
      question('flashrag', { question: item.question, golden_answers: ['Albi'], ...fields }),
    ])
      expect(read).toMatchObject({ text: LISTED, options: ['Albi', 'Oslo', 'Lyon'] });
  });

  it('an answer is then right by its letter, also where the file’s gold is a letter', () => {
    const choice = question('qa', { ...item, answer: 'B', options: ['Albi', 'Oslo'] });
    const right = ['B', 'Oslo', 'b) Oslo', 'A', 'Albi'].map(
      (answer) => questionScores(answer, choice!).em,
    );
    expect(right).toEqual([1, 1, 1, 0, 0]);
  });

  it('a number is checked as a number where the type is arithmetic', () => {
    const sum = question('qa', { question: '7 + 5?', answer: 12, type: 'arithmetic' });
    expect(sum).toMatchObject({ type: 'arithmetic' });
    expect(questionScores('12.0', sum!).em).toBe(1);
  });

  it.each([
    [{ mayRetrieve: false }, false],
    [{ isRetrieve: true }, true],
    [{ is_retrieve: 'False' }, false],
  ])('whether it may be searched for: %o', (fields, may) => {
    expect(question('qa', { ...item, ...fields })?.mayRetrieve).toBe(may);
  });

  it('the statements of a long answer', () => {
    const summary = ['Albi is old.', 'It lies on the Tarn.'];
    expect(question('qa', { ...item, summary })).toMatchObject({ summary });
  });

  it.each([
    [{ options: ['Albi'] }, 'options'],
    [{ choices: 7 }, 'choices'],
    [{ isRetrieve: 'perhaps' }, 'isRetrieve'],
    [{ summary: 'Albi is old.' }, 'summary'],
  ])('what does not fit is named, and the question stands without it: %o', (fields, key) => {
    const { question: stands, problems: found } = read('qa', { ...item, ...fields });
    expect(stands).toEqual({ text: 'Which town?', answers: ['Albi'], supporting: [] });
    expect(found).toEqual([{ key, expected: expect.any(String) }]);
  });

  it('nothing, where its item says nothing', () => {
    expect(read('qa', { ...item, options: null, isRetrieve: '', summary: null })).toEqual({
      question: { text: 'Which town?', answers: ['Albi'], supporting: [] },
      passages: [],
      problems: [],
    });
  });
});

describe('rows of verl', () => {
  const verl = (fields: object) => question('verl', { ...VERL, ...fields });
  const turn = (role: string, content: string) => ({ role, content });
  it.each([
    [{ question: 'Who?' }, 'Who?'],
    [{ prompt: 'Question: one? Question: Who? ' }, 'Who?'],
    [{ prompt: ' Who? ' }, 'Who?'],
    [{ prompt: [turn('user', 'one?'), turn('user', 'Who?'), turn('assistant', 'x')] }, 'Who?'],
  ])('%j ask', (fields, text) => expect(verl(fields)?.text).toBe(text));

  it.each([
    [{ extra_info: { index: 7, split: 'test' } }, 'nq-test-7'],
    [{ extra_info: { index: 7 }, id: 'x' }, 'nq-7'],
    [{ extra_info: { index: 'dev_7' } }, 'nq-dev_7'],
    [{ extra_info: null, id: 8n }, 'nq-8'],
    [{ extra_info: null, id: 'train_8' }, 'nq-train_8'],
    [{ extra_info: null, id: '8a' }, '8a'],
    [{ extra_info: null, id: 'retrain_8' }, 'retrain_8'],
    [{ extra_info: { index: 7 }, data_source: null }, '7'],
    [{ extra_info: null }, undefined],
  ])('%o are called', (fields, id) => expect(verl(fields)?.id).toBe(id));

  it.each([
    [{ reward_model: { ground_truth: { target: ['a', 'b'] } } }, ['a', 'b']],
    [{ reward_model: { ground_truth: ' a <|answer_split|> <|answer_split|>b' } }, ['a', 'b']],
    [{ reward_model: { ground_truth: ['a', 'a<|answer_split|>a'] } }, ['a']],
    [{ reward_model: null, golden_answers: ['c'] }, ['c']],
    [{ golden_answers: ['c'] }, ['Ada', 'Ada Holm']],
  ])('%j are answered', (fields, answers) => expect(verl(fields)?.answers).toEqual(answers));

  it('name their data set where they have one', () => {
    expect(verl({})?.dataset).toBe('nq');
    expect(verl({ data_source: '' })).not.toHaveProperty('dataset');
  });
});

describe('passages', () => {
  it.each([
    ['passage', { id: 1, _id: 2, title: ' A  b ', text: 'One. Two.' }, { id: '1', title: 'A b', sentences: ['One.', 'Two.'] }],
    ['passage', { _id: 2, paragraph_text: 'One.' }, { id: '2', title: '', sentences: ['One.'] }],
    ['passage', { text: 'One.', paragraph_text: 'Two.' }, { sentences: ['One.'] }],
    ['passage', { text: 'One.', sentences: [' Two  words. ', ' ', 'Three.'] }, { sentences: ['Two words.', 'Three.'] }],
    ['contents', { id: 1, contents: '"A"\nOne. Two.' }, { id: '1', title: 'A', sentences: ['One.', 'Two.'] }],
    ['contents', { contents: ' A "b" \nOne.\nTwo.' }, { title: 'A "b"', sentences: ['One.', 'Two.'] }],
    ['contents', { contents: '"A" b\nOne.' }, { title: '"A" b' }],
    ['contents', { contents: 'a "B"\nOne.' }, { title: 'a "B"' }],
    ['contents', { contents: '""\nOne.' }, { title: '' }],
    ['contents', { contents: '"A" is one line.\n' }, { title: '', sentences: ['"A" is one line.'] }],
    ['title-sentences', { ' A  b ': [' One. ', ''] }, { title: 'A b', sentences: ['One.'], key: ' A  b ' }],
  ])('%s %j', (schema, value, expected) => {
    const { passages, ...rest } = read(schema, value);
    expect(passages).toMatchObject([expected]);
    expect(rest).toEqual({ question: null, problems: [] });
  }); // prettier-ignore

  it('without an id have none', () => {
    for (const [schema, value] of [
      ['passage', { text: 'One.' }],
      ['contents', { contents: 'One.' }],
    ] as const)
      expect(read(schema, value).passages[0]!.id).toBeUndefined();
  });
});
