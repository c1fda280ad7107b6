import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { unzipEntry, zipEntries } from '../../../../src/formats/rollouts/container/zip.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const utf8 = (said: string): Uint8Array => new TextEncoder().encode(said);

/** A zip made by hand: each entry stored, with extra fields and comments of its own. */
function stored(
  entries: readonly {
    name: string;
    data: string;
    extra?: number[];
    comment?: string;
    wide?: boolean;
  }[],
  comment = '',
): Uint8Array {
  const parts: number[] = [];
  const directory: number[] = [];
  const le = (value: number, bytes: number): number[] =>
    Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
  for (const { name, data, extra = [], comment: note = '', wide = false } of entries) {
    const [named, held, noted] = [utf8(name), utf8(data), utf8(note)];
    const offset = parts.length;
    parts.push(...le(0x0403_4b50, 4), ...le(0, 22), ...le(named.length, 2), ...le(3, 2));
    parts.push(...named, 1, 2, 3, ...held);
    // Sizes and offset in 64 bits, behind the other fields (APPNOTE 4.5.3).
    const long = wide
      ? [...le(1, 2), ...le(24, 2), ...le(held.length, 8), ...le(held.length, 8), ...le(offset, 8)]
      : [];
    const size = wide ? 0xffff_ffff : held.length;
    directory.push(...le(0x0201_4b50, 4), ...le(0, 4), ...le(0x0800, 2), ...le(0, 2), ...le(0, 8));
    directory.push(...le(size, 4), ...le(size, 4), ...le(named.length, 2));
    directory.push(...le(extra.length + long.length, 2), ...le(noted.length, 2), ...le(0, 8));
    directory.push(...le(wide ? 0xffff_ffff : offset, 4), ...named, ...extra, ...long, ...noted);
  }
  const end = [
    ...le(0x0605_4b50, 4),
    ...le(0, 4),
    ...le(entries.length, 2),
    ...le(entries.length, 2),
  ];
  const noted = utf8(comment);
  end.push(...le(directory.length, 4), ...le(parts.length, 4), ...le(noted.length, 2), ...noted);
  return Uint8Array.from([...parts, ...directory, ...end]);
}

const read = (bytes: Uint8Array): [string, string][] =>
  zipEntries(bytes).map((entry) => [entry.name, text(unzipEntry(bytes, entry, () => undefined))]);

describe('the entries of an archive', () => {
  it('are read where another program packed them', () => {
    const long = 'line\n'.repeat(20_000);
    const packed = zipSync({ 'a.json': utf8('{}'), 'b/é.txt': utf8(long) });
    expect(read(packed)).toEqual([
      ['a.json', '{}'],
      ['b/é.txt', long],
    ]);
  });

  it('are found behind comments and fields of other programs', () => {
    const archive = stored(
      [
        { name: 'a', data: 'one', extra: [0x55, 0x54, 1, 0, 9], comment: 'noted' },
        { name: 'b', data: 'two' },
        { name: 'c', data: '', comment: 'empty' },
      ],
      'PK of the whole',
    );
    expect(read(archive)).toEqual([
      ['a', 'one'],
      ['b', 'two'],
      ['c', ''],
    ]);
  });

  it('may state their lengths and places in 64 bits, behind other fields', () => {
    const archive = stored([
      { name: 'a', data: 'one', wide: true, extra: [0x55, 0x54, 1, 0, 9] },
      { name: 'b', data: 'three', wide: true },
    ]);
    expect(read(archive)).toEqual([
      ['a', 'one'],
      ['b', 'three'],
    ]);
    expect(zipEntries(archive)[1]).toMatchObject({ size: 5, originalSize: 5 });
  });

  it('are none in what is no archive, or a cut one', () => {
    expect(() => zipEntries(utf8('PK'))).toThrow('its directory is missing');
    const archive = stored([
      { name: 'a', data: 'one' },
      { name: 'b', data: 'two' },
    ]);
    const broken = archive.slice();
    // The second entry of the directory.
    broken[archive.length - 22 - 47]! ^= 0xff;
    expect(() => zipEntries(broken)).toThrow('its directory breaks off after 1 of 2 entries');
  });

  it('that are not where or as long as stated are refused', () => {
    const archive = stored([{ name: 'a', data: 'one' }]);
    const [entry] = zipEntries(archive);
    if (!entry) throw new Error('no entry');
    const spent: number[] = [];
    unzipEntry(archive, entry, (bytes) => spent.push(bytes));
    expect(spent).toEqual([3]);
    const unzip = (change: Partial<typeof entry>) => () =>
      unzipEntry(archive, { ...entry, ...change }, () => undefined);
    expect(unzip({ offset: 1 })).toThrow('no entry begins where the directory says');
    expect(unzip({ offset: archive.length })).toThrow('no entry begins');
    expect(unzip({ size: 1000 })).toThrow('the entry goes beyond the archive');
    expect(unzip({ originalSize: 4 })).toThrow('the entry is not as long as stated');
  });

  it('end as soon as the caller has had enough', () => {
    const packed = zipSync({ a: utf8('x'.repeat(100_000)) });
    const [entry] = zipEntries(packed);
    if (!entry) throw new Error('no entry');
    expect(() =>
      unzipEntry(packed, entry, () => {
        throw new Error('too much');
      }),
    ).toThrow('too much');
  });
});
