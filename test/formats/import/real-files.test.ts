import { existsSync, openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importAll, type Imported } from '../../../src/formats/import/collect.ts';

const FOLDER = new URL('../../../../shared/data/', import.meta.url);

const withFile = (file: string, name: string, check: (imported: Imported) => void): void => {
  const path = fileURLToPath(new URL(file, FOLDER));
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/${file}`);
  it.skipIf(missing)(`${name} (${file})`, async () => {
    check(await importAll(await openAsBlob(path), { name: file }));
  });
};

/** What HotpotQA's questions promise, however many there are. */
function expectHotpot({ questions, passages, rejected }: Imported): void {
  expect(rejected).toEqual([]);
  const titles = new Set(passages.map(({ passage }) => passage.title));
  for (const { supporting, answers, type } of questions) {
    expect(supporting.length).toBeGreaterThanOrEqual(2);
    expect(supporting.filter((title) => !titles.has(title))).toEqual([]);
    expect(answers[0]).not.toBe('');
    expect(['bridge', 'comparison']).toContain(type);
  }
}

const small = (file: string): Promise<Imported> =>
  openAsBlob(fileURLToPath(new URL(`../../fixtures/import/${file}`, import.meta.url))).then(
    (blob) => importAll(blob, { name: file }),
  );

describe('small files as they are published', () => {
  it('HotpotQA questions with contexts', async () => {
    const imported = await small('hotpotqa.json');
    expectHotpot(imported);
    expect(imported.questions.map(({ id }) => id)).toEqual([
      '5a7a06935542990198eaf050',
      '5a7bbb64554299042af8f7cc',
    ]);
    // Ida Holm's passage is in both contexts.
    expect(imported.passages).toHaveLength(5);
    expect(imported.duplicates).toHaveLength(1);
  });

  it('a corpus of {title: [sentences]}', async () => {
    const { passages, rejected } = await small('titles.json');
    expect(rejected).toEqual([]);
    expect(passages).toHaveLength(5);
    expect(passages[0]?.passage).toMatchObject({
      title: 'Ada Berg',
      sentences: ['Ada Berg is a director born in Oslo.', 'She made Night Ferry.'],
    });
  });

  it('passages with `contents`', async () => {
    const { passages, rejected } = await small('contents.jsonl');
    expect(rejected).toEqual([]);
    expect(passages.map(({ passage }) => [passage.id, passage.title]).slice(0, 3)).toEqual([
      ['0', 'Ada Berg'],
      ['1', 'Ida Holm'],
      ['2', 'Night Ferry (film)'],
    ]);
  });

  it('questions of several data sets in parquet, the golds in structs', async () => {
    const { questions, rejected } = await small('../parquet/verl-snappy.parquet');
    expect(rejected).toEqual([]);
    expect(questions.map(({ id, dataset, text, answers }) => [id, dataset, text, answers])).toEqual(
      [
        ['nq-test-0', 'nq', 'Who wrote Low Tide?', ['Ida Holm', 'IDA HOLM']],
        ['popqa_17', 'popqa', 'Who directed Night Ferry?', ['Ada Berg', 'ADA BERG']],
        ['nq-test-2', 'nq', 'Where does the Ulv rise?', ['Lake Sorn', 'LAKE SORN']],
      ],
    );
  });

  it('questions with earlier predictions', async () => {
    const { questions, rejected } = await small('predicted.jsonl');
    expect(rejected).toEqual([]);
    expect(questions.map(({ id, answers }) => [id, answers])).toEqual([
      ['37653', ['no']],
      ['37664', ['the Ulv']],
    ]);
  });
});

withFile('hotpotqa/questions.json', 'all HotpotQA questions with contexts', (imported) => {
  expectHotpot(imported);
  expect(imported.questions).toHaveLength(100);
  expect(imported.passages).toHaveLength(994);
});

withFile('hotpotqa/corpus.json', 'the corpus of {title: [sentences]}', (imported) => {
  expect(imported.rejected).toEqual([]);
  expect(imported.passages).toHaveLength(994);
  const demon = imported.passages[0]?.passage;
  expect(demon?.title).toBe('Demon Dice');
  expect(demon?.sentences[1]).toMatch(/^In it, each player controls a demon/u);
});

withFile('formats/verl_dev.parquet', 'questions of seven data sets in parquet', (imported) => {
  const { questions, rejected } = imported;
  expect(rejected).toEqual([]);
  expect(questions).toHaveLength(875);
  const sets = new Map<string | undefined, number>();
  for (const { dataset } of questions) sets.set(dataset, (sets.get(dataset) ?? 0) + 1);
  expect([...sets.values()]).toEqual([125, 125, 125, 125, 125, 125, 125]);
  expect(questions[1]).toMatchObject({ id: 'popqa_4174473', text: 'Who is the father of Dan?' });
  expect(questions[1]?.answers).toContain('Yaakov');
});

withFile('formats/search_r1_corpus.jsonl', 'passages with `contents`', (imported) => {
  expect(imported.rejected).toEqual([]);
  expect(imported.passages).toHaveLength(10);
  expect(imported.passages[0]?.passage).toMatchObject({ id: '0', title: 'Evan Morris' });
});

withFile('r1-searcher/stage_1.jsonl', 'questions with earlier predictions', (imported) => {
  expect(imported.rejected).toEqual([]);
  expect(imported.questions).toHaveLength(350);
  expect(imported.questions[0]).toMatchObject({ id: '37653', answers: ['U.S. Route 22'] });
});
