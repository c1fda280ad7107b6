import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { detect } from '../../../src/formats/import/readers/detect.ts';
import { importAll } from '../../../src/formats/import/collect.ts';
import { passageHash } from '../../../src/formats/import/values/hash.ts';
import {
  BAMBOOGLE,
  blob,
  FLASHRAG,
  HOTPOT,
  jsonl,
  MUSIQUE,
  TWO_WIKI,
  VERL,
} from '../../fixtures/import/files.ts';

describe('question files', () => {
  it('reads HotpotQA: question, supporting titles, contexts as passages', async () => {
    const file = blob(JSON.stringify([HOTPOT], null, 2));
    expect(await detect(file)).toEqual({
      container: 'json-array',
      schema: 'hotpotqa',
      kind: 'questions',
    });
    const { questions, passages, rejected } = await importAll(file);
    expect(rejected).toEqual([]);
    expect(questions).toEqual([
      {
        id: HOTPOT._id,
        text: HOTPOT.question,
        answers: ['yes'],
        supporting: ['Ada', 'Bela'],
        type: 'comparison',
        difficulty: 'hard',
      },
    ]);
    const ada = 'Ada was a Hungarian painter. She lived in Pécs.';
    const hash = await passageHash('Ada', ada);
    expect(passages).toHaveLength(3);
    expect(passages[0]).toEqual({
      hash,
      passage: {
        id: `p-${hash.slice(0, 16)}`,
        title: 'Ada',
        text: ada,
        sentences: ['Ada was a Hungarian painter.', 'She lived in Pécs.'],
      },
    });
  });

  it('reads the columns of Hugging Face for HotpotQA', async () => {
    const { questions, passages } = await importAll(
      jsonl({
        id: 'a',
        question: 'Who?',
        answer: 'Ada',
        context: { title: ['Ada', 'Bela'], sentences: [['One.'], ['Two.', ' Three.']] },
        supporting_facts: { title: ['Bela', 'Bela'], sent_id: [0, 1] },
      }),
    );
    expect(questions[0]?.supporting).toEqual(['Bela']);
    expect(passages.map(({ passage }) => passage.text)).toEqual(['One.', 'Two. Three.']);
  });

  it('reads 2WikiMultiHopQA: evidences become the gold chain', async () => {
    const file = blob(JSON.stringify([TWO_WIKI]));
    expect((await detect(file)).schema).toBe('2wikimultihopqa');
    const { questions, passages } = await importAll(file);
    const [question] = questions;
    expect(question).toMatchObject({
      type: 'comparison',
      sourceType: 'bridge_comparison',
      hops: 2,
    });
    expect(question?.chain?.[1]).toEqual({
      subject: 'Ivo Holm',
      relation: 'mother',
      object: 'Vera Holm',
      title: 'Ivo Holm',
      passageId: passages[1]?.passage.id,
      query: 'Ivo Holm mother',
    });
  });

  it('reads MuSiQue: aliases, supporting paragraphs, `#1` replaced in the decomposition', async () => {
    const file = jsonl(MUSIQUE);
    expect(await detect(file)).toMatchObject({ container: 'jsonl', schema: 'musique' });
    const { questions, passages } = await importAll(file);
    expect(questions[0]).toMatchObject({
      id: '2hop__1_2',
      answers: ['1342', 'the year 1342'],
      supporting: ['Ivo', 'Tarn'],
      hops: 2,
    });
    expect(questions[0]?.chain).toEqual([
      {
        subject: 'Ivo',
        relation: 'place of birth',
        object: 'Tarn',
        title: 'Ivo',
        passageId: passages[0]?.passage.id,
        query: 'Ivo place of birth',
      },
      {
        subject: '',
        relation: '',
        object: '1342',
        title: 'Tarn',
        passageId: passages[2]?.passage.id,
        query: 'When was Tarn chartered?',
      },
    ]);
    expect((await importAll(blob(JSON.stringify([MUSIQUE])))).questions).toEqual(questions);
    const unanswerable = await importAll(
      jsonl(MUSIQUE, { ...MUSIQUE, id: 'u', answerable: false }),
    );
    expect(unanswerable.rejected).toEqual([
      { line: 2, item: 1, key: 'answerable', expected: 'expected an answerable question' },
    ]);
  });

  it('reads Bamboogle as CSV and TSV, with quotes and line ends in fields', async () => {
    const csv = await importAll(blob(BAMBOOGLE));
    expect(csv.questions.map(({ text, answers }) => [text, answers])).toEqual([
      ['Who was president when "superconductivity" was found, in Leiden?', ['Taft']],
      ['A question\nover two lines?', ['Yes']],
    ]);
    const tsv = blob('Question\tAnswer\nWho, then?\tAda\n\nbroken\nWhy?\tBela');
    expect(await detect(tsv)).toMatchObject({ container: 'tsv', schema: 'qa' });
    const { questions, rejected } = await importAll(tsv);
    expect(questions.map(({ text }) => text)).toEqual(['Who, then?', 'Why?']);
    expect(rejected).toEqual([
      { line: 4, item: 1, key: '', expected: 'expected 2 fields, found 1' },
    ]);
  });

  it('reads FlashRAG, and HotpotQA details in its metadata', async () => {
    const metadata = { type: 'bridge', level: 'easy', supporting_facts: { title: ['Ada'] } };
    const file = jsonl(FLASHRAG, { ...FLASHRAG, id: 'test_1', metadata });
    expect((await detect(file)).schema).toBe('flashrag');
    const { questions } = await importAll(file);
    expect(questions[0]?.answers).toEqual(FLASHRAG.golden_answers);
    expect(questions[1]).toMatchObject({ type: 'bridge', difficulty: 'easy', supporting: ['Ada'] });
  });

  it('reads Search-R1 and verl from parquet', async () => {
    const rows = [VERL, { ...VERL, reward_model: { ground_truth: 'a<|answer_split|>b' } }];
    const column = (name: keyof typeof VERL) => ({
      name,
      data: rows.map((row) => row[name]),
      ...(typeof VERL[name] === 'object' && { type: 'JSON' as const }),
    });
    const bytes = parquetWriteBuffer({
      columnData: [
        column('data_source'),
        column('prompt'),
        column('reward_model'),
        { name: 'extra_info', type: 'JSON', data: [{ index: 7, split: 'train' }, { index: 8 }] },
      ],
    });
    const { questions, rejected } = await importAll(new Blob([bytes]));
    expect(rejected).toEqual([]);
    expect(questions).toMatchObject([
      { id: 'nq-train-7', text: 'who sang it first?', answers: ['Ada', 'Ada Holm'], dataset: 'nq' },
      { id: 'nq-8', answers: ['a', 'b'] },
    ]);
  });

  it('reads plain questions, and names line and key of what does not fit', async () => {
    const file = blob(
      '{"question":"One?","answer":"a"}\n{"question":"Two?","answers":["b","b","c"]}\n\n{broken\n' +
        '{"question":"","answer":"d"}\n{"question":"Five?","answer":[]}\n{"question":"Six?"}\n' +
        '{"question":7,"answer":"e"}\n{"question":"Eight?","answer":8}',
    );
    const { questions, rejected } = await importAll(file);
    expect(questions.map(({ answers }) => answers)).toEqual([['a'], ['b', 'c'], ['8']]);
    expect(rejected.map(({ line, item, key }) => [line, item, key])).toEqual([
      [4, 2, ''],
      [5, 3, 'question'],
      [6, 4, 'answer'],
      [7, 5, 'answer'],
      [8, 6, 'question'],
    ]);
    expect(rejected[4]?.expected).toBe('expected string, received number');
  });
});

describe('passage files', () => {
  it('reads JSONL with id, title, text; the id must be its own', async () => {
    const file = jsonl(
      { id: 1, title: 'Ada', text: 'Ada paints.  She\nsings.' },
      { id: '2', text: 'No title.' },
      { id: '3', title: 'Ada', text: 'Ada paints. She sings.' },
      { id: '2', title: 'Other', text: 'Other text.' },
      { id: '5', title: 'Empty', text: ' ' },
    );
    const { passages, duplicates, rejected } = await importAll(file);
    expect(passages.map(({ passage }) => passage)).toEqual([
      {
        id: '1',
        title: 'Ada',
        text: 'Ada paints. She sings.',
        sentences: ['Ada paints.', 'She sings.'],
      },
      { id: '2', title: '', text: 'No title.', sentences: ['No title.'] },
    ]);
    expect(duplicates).toEqual([{ line: 3, item: 2, id: '1' }]);
    expect(rejected.map(({ line, key }) => [line, key])).toEqual([
      [4, 'id'],
      [5, 'text'],
    ]);
  });

  it('reads `contents` of Search-R1 and FlashRAG', async () => {
    const { passages } = await importAll(
      jsonl(
        { id: '0', contents: '"Evan "Ev" Morris"\nHe was a lobbyist. He lived.' },
        { id: '1', contents: 'One line only.' },
      ),
    );
    expect(passages.map(({ passage }) => [passage.title, passage.sentences])).toEqual([
      ['Evan "Ev" Morris', ['He was a lobbyist.', 'He lived.']],
      ['', ['One line only.']],
    ]);
  });

  it('reads {title: [sentences]}, pretty-printed and on one line', async () => {
    const corpus = { Ada: ['One, {"x"}.', ' Two.'], 'B]"\\': ['Three.'], C: [], D: ['', 4] };
    for (const text of [JSON.stringify(corpus, null, 1), JSON.stringify(corpus)]) {
      const { passages, rejected } = await importAll(blob(text), {
        format: { container: 'json-object', schema: 'title-sentences', kind: 'passages' },
      });
      expect(passages.map(({ passage }) => [passage.title, passage.text])).toEqual([
        ['Ada', 'One, {"x"}. Two.'],
        ['B]"\\', 'Three.'],
      ]);
      expect(rejected.map(({ key }) => key)).toEqual(['C', 'D.1']);
    }
    const detected = await detect(blob(JSON.stringify({ Ada: ['One.'] }, null, 1)));
    expect(detected).toEqual({
      container: 'json-object',
      schema: 'title-sentences',
      kind: 'passages',
    });
  });

  it('reads a list of {title, text}', async () => {
    const { passages } = await importAll(blob('[{"title":"A","text":"One."},{"text":"Two."}]'));
    expect(passages.map(({ passage }) => passage.title)).toEqual(['A', '']);
  });

  it('can leave the contexts of questions out', async () => {
    const { passages, questions } = await importAll(jsonl(MUSIQUE), { contexts: false });
    expect(passages).toEqual([]);
    expect(questions[0]?.chain?.map(({ passageId }) => passageId)).toEqual(['', '']);
  });
});

describe('files that cannot be read', () => {
  it.each([
    ['', 'the file is empty'],
    [' \n ', 'the file is empty: it has only spaces'],
    ['a\0b', 'UTF-8 text or parquet'],
    ['[1, 2]', 'a list of questions'],
    ['{"a": 1}', 'title: [sentences]'],
    ['PAR1 cut off', 'PAR1'],
  ])('%j is refused with what was expected', async (text, expected) => {
    await expect(importAll(blob(text))).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringContaining(expected) as unknown,
    });
  });

  it('says where a JSON document breaks off, and keeps what came before', async () => {
    const text = `[\n${JSON.stringify({ text: 'One.' })},\n{"text": "Tw`;
    const { passages, rejected } = await importAll(blob(text));
    expect(passages).toHaveLength(1);
    expect(rejected).toMatchObject([{ line: 3, item: 1 }]);
    expect(rejected[0]?.expected).toContain('the file ends within it');
  });

  it('rejects a line that is not UTF-8, and reads the next', async () => {
    const text = new TextEncoder().encode('{"text":"One."}\n{"text":"T?"}\n{"text":"Three."}\n');
    text[text.indexOf(63)] = 0xff;
    const { passages, rejected } = await importAll(blob(text));
    expect(passages.map(({ passage }) => passage.text)).toEqual(['One.', 'Three.']);
    expect(rejected).toEqual([{ line: 2, item: 1, key: '', expected: 'expected UTF-8 text' }]);
  });
});
