import { existsSync, openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
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

withFile('hotpotqa/questions.json', 'all HotpotQA questions with contexts', (imported) => {
  const { questions, passages, rejected } = imported;
  expect(rejected).toEqual([]);
  expect(questions).toHaveLength(100);
  expect(passages).toHaveLength(994);
  const titles = new Set(passages.map(({ passage }) => passage.title));
  for (const { supporting, answers, type } of questions) {
    expect(supporting.length).toBeGreaterThanOrEqual(2);
    expect(supporting.filter((title) => !titles.has(title))).toEqual([]);
    expect(answers[0]).not.toBe('');
    expect(['bridge', 'comparison']).toContain(type);
  }
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
