import { describe, expect, it } from 'vitest';
import { importAll } from '../../../src/formats/import/collect.ts';
import { readImport } from '../../../src/formats/import/read.ts';
import { passageHash, questionHash } from '../../../src/formats/import/values/hash.ts';
import { KnownItems } from '../../../src/formats/import/values/known.ts';
import type {
  ImportBatch,
  ImportedQuestion,
  ImportOptions,
} from '../../../src/formats/import/values/types.ts';
import { blob, HOTPOT, jsonl, MUSIQUE } from '../../fixtures/import/files.ts';

const batches = async (file: Blob, options?: ImportOptions): Promise<ImportBatch[]> => {
  const found: ImportBatch[] = [];
  for await (const batch of readImport(file, options)) found.push(batch);
  return found;
};
const passage = (i: number, text = `Passage ${i}.`) => ({ id: `p${i}`, text });
const passages = (count: number): object[] => Array.from({ length: count }, (_, i) => passage(i));

describe('a file comes in batches', () => {
  const sizes = (found: readonly ImportBatch[]): number[] =>
    found.map((batch) => batch.passages.length);

  it('of 200 items, the last with those that are left', async () => {
    const found = await batches(jsonl(...passages(450)));
    expect(sizes(found)).toEqual([200, 200, 50]);
    expect(found.map(({ progress }) => progress.items)).toEqual([200, 400, 450]);
    expect(found.map(({ position }) => position?.item)).toEqual([200, 400, 450]);
    // Where nothing is left, nothing is to continue from.
    const whole = await batches(jsonl(...passages(400)));
    expect(sizes(whole)).toEqual([200, 200, 0]);
    expect(whole.at(-1)?.position).toBeNull();
  });

  it.each([
    // An item counts for a hundred characters beside its text.
    [2 ** 18 - 100, 4],
    [2 ** 18 - 101, 5],
  ])('of a mebibyte of text: items of %i characters are %i a batch', async (length, count) => {
    const long = Array.from({ length: count }, (_, i) =>
      passage(i, `${i}${'x'.repeat(length - 1)}`),
    );
    const short = passages(300).map((item, i) => ({ ...item, id: `s${i}` }));
    expect(sizes(await batches(jsonl(...long, ...short)))).toEqual([count, 200, 100]);
  });

  it('and none after it was stopped', async () => {
    for (const [batchItems, items] of [
      [10, 10],
      [50, 50],
      [57, 57],
    ]) {
      const controller = new AbortController();
      const seen: number[] = [];
      const reading = (async () => {
        const options = { batchItems: batchItems ?? 0, signal: controller.signal };
        for await (const { progress } of readImport(jsonl(...passages(57)), options)) {
          seen.push(progress.items);
          controller.abort(new Error('enough'));
        }
      })();
      await expect(reading).rejects.toThrow('enough');
      expect(seen).toEqual([items]);
    }
  });
});

describe('progress', () => {
  const file = jsonl(
    { ...HOTPOT, _id: 'a' },
    { ...HOTPOT, _id: 'b', question: 'Another?' },
    {
      ...HOTPOT,
      _id: 'b',
      question: 'A third?',
      context: [
        ['New', ['One.']],
        ['Empty', []],
      ],
    },
    { ...HOTPOT, _id: 'd', question: '' },
  );

  it('counts what was read and what was left out, over all batches', async () => {
    const { progress, rejected, ...rest } = await importAll(file, { batchItems: 2 });
    expect(progress).toEqual({
      bytes: file.size,
      totalBytes: file.size,
      items: 4,
      questions: 2,
      passages: 4,
      duplicates: 3,
      rejected: 3,
    });
    expect(rejected.map(({ item, key }) => [item, key])).toEqual([
      [2, 'context.1.1'],
      [2, 'id'],
      [3, 'question'],
    ]);
    expect(rest.questions).toHaveLength(2);
    expect(rest.duplicates).toHaveLength(3);
  });

  it('continues where an earlier import ended', async () => {
    const [first] = await batches(file, { batchItems: 3 });
    const [last] = await batches(file, { ...(first?.position && { resume: first.position }) });
    expect(last?.progress).toMatchObject({ items: 4, questions: 0, rejected: 1 });
  });
});

it('keeps a thousand rejections, and counts all', async () => {
  const { rejected, progress } = await importAll(blob('{"text":"One."}\n', '{bad\n'.repeat(1200)));
  expect(rejected).toHaveLength(1000);
  expect(progress.rejected).toBe(1200);
});

it('quotes what is at fault in one readable line', async () => {
  const title = `two\nlines ${'x'.repeat(300)}`;
  const { rejected } = await importAll(blob(JSON.stringify({ A: ['One.'], [title]: [] }, null, 1)));
  expect(rejected[0]?.key).toBe(`two lines ${'x'.repeat(190)}…`);
});

describe('the id of a question', () => {
  const ask = (fields: object) => ({ question: 'Who?', answer: 'Ada', ...fields });
  const read = async (known: KnownItems, ...items: object[]) => {
    const { questions, duplicates, rejected } = await importAll(jsonl(...items), { known });
    return {
      ids: questions.map(({ id }) => id),
      same: duplicates.map(({ line, item, id }) => [line, item, id]),
      not: rejected.map(({ line, key, expected }) => [line, key, expected]),
    };
  };
  const file = (name: string, known = new KnownItems()): KnownItems => {
    known.file = name;
    return known;
  };

  it('is that of its file, else made of its text and answers', async () => {
    const hash = await questionHash('Who?', ['Ada']);
    expect(await read(file('a'), ask({}))).toEqual({
      ids: [`q-${hash.slice(0, 16)}`],
      same: [],
      not: [],
    });
    expect((await read(file('a'), ask({ id: 7 }))).ids).toEqual(['7']);
  });

  it('may be several of one file for one question, which without one is there already', async () => {
    expect(
      await read(file('a'), ask({ id: 'x' }), ask({ id: 'y' }), ask({ id: 'y' }), ask({})),
    ).toEqual({
      ids: ['x', 'y'],
      same: [
        [3, 2, 'y'],
        [4, 3, 'y'],
      ],
      not: [],
    });
  });

  it('of another file is left: its question is the same, whatever its id', async () => {
    const known = file('a');
    await read(known, ask({ id: 'x' }));
    const other = await read(
      file('b', known),
      ask({ id: 'y' }),
      ask({ id: 'x', question: 'Why?' }),
    );
    expect(other.same).toEqual([[1, 0, 'x']]);
    const hash = await questionHash('Why?', ['Ada']);
    expect(other.ids).toEqual([`x~${hash.slice(0, 8)}`]);
  });

  it('that stands for another question of the file is refused', async () => {
    expect(await read(file('a'), ask({ id: 'x' }), ask({ id: 'x', question: 'Why?' }))).toEqual({
      ids: ['x'],
      same: [],
      not: [[2, 'id', "expected an id of its own; x is another question's"]],
    });
  });
});

describe('the contexts of questions', () => {
  const chain = (questions: readonly ImportedQuestion[]): unknown =>
    questions[0]?.chain?.map(({ passageId }) => passageId);

  it('are named by the steps that they state, where they are there', async () => {
    const steps = MUSIQUE.question_decomposition.map((step, i) =>
      i === 0 ? { ...step, paragraph_support_idx: 9 } : step,
    );
    const { questions, passages: found } = await importAll(
      jsonl({ ...MUSIQUE, question_decomposition: steps }),
    );
    expect(chain(questions)).toEqual(['', found[2]?.passage.id]);
  });

  it('whose id stands for another passage of the file are refused, and no step names them', async () => {
    const hash = await passageHash('Ivo', 'Ivo was born in Tarn. He sang.');
    const known = new KnownItems();
    known.passages.add(`p-${hash.slice(0, 16)}`, 'another', '');
    const { questions, passages: found, rejected } = await importAll(jsonl(MUSIQUE), { known });
    expect(rejected).toEqual([
      {
        line: 1,
        item: 0,
        key: 'paragraphs.0.id',
        expected: `expected an id of its own; p-${hash.slice(0, 16)} is another passage's`,
      },
    ]);
    expect(chain(questions)).toEqual(['', found[1]?.passage.id]);
  });

  it('are left out without a word where they are not wanted', async () => {
    const item = { ...HOTPOT, context: [['Ada', []]] };
    expect((await importAll(jsonl(item))).rejected).toHaveLength(1);
    const without = { contexts: false };
    expect(await importAll(jsonl(item), without)).toMatchObject({
      questions: [{ id: HOTPOT._id }],
      rejected: [],
    });
    // What is wrong with a question is still said, and passages of their own are none.
    expect((await importAll(jsonl({ ...HOTPOT, answer: [] }), without)).rejected).toHaveLength(1);
    expect((await importAll(jsonl(passage(1)), without)).passages).toHaveLength(1);
  });
});
