import { describe, expect, it } from 'vitest';
import { importAll, type Imported } from '../../../../src/formats/import/collect.ts';
import { readImport } from '../../../../src/formats/import/read.ts';
import type { Format } from '../../../../src/formats/import/values/types.ts';
import { blob } from '../../../fixtures/import/files.ts';

const CSV: Format = { container: 'csv', schema: 'qa', kind: 'questions' };
const read = (text: string): Promise<Imported> => importAll(blob(text), { format: CSV });
const pairs = ({ questions }: Imported): string[][] =>
  questions.map(({ text, answers }) => [text, ...answers]);

describe('a table of questions', () => {
  it('ends its lines in CR and LF, also after a quoted field', async () => {
    const imported = await read('"question","answer"\r\n"Who?","Ada"\r\nWhy?,"Bela"\r\n');
    expect(pairs(imported)).toEqual([
      ['Who?', 'Ada'],
      ['Why?', 'Bela'],
    ]);
    expect(imported.rejected).toEqual([]);
  });

  it('may have spaces around the names of its columns, and blank lines anywhere', async () => {
    const imported = await read('\n Question , ANSWER \n\nWho?,Ada\n \nWhy?,Bela');
    expect(pairs(imported)).toEqual([
      ['Who?', 'Ada'],
      ['Why?', 'Bela'],
    ]);
    expect(imported).toMatchObject({ rejected: [], progress: { items: 2, bytes: 42 } });
  });

  it('that has no names of columns is refused with what was expected', async () => {
    await expect(read('"question,answer\nWho?,Ada\n')).rejects.toThrow(
      'expected names of columns: expected a closing quote before the end of the file',
    );
    await expect(read('"question"s,answer\nWho?,Ada\n')).rejects.toThrow(
      'expected names of columns: expected quotes around a whole field, those inside it doubled',
    );
  });

  it('says the line at which a record begins that cannot be read, and reads the others', async () => {
    const text = [
      'question,answer',
      '"Who\nwas\nit?",Ada',
      '"Who"s,Ada',
      'One?,a,b',
      '"Two\nlines?",a,b',
      'Last?,Bela',
    ].join('\n');
    const imported = await read(text);
    expect(pairs(imported)).toEqual([
      ['Who\nwas\nit?', 'Ada'],
      ['Last?', 'Bela'],
    ]);
    const quotes = 'expected quotes around a whole field, those inside it doubled';
    const fields = 'expected 2 fields, found 3';
    expect(imported.rejected).toEqual([
      { line: 5, item: 1, key: '', expected: quotes },
      { line: 6, item: 2, key: '', expected: fields },
      { line: 7, item: 3, key: '', expected: fields },
    ]);
  });

  it('reports the same lines after an interruption', async () => {
    const file = blob('question,answer\n"One\nmore?",a\nTwo?,b\nThree?,c,d\n');
    const batches = readImport(file, { format: CSV, batchItems: 2 });
    const { value } = await batches.next();
    expect(value?.position).toMatchObject({ line: 5, item: 2, header: ['question', 'answer'] });
    const resume = value?.position ?? undefined;
    const rest = await importAll(file, { resume });
    expect(rest.rejected).toMatchObject([{ line: 5, item: 2 }]);
    expect(rest.questions).toEqual([]);
  });

  it('leaves out a record that is longer than an item may be', async () => {
    const long = 'x'.repeat(16 * 1024 * 1024);
    const imported = await read(`question,answer\n${long},a\nWho?,Ada\n`);
    expect(pairs(imported)).toEqual([['Who?', 'Ada']]);
    expect(imported.rejected).toEqual([
      { line: 2, item: 0, key: '', expected: 'expected a record of at most 16777216 bytes' },
    ]);
  });
});
