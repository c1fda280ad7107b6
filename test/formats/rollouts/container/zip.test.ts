import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/base/bytes.ts';
import {
  unzipParts,
  type ZipEntry,
  zipEntriesOf,
} from '../../../../src/formats/rollouts/container/zip.ts';

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
    // Sizes and offset in 64 bits, after the other fields (APPNOTE 4.5.3).
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

const fileOf = (bytes: Uint8Array): Blob => new Blob([Uint8Array.from(bytes)]);
const zipEntries = (bytes: Uint8Array): Promise<ZipEntry[]> => zipEntriesOf(fileOf(bytes));

async function unzipEntry(
  bytes: Uint8Array,
  entry: ZipEntry,
  spend: (bytes: number) => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of unzipParts(fileOf(bytes), entry, spend)) parts.push(part);
  return joined(parts);
}

async function read(bytes: Uint8Array): Promise<[string, string][]> {
  const made: [string, string][] = [];
  for (const entry of await zipEntries(bytes))
    made.push([entry.name, text(await unzipEntry(bytes, entry, () => undefined))]);
  return made;
}

describe('the entries of an archive', () => {
  it('are read where another program packed them', async () => {
    const long = 'line\n'.repeat(20_000);
    const packed = zipSync({ 'a.json': utf8('{}'), 'b/é.txt': utf8(long) });
    expect(await read(packed)).toEqual([
      ['a.json', '{}'],
      ['b/é.txt', long],
    ]);
  });

  it('are found behind comments and fields of other programs', async () => {
    const archive = stored(
      [
        { name: 'a', data: 'one', extra: [0x55, 0x54, 1, 0, 9], comment: 'noted' },
        { name: 'b', data: 'two' },
        { name: 'c', data: '', comment: 'empty' },
      ],
      'PK of the whole',
    );
    expect(await read(archive)).toEqual([
      ['a', 'one'],
      ['b', 'two'],
      ['c', ''],
    ]);
  });

  it('may state their lengths and places in 64 bits, behind other fields', async () => {
    const archive = stored([
      { name: 'a', data: 'one', wide: true, extra: [0x55, 0x54, 1, 0, 9] },
      { name: 'b', data: 'three', wide: true },
    ]);
    expect(await read(archive)).toEqual([
      ['a', 'one'],
      ['b', 'three'],
    ]);
    expect((await zipEntries(archive))[1]).toMatchObject({ size: 5, originalSize: 5 });
  });

  it('are empty for a file that is not an archive, or a truncated one', async () => {
    await expect(zipEntries(utf8('PK'))).rejects.toThrow('its directory is missing');
    const archive = stored([
      { name: 'a', data: 'one' },
      { name: 'b', data: 'two' },
    ]);
    const broken = archive.slice();
    // The second entry of the directory.
    broken[archive.length - 22 - 47]! ^= 0xff;
    await expect(zipEntries(broken)).rejects.toThrow(
      'its directory breaks off after 1 of 2 entries',
    );
  });

  it('that are not where or as long as stated are refused', async () => {
    const archive = stored([{ name: 'a', data: 'one' }]);
    const [entry] = await zipEntries(archive);
    if (!entry) throw new Error('no entry');
    const spent: number[] = [];
    await unzipEntry(archive, entry, (bytes) => spent.push(bytes));
    expect(spent).toEqual([3]);
    const unzip = (change: Partial<typeof entry>) => () =>
      unzipEntry(archive, { ...entry, ...change }, () => undefined);
    await expect(unzip({ offset: 1 })()).rejects.toThrow(
      'no entry begins where the directory says',
    );
    await expect(unzip({ offset: archive.length })()).rejects.toThrow('no entry begins');
    await expect(unzip({ size: 1000 })()).rejects.toThrow('the entry goes beyond the archive');
    await expect(unzip({ originalSize: 4 })()).rejects.toThrow(
      'the entry is not as long as stated',
    );
  });

  it('are found after a comment of up to 65,535 bytes', async () => {
    const archive = stored([{ name: 'a', data: 'one' }]);
    const behind = (bytes: number): Uint8Array =>
      Uint8Array.from([...archive, ...new Uint8Array(bytes).fill(0x20)]);
    expect(await read(behind(65_535))).toEqual([['a', 'one']]);
    await expect(zipEntries(behind(65_536))).rejects.toThrow('its directory is missing');
    expect(await zipEntries(stored([]))).toEqual([]);
    await expect(zipEntries(stored([]).subarray(1))).rejects.toThrow('its directory is missing');
  });

  it('have names in UTF-8 where they say so, else one byte a character', async () => {
    const archive = stored([{ name: 'é', data: '' }]);
    const at = archive.length - 22 - 48;
    expect((await zipEntries(archive))[0]?.name).toBe('é');
    // The flag of the entry in the directory.
    archive[at + 9] = 0;
    expect((await zipEntries(archive))[0]?.name).toBe('Ã©');
  });

  it('lie in the archive as a whole, and so does its directory', async () => {
    const archive = stored([
      { name: 'a', data: 'one' },
      { name: 'bc', data: 'two' },
    ]);
    const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer);
    const end = archive.length - 22;
    const longer = archive.slice();
    // The second entry's comment, which is stated to reach over the end of the directory by one byte.
    view(longer).setUint16(end - 48 + 32, 1, true);
    await expect(zipEntries(longer)).rejects.toThrow('its directory breaks off in entry 2');
    const more = archive.slice();
    view(more).setUint16(end + 10, 3, true);
    await expect(zipEntries(more)).rejects.toThrow('its directory breaks off after 2 of 3 entries');
    const [, entry] = await zipEntries(archive);
    if (!entry) throw new Error('no entry');
    // Its bytes up to the archive's end, and one more.
    const start = entry.offset + 30 + 2 + 3;
    const unzip = (size: number) => () =>
      unzipEntry(archive, { ...entry, size, originalSize: size }, () => undefined);
    expect(await unzip(archive.length - start)()).toHaveLength(archive.length - start);
    await expect(unzip(archive.length - start + 1)()).rejects.toThrow(
      'the entry goes beyond the archive',
    );
    const last = { ...entry, offset: archive.length - 29, size: 0, originalSize: 0 };
    await expect(unzipEntry(archive, last, () => undefined)).rejects.toThrow('no entry begins');
  });

  it('that are damaged, longer or shorter than stated are refused, and soon', async () => {
    const long = Array.from({ length: 40_000 }, (_, i) => (i * i * 7919) % 10_007).join();
    const packed = zipSync({ a: utf8(long) });
    const [entry] = await zipEntries(packed);
    if (!entry) throw new Error('no entry');
    const spent = async (change: Partial<typeof entry>): Promise<number> => {
      let sum = 0;
      const spend = (bytes: number): void => void (sum += bytes);
      const unzipped = unzipEntry(packed, { ...entry, ...change }, spend);
      await expect(unzipped).rejects.toThrow('the entry is not as long as stated');
      return sum;
    };
    let sum = 0;
    expect(text(await unzipEntry(packed, entry, (bytes) => void (sum += bytes)))).toBe(long);
    expect(sum).toBe(entry.size + long.length);
    expect(await spent({ originalSize: long.length + 1 })).toBe(entry.size + long.length);
    // One piece of 16 KiB and what it makes are enough to know.
    expect(entry.size).toBeGreaterThan(16_384);
    expect(await spent({ originalSize: 5 })).toBeLessThan(entry.size + long.length);
    const first: number[] = [];
    await unzipEntry(packed, entry, (bytes) => first.push(bytes));
    expect(first[0]).toBe(16_384);
  });

  it('keep what 32 bits hold where no field holds more', async () => {
    const archive = stored([{ name: 'a', data: 'one' }]);
    const at = archive.length - 22 - 47;
    const view = new DataView(archive.buffer);
    view.setUint32(at + 20, 0xffff_ffff, true);
    expect((await zipEntries(archive))[0]).toMatchObject({
      size: 0xffff_ffff,
      originalSize: 3,
      offset: 0,
    });
    // One length of three is in the field of 64 bits: that of the entry as it is packed.
    const wide = stored([{ name: 'a', data: 'one', extra: [1, 0, 8, 0, 9, 0, 0, 0, 1, 0, 0, 0] }]);
    new DataView(wide.buffer).setUint32(wide.length - 22 - 59 + 20, 0xffff_ffff, true);
    expect((await zipEntries(wide))[0]).toMatchObject({
      size: 2 ** 32 + 9,
      originalSize: 3,
      offset: 0,
    });
  });

  it('end as soon as the caller has had enough', async () => {
    const packed = zipSync({ a: utf8('x'.repeat(100_000)) });
    const [entry] = await zipEntries(packed);
    if (!entry) throw new Error('no entry');
    const unzipped = unzipEntry(packed, entry, () => {
      throw new Error('too much');
    });
    await expect(unzipped).rejects.toThrow('too much');
  });
});
