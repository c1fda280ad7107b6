import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { previewImport } from '../../../src/formats/import/collect.ts';
import { blob } from '../../fixtures/import/files.ts';

/** Lines of `bytes` bytes each, with a passage or a question. */
const rows = (count: number, bytes: number, field: 'text' | 'question' = 'text'): Blob =>
  blob(
    Array.from({ length: count }, (_, i) => {
      const row = JSON.stringify({ answer: 'a', note: '', [field]: `Row ${i}.` });
      return `${row.replace('"note":"', `"note":"${'x'.repeat(bytes - 1 - row.length)}`)}\n`;
    }).join(''),
  );

describe('a preview of a file', () => {
  it('shows its first hundred items, and counts those of a small one', async () => {
    const passages = await previewImport(rows(450, 100));
    expect(passages.passages.map(({ passage }) => passage.text)).toEqual(
      Array.from({ length: 100 }, (_, i) => `Row ${i}.`),
    );
    expect(passages.items).toEqual({ count: 450, exact: true });
    expect(passages.progress).toMatchObject({ items: 450, bytes: 45_000 });
    expect(passages.format).toEqual({ container: 'jsonl', schema: 'passage', kind: 'passages' });
    const questions = await previewImport(rows(450, 100, 'question'));
    expect(questions.questions).toHaveLength(100);
  });

  it('shows as many as are asked for, and what is wrong with a thousand', async () => {
    const text = await rows(20, 100).text();
    const shown = await previewImport(blob(text, '{bad\n'.repeat(1200)), { items: 7 });
    expect(shown.passages).toHaveLength(7);
    expect(shown.rejected).toHaveLength(1000);
    expect(shown.items).toEqual({ count: 1220, exact: true });
  });

  it('reads a mebibyte of a large file, and tells the count by its size', async () => {
    const file = rows(3000, 1024);
    const { passages, progress, items } = await previewImport(file, { items: 5 });
    expect(passages).toHaveLength(5);
    expect(progress).toMatchObject({ items: 1200, bytes: 1200 * 1024, totalBytes: file.size });
    expect(items).toEqual({ count: 3000, exact: false });
  });

  it.each([
    // Enough was read with exactly this many items, and exactly this many bytes.
    [200, 6000, 200, 200],
    [201, 6000, 200, 400],
    [5, 8192, 128, 128],
    [5, 8191, 128, 256],
  ])(
    'asks for %i items of %i bytes in batches of %i: reads %i',
    async (items, bytes, batchItems, read) => {
      const shown = await previewImport(rows(1000, bytes), { items, batchItems });
      expect(shown.progress.items).toBe(read);
      expect(shown.passages).toHaveLength(items);
      expect(shown.items).toEqual({ count: 1000, exact: false });
    },
  );

  it('knows the count where the file ends with what was read', async () => {
    const shown = await previewImport(rows(200, 6000), { items: 5 });
    expect(shown.items).toEqual({ count: 200, exact: true });
  });

  it('takes the count of parquet from the file, however little was read', async () => {
    // No text repeats, so that nothing is made much shorter by compression.
    let seed = 1;
    const noise = (): string =>
      Array.from({ length: 1000 }, () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return String.fromCharCode(97 + (seed % 26));
      }).join('');
    const question = Array.from({ length: 3000 }, noise);
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'question', data: question },
        { name: 'golden_answers', type: 'JSON', data: question.map(() => ['a']) },
      ],
      rowGroupSize: 1000,
    });
    const shown = await previewImport(new Blob([bytes]), { items: 5 });
    expect(shown.progress.items).toBeLessThan(3000);
    expect(shown.items).toEqual({ count: 3000, exact: true });
  });
});
