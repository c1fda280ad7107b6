import { describe, expect, it } from 'vitest';
import { importAll, type Imported } from '../../../../src/formats/import/collect.ts';
import { readImport } from '../../../../src/formats/import/read.ts';
import type { Format } from '../../../../src/formats/import/values/types.ts';
import { blob } from '../../../fixtures/import/files.ts';

const LIST: Format = { container: 'json-array', schema: 'passage', kind: 'passages' };
const read = (...parts: string[]): Promise<Imported> => importAll(blob(...parts), { format: LIST });
const texts = ({ passages }: Imported): string[] => passages.map(({ passage }) => passage.text);

describe('the items of a list', () => {
  it.each([
    ['in one line', '[{"text":"One."},{"text":"Two."}]'],
    ['over lines, with CR and tabs', '[\r\n\t{"text":\r\n"One."}\t,\r\n {"text":"Two."}\r\n]\r\n'],
    ['with a comma too many', '[,{"text":"One."},, \n,{"text":"Two."},]'],
    ['with text after the list', '[{"text":"One."},{"text":"Two."}] {"text":"Three."} ['],
    ['with text before the list', 'data ] = "[{\\"" [{"text":"One."},{"text":"Two."}]'],
  ])('%s', async (_, text) => {
    const imported = await read(text);
    expect(texts(imported)).toEqual(['One.', 'Two.']);
    expect(imported.rejected).toEqual([]);
    expect(imported.progress).toMatchObject({ items: 2, bytes: text.length });
  });

  it('none is no item', async () => {
    for (const text of ['[]', ' [ \r\n\t ] ', '[,]'])
      expect(await read(text)).toMatchObject({ rejected: [], progress: { items: 0 } });
  });

  it('are found behind more space than is read at a time', async () => {
    const text = `${'x'.repeat(2 ** 20)}[{"text":"One."}`;
    const imported = await read(text, `,{"text":"Tw${' '.repeat(2 ** 20)}o."}]`);
    expect(texts(imported)).toEqual(['One.', 'Tw o.']);
  });

  it.each([
    ['[\r\n{bad}\r\n]', 2],
    ['[ \n\t{bad}]', 2],
    ['[\t\n {bad}]', 2],
    ['[{"text":"One.\\""},\n\n\n7 8]', 4],
    ['[\n{"text":\n"One."}\n,\n{"text":\n}]', 5],
  ])('that cannot be read are named by the line where they begin: %j', async (text, line) => {
    const { rejected } = await read(text);
    expect(rejected).toMatchObject([{ line, key: '' }]);
    expect(rejected[0]?.expected).toMatch(/^expected JSON: /);
  });

  it('are named by the same lines after an interruption', async () => {
    const file = blob('[\n{"text":"One."},\n{"text":"Two."}, {"text":\n"Three."},\n{bad}\n]');
    const { value } = await readImport(file, { format: LIST, batchItems: 2 }).next();
    expect(value?.position).toMatchObject({ line: 3, item: 2, offset: 35 });
    const resume = value?.position ?? undefined;
    const rest = await importAll(file, { resume });
    expect(texts(rest)).toEqual(['Three.']);
    expect(rest.rejected).toMatchObject([{ line: 5, item: 3 }]);
    expect(rest.progress).toMatchObject({ items: 4, bytes: file.size });
  });

  it('that are longer than an item may be, or no UTF-8, are left out', async () => {
    const long = `{"text":"${'x'.repeat(16 * 1024 * 1024)}"}`;
    const bytes = new TextEncoder().encode('{"text":"?"}');
    bytes[9] = 0xff;
    const imported = await importAll(blob(`[${long},\n`, bytes, ',{"text":"One."}]'), {
      format: LIST,
    });
    expect(texts(imported)).toEqual(['One.']);
    expect(imported.rejected).toEqual([
      { line: 1, item: 0, key: '', expected: 'expected an item of at most 16777216 bytes' },
      { line: 2, item: 1, key: '', expected: 'expected UTF-8 text' },
    ]);
  });
});

describe('a document that does not end', () => {
  const WITHIN = 'expected the end of the JSON document, but the file ends within it';
  it.each([
    ['abc\n"', 2, 0, 'expected a JSON array or object'],
    ['[\n', 2, 0, WITHIN],
    ['[{"text":"One."},\n\n', 3, 1, WITHIN],
    ['[\n{"text":\n"One', 2, 0, WITHIN],
    ['[{"text":"One."}\n,{"text":"]"\n', 2, 1, WITHIN],
  ])('%j is said with the line of what is cut', async (text, line, item, expected) => {
    const batches = readImport(blob(text), { format: LIST });
    const { value } = await batches.next();
    expect(value?.rejected).toEqual([{ line, item, key: '', expected }]);
    // There is nothing to continue with.
    expect(value).toMatchObject({ position: null, progress: { bytes: text.length } });
  });
});
