import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ImportError } from '../../../src/formats/rollouts/import.ts';
import { readParquet } from '../../../src/formats/rollouts/parquet.ts';
import { readAll, rolloutsOf } from '../rollouts/helpers.ts';

const FIXTURES = new URL('../../fixtures/parquet/', import.meta.url);
const CASES = new URL('../../../../shared/data/cases/', import.meta.url);

async function rowsOf(file: URL): Promise<unknown[]> {
  const rows = [];
  for await (const { row } of readParquet(new Blob([readFileSync(file)]))) rows.push(row);
  return rows;
}

/** As test/fixtures/parquet/make.py writes them. */
const written = (i: number): Record<string, unknown> => ({
  row: i,
  constant: i % 3 ? 'same' : null,
  number: i % 2 ? i / 4 : null,
  truth: i % 3 ? i % 4 === 0 : null,
  never: null,
  list: i % 5 === 0 ? null : Array.from({ length: i % 4 }, (_, j) => (j ? `word ${j}` : null)),
  struct: i % 5 === 1 ? null : { text: i % 2 ? `text ${Math.floor(i / 8)}` : null, ends: i },
});

describe('nulls in every kind of column', () => {
  it.each(
    ['snappy', 'zstd', 'lz4', 'encodings'].flatMap((kind) =>
      ['v1', 'v2'].map((version) => `nulls-${kind}-${version}.parquet`),
    ),
  )('%s', async (name) => {
    expect(await rowsOf(new URL(name, FIXTURES))).toEqual(
      Array.from({ length: 40 }, (_, i) => written(i)),
    );
  });
});

const missing = !existsSync(CASES);
if (missing) console.warn('skipped: needs ../shared/data/cases');

describe.skipIf(missing)('files of public bug reports', () => {
  const folder = new URL('19-parquet-null-struct/', CASES);
  const names = missing
    ? []
    : ['flat', 'nulls', 'bisect'].flatMap((part) =>
        readdirSync(new URL(`${part}/`, folder)).map((name) => `${part}/${name}`),
      );
  it.each([
    ...names,
    'mixed-tools.parquet',
    'python-only.parquet',
    'types.parquet',
    'view.parquet',
  ])('%s gives its rollouts', async (name) => {
    const rollouts = await rolloutsOf(new Blob([readFileSync(new URL(name, folder))]));
    const stated = /(?:nulls|flat)\/\d+-(\d+)-/.exec(name);
    expect(rollouts).toHaveLength(stated ? Number(stated[1]) : rollouts.length);
    expect(rollouts.length).toBeGreaterThan(0);
  });

  it('one with an offset that is no integer is refused', async () => {
    const bytes = readFileSync(new URL('23-hostile/offset-not-integer.parquet', CASES));
    const refused = readAll(new Blob([bytes]), 'offset-not-integer.parquet');
    await expect(refused).rejects.toThrow(ImportError);
    await expect(refused).rejects.toThrow('the offset of column completion is no whole number');
  });
});
