import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { importAll, previewImport } from '../../../src/formats/import/collect.ts';
import { KnownItems } from '../../../src/formats/import/values/known.ts';
import { readImport } from '../../../src/formats/import/read.ts';
import type { ImportBatch, ResumePosition } from '../../../src/formats/import/values/types.ts';
import { blob, jsonl } from '../../fixtures/import/files.ts';

const N = 57;
const row = (i: number) => ({ id: `p${i}`, title: `T${i}`, text: `Passage "${i}", é {${i}}.` });
const question = (i: number) => ({ id: `q${i}`, question: `Q${i}?`, answer: `a${i}` });
const all = <T>(make: (i: number) => T): T[] => Array.from({ length: N }, (_, i) => make(i));

const FILES: Record<string, Blob> = {
  jsonl: blob(`\ufeff${all((i) => JSON.stringify(row(i))).join('\r\n\n')}`),
  'json array': blob(JSON.stringify(all(row), null, 2)),
  'json object': blob(
    JSON.stringify(Object.fromEntries(all((i) => [`T${i}`, [`Passage ${i}.`]])), null, 1),
  ),
  csv: blob(`id,question,answer\n${all((i) => `q${i},"Q\n""${i}""?",a${i}`).join('\n')}\n`),
  markdown: blob(all((i) => `# Part ${i}\n\nPassage ${i} has words.\n\n`).join('')),
  parquet: new Blob([
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: all((i) => question(i).id) },
        { name: 'question', data: all((i) => question(i).question) },
        { name: 'golden_answers', data: all((i) => [`a${i}`]), type: 'JSON' },
      ],
      rowGroupSize: 20,
    }),
  ]),
};

const collect = async (batches: AsyncIterable<ImportBatch>): Promise<ImportBatch[]> => {
  const found: ImportBatch[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
};
const ids = (batches: readonly ImportBatch[]): string[] =>
  batches.flatMap(({ questions, passages }) => [
    ...questions.map(({ id }) => id),
    ...passages.map(({ passage }) => passage.id),
  ]);

describe.each(Object.keys(FILES))('%s', (name) => {
  const file = FILES[name]!;

  it('gives every item once wherever it is stopped and resumed', async () => {
    const whole = ids(await collect(readImport(file)));
    expect(whole).toHaveLength(N);
    const batches = await collect(readImport(file, { batchItems: 10 }));
    expect(batches.length).toBeGreaterThan(5);
    for (const [i, { position }] of batches.entries()) {
      if (!position) continue;
      // As it comes back from storage.
      const resume = JSON.parse(JSON.stringify(position)) as ResumePosition;
      const rest = await collect(readImport(file, { resume }));
      expect([...ids(batches.slice(0, i + 1)), ...ids(rest)]).toEqual(whole);
      expect(rest.flatMap(({ rejected }) => rejected)).toEqual([]);
    }
  });

  it('reports bytes up to the whole file, never backwards', async () => {
    const seen: number[] = [];
    await collect(
      readImport(file, { batchItems: 10, onProgress: ({ bytes }) => seen.push(bytes) }),
    );
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(file.size);
  });

  it('stops when aborted', async () => {
    const controller = new AbortController();
    const reading = (async () => {
      for await (const batch of readImport(file, { batchItems: 10, signal: controller.signal })) {
        expect(batch.progress.items).toBeLessThan(N);
        controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
  });

  it('previews the first items and counts them all', async () => {
    const preview = await previewImport(file, { items: 5 });
    expect(preview.questions.length + preview.passages.length).toBe(5);
    expect(preview.items).toEqual({ count: N, exact: true });
  });
});

it('names lines after a resume as in the whole file', async () => {
  const text = all((i) => (i === 40 ? '{' : JSON.stringify(row(i)))).join('\n');
  const [first] = await collect(readImport(blob(text), { batchItems: 10 }));
  const rest = await collect(readImport(blob(text), { resume: first!.position! }));
  expect(rest.flatMap(({ rejected }) => rejected)).toMatchObject([{ line: 41, item: 40 }]);
});

it('reads items that lie across its pieces of a large file', async () => {
  const long = 'word '.repeat(60_000);
  const rows = Array.from({ length: 12 }, (_, i) => ({ id: `${i}`, text: `Row ${i} ${long}end.` }));
  for (const text of [JSON.stringify(rows), rows.map((r) => JSON.stringify(r)).join('\n')]) {
    const { passages } = await importAll(blob(text));
    expect(passages.map(({ passage }) => passage.text)).toEqual(rows.map(({ text }) => text));
  }
});

it('leaves out what is known, and gives a taken id of another file another name', async () => {
  const known = new KnownItems();
  const { passages } = await importAll(FILES.jsonl!);
  for (const { passage, hash } of passages.slice(0, 50))
    known.passages.add(passage.id, hash, 'another');
  const again = await importAll(FILES.jsonl!, { known });
  expect(again.passages.map(({ passage }) => passage.id)).toEqual(
    Array.from({ length: 7 }, (_, i) => `p${50 + i}`),
  );
  expect(again.duplicates).toHaveLength(50);
  const other = await importAll(jsonl({ id: 'p3', text: 'Another text.' }), { known });
  expect(other.passages[0]?.passage.id).toBe(`p3~${other.passages[0]?.hash.slice(0, 8)}`);
  // Two of one file with one id are still a fault of that file.
  const twice = await importAll(jsonl({ id: 'x', text: 'One.' }, { id: 'x', text: 'Two.' }));
  expect(twice.rejected).toMatchObject([{ line: 2, key: 'id' }]);
});
