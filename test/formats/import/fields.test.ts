import { describe, expect, it } from 'vitest';
import { splitRecord } from '../../../src/formats/values/csv.ts';
import { stripMarkdown } from '../../../src/formats/import/readers/chunking.ts';
import { hotpotQa, musiqueQuestions } from '../../../src/formats/import/schemas/multihop.ts';
import { typeFields } from '../../../src/formats/import/schemas/questions.ts';
import { splitSentences } from '../../../src/formats/import/values/sentences.ts';
import { importAll } from '../../../src/formats/import/collect.ts';
import { blob, HOTPOT, jsonl, MUSIQUE, TWO_WIKI } from '../../fixtures/import/files.ts';

const reading = (schema: typeof hotpotQa) => (value: unknown) => {
  const read = schema.read(value);
  return read.question ? read : read.problems[0];
};
const readMultihop = reading(hotpotQa);
const readMusique = reading(musiqueQuestions);

describe('one record of CSV (RFC 4180)', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', ['']],
    [',', ['', '']],
    ['a,', ['a', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"say ""hi""",x', ['say "hi"', 'x']],
    ['""', ['']],
    ['"",""', ['', '']],
    ['"a\nb"', ['a\nb']],
    ['a "quoted" word,b', ['a "quoted" word', 'b']],
  ])('%j', (text, fields) => expect(splitRecord(text, ',')).toEqual(fields));

  it('is none where quotes do not enclose a whole field', () => {
    expect(splitRecord('"a"b,c', ',')).toBeNull();
    expect(splitRecord('"a,b', ',')).toBeNull();
    expect(splitRecord('"a""', ',')).toBeNull();
  });

  it('ends its fields at tabs in TSV, where commas are text', () => {
    expect(splitRecord('a,b\t"c\td"', '\t')).toEqual(['a,b', 'c\td']);
  });

  it('with a quote that never closes is named with the line at which it opened', async () => {
    const file = blob('question,answer\nOne?,a\n"Two?\nstill two,b\n');
    const { questions, rejected } = await importAll(file);
    expect(questions.map(({ text }) => text)).toEqual(['One?']);
    expect(rejected).toEqual([
      {
        line: 3,
        item: 1,
        key: '',
        expected: 'expected a closing quote before the end of the file',
      },
    ]);
  });

  it('that is not UTF-8 is left out, and the next is read', async () => {
    const text = new TextEncoder().encode('question,answer\nO?e?,a\nTwo?,b');
    text[17] = 0xff;
    const { questions, rejected } = await importAll(blob(text));
    expect(questions.map(({ text: asked, answers }) => [asked, answers])).toEqual([
      ['Two?', ['b']],
    ]);
    expect(rejected).toMatchObject([{ line: 2, item: 0, expected: 'expected UTF-8 text' }]);
  });
});

describe("a data set's word for the type of a question", () => {
  it.each([
    ['bridge', { type: 'bridge' }],
    ['comparison', { type: 'comparison' }],
    ['compositional', { type: 'bridge', sourceType: 'compositional' }],
    ['inference', { type: 'bridge', sourceType: 'inference' }],
    ['bridge_comparison', { type: 'comparison', sourceType: 'bridge_comparison' }],
    ['other', { sourceType: 'other' }],
    ['toString', { sourceType: 'toString' }],
    ['', {}],
    [null, {}],
  ])('%j', (word, fields) => expect(typeFields(word)).toEqual(fields));
});

describe('a context that is not as it should be', () => {
  it.each([
    [[['Ada', ['One.']], 'Bela'], 'context.1'],
    [[['Ada', 'One.']], 'context.0.1'],
    [[['Ada', ['One.', 2]]], 'context.0.1.1'],
    [[[1, ['One.']]], 'context.0.0'],
  ])('%j is named by the entry at fault', (context, key) => {
    const read = readMultihop({ question: 'Who?', answer: 'Ada', context });
    expect(read).toMatchObject({ key });
  });

  it('without a context at all is named by what is missing', () => {
    expect(readMultihop({ question: 'Who?', answer: 'Ada' })).toMatchObject({ key: 'context' });
    expect(readMultihop({ answer: 'Ada', context: [] })).toMatchObject({ key: 'question' });
  });

  it('is left out where it has no sentence, and the question stays', () => {
    const context = [
      ['Ada', [' ', '']],
      ['Bela  Holm', [' One. ']],
    ];
    expect(readMultihop({ ...HOTPOT, context, level: '', supporting_facts: null })).toEqual({
      question: {
        id: HOTPOT._id,
        text: HOTPOT.question,
        answers: ['yes'],
        supporting: [],
        type: 'comparison',
      },
      passages: [{ title: 'Bela Holm', sentences: ['One.'], key: 'context.1' }],
      problems: [{ key: 'context.0.1', expected: 'expected at least one sentence' }],
    });
  });

  it('lacks the passage of a step: the step names no title', () => {
    const evidences = [['Nobody', 'mother', 'Vera Holm']];
    expect(readMultihop({ ...TWO_WIKI, evidences })).toMatchObject({
      question: {
        hops: 1,
        chain: [{ subject: 'Nobody', title: '', passage: null, query: 'Nobody mother' }],
      },
    });
    const without = readMultihop({ ...TWO_WIKI, evidences: [] });
    expect(without).not.toHaveProperty('question.hops');
    expect(without).not.toHaveProperty('question.chain');
  });

  it("reads FlashRAG's columns, `content` in place of `sentences`", () => {
    const context = { title: ['Ada', 'Bela'], content: [['One.']] };
    const read = readMultihop({ id: 7, question: 'Who?', answer: ['Ada'], context });
    expect(read).toMatchObject({
      question: { id: '7' },
      passages: [{ title: 'Ada', sentences: ['One.'] }],
      problems: [{ key: 'context.1.1' }],
    });
  });
});

describe('MuSiQue', () => {
  it('takes the place of a paragraph from its number, not from its order', () => {
    const [first, noise, second] = MUSIQUE.paragraphs;
    const paragraphs = [second, { ...noise, paragraph_text: ' ' }, first];
    const read = readMusique({ ...MUSIQUE, paragraphs });
    expect(read).toMatchObject({
      question: {
        chain: [
          { title: 'Ivo', passage: 1 },
          { title: 'Tarn', passage: 0 },
        ],
      },
      problems: [{ key: 'paragraphs.1.paragraph_text' }],
    });
  });

  it('keeps a mark for a step that is not there, and a step without its passage', () => {
    const steps = [
      { question: 'When was #3 >> founded >> x', answer: '1', paragraph_support_idx: 9 },
    ];
    const read = readMusique({ ...MUSIQUE, question_decomposition: steps });
    expect(read).toMatchObject({
      question: {
        hops: 1,
        chain: [{ subject: 'When was #3', relation: 'founded', object: '1', passage: null }],
      },
    });
  });

  it('has no chain where it is not taken apart', () => {
    const { question_decomposition: _, ...rest } = MUSIQUE;
    const read = readMusique(rest);
    expect(read).not.toHaveProperty('question.chain');
    expect(read).not.toHaveProperty('question.hops');
  });
});

describe('text of a Markdown line', () => {
  it.each([
    ['> > Quoted', 'Quoted'],
    ['- one', 'one'],
    ['12. twelve', 'twelve'],
    ['3) three', 'three'],
    ['* **bold** and __strong__ and `code`', 'bold and strong and code'],
    ['![alt](a.png) and [link](b)', 'alt and link'],
    ['a - b, 2. c', 'a - b, 2. c'],
    ['snake_case stays', 'snake_case stays'],
  ])('%j', (line, text) => expect(stripMarkdown(line)).toBe(text));
});

describe('the end of a sentence', () => {
  it.each([
    ['He left. She stayed.', ['He left.', 'She stayed.']],
    ['He left. she stayed.', ['He left. she stayed.']],
    ['In the U.S. Army.', ['In the U.S. Army.']],
    ['See fig. 3 of it.', ['See fig. 3 of it.']],
    ['It cost 3. Then 4.', ['It cost 3.', 'Then 4.']],
    ['"Stop!" (He did.) End', ['"Stop!"', '(He did.)', 'End']],
    ['One。Two！Three', ['One。', 'Two！', 'Three']],
    ['  ', []],
  ])('%j', (text, sentences) => expect(splitSentences(text)).toEqual(sentences));
});

it('numbers in JSON Lines are ids and answers as they are written', async () => {
  const { questions } = await importAll(jsonl({ id: 3, question: 'How many?', answer: 1.5 }));
  expect(questions).toMatchObject([{ id: '3', answers: ['1.5'] }]);
});
