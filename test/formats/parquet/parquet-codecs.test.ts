import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compressorsOf, ReadBudget } from '../../../src/formats/parquet/codecs.ts';
import { UNPACKERS } from '../../../src/formats/parquet/unpackers.ts';
import { importAll } from '../../../src/formats/import/collect.ts';
import { readAll, rolloutsOf } from '../rollouts/helpers.ts';

const fixture = (name: string): Blob =>
  new Blob([readFileSync(new URL(`../../fixtures/parquet/${name}`, import.meta.url))]);

const VERSIONS = ['v1', 'v2'];

describe.each(['zstd', 'gzip', 'brotli', 'lz4', 'snappy', 'none'])('pages of %s', (codec) => {
  it.each(VERSIONS)('give every rollout, in data pages of %s', async (version) => {
    const rollouts = await rolloutsOf(fixture(`trl-${codec}-${version}.parquet`));
    expect(rollouts.map(({ step }) => step)).toEqual(
      Array.from({ length: 30 }, (_, i) => 1 + Math.floor(i / 10)),
    );
    expect(rollouts.map(({ answer }) => answer).slice(0, 4)).toEqual([
      'Fog',
      'Ada Berg',
      'Fog',
      'Ida Holm',
    ]);
    expect(rollouts[29]).toMatchObject({
      question: { text: 'Where does the Ulv rise?', answers: ['Lake Sorn'] },
      reward: 1,
      advantage: 0.5,
    });
    expect(rollouts[0]!.advantage).toBeNull();
  });
});

it('questions come in the same codecs', async () => {
  const { questions, rejected } = await importAll(fixture('questions-zstd.parquet'));
  expect(rejected).toEqual([]);
  expect(questions.map(({ text, answers }) => [text, ...answers])[1]).toEqual([
    'Who directed Night Ferry?',
    'Ada Berg',
    'ADA BERG',
  ]);
});

describe('a page that unpacks to more than its header states', () => {
  const long = new Uint8Array(4_000_000);

  it('is refused before the memory is taken', () => {
    const before = process.memoryUsage().arrayBuffers;
    for (const [codec, packed] of [
      ['BROTLI', brotliCompressSync(long)],
      ['GZIP', gzipSync(long)],
    ] as const) {
      const unpacked = (): Uint8Array | undefined => UNPACKERS[codec]?.(packed, 1000);
      let length = 1000;
      try {
        length = unpacked()?.length ?? 0;
      } catch (error) {
        expect((error as Error).message).not.toBe('');
      }
      expect(length).toBe(1000);
    }
    // A window of Brotli is 16 MB at most.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 2 ** 20);
  });

  it('counts with the others of its row group', () => {
    const budget = new ReadBudget(1000);
    budget.take(512 * 2 ** 20);
    budget.take(256_000);
    expect(() => budget.take(1)).toThrow(/unpack to/);
  });
});

describe('LZ4 of old writers', () => {
  // Eight literals, in one sequence.
  const block = Uint8Array.of(0x80, ...Buffer.from('forage 1'));
  const framed = (unpacked: number, packed: number, bytes = block): Uint8Array => {
    const out = new Uint8Array(8 + bytes.length);
    const view = new DataView(out.buffer);
    view.setUint32(0, unpacked);
    view.setUint32(4, packed);
    out.set(bytes, 8);
    return out;
  };
  const text = (bytes: Uint8Array, length: number): string =>
    Buffer.from(UNPACKERS.LZ4!(bytes, length)).toString();

  it('is read with and without the framing of Hadoop', () => {
    expect(text(block, 8)).toBe('forage 1');
    expect(text(framed(8, 9), 8)).toBe('forage 1');
    const two = new Uint8Array([...framed(8, 9), ...framed(8, 9)]);
    expect(text(two, 16)).toBe('forage 1forage 1');
  });

  it('is read as one block where its frames do not fit together', () => {
    const raw = (bytes: Uint8Array, length: number) => () => text(bytes, length);
    // Lengths that are too long, too short, or of nothing: then the frame's bytes are the block's own.
    for (const [frame, length] of [
      [framed(8, 10), 8],
      [framed(9, 9), 8],
      [framed(7, 9), 8],
      [framed(8, 0), 8],
      [new Uint8Array([...framed(8, 9), 0, 0, 0, 8, 0, 0, 0]), 8],
    ] as const)
      expect(raw(frame, length)).toThrow();
  });

  it('ends where a frame of −8 bytes leads back to itself', () => {
    const endless = framed(0, 2 ** 32 - 8, new Uint8Array(0));
    expect(() => UNPACKERS.LZ4!(endless, 8)).toThrow(/offset/);
  });
});

it('a codec that nobody reads is named, with what to do', async () => {
  const bytes = new Uint8Array(await fixture('trl-zstd-v1.parquet').arrayBuffer());
  // The codec's number in Thrift: field 4 of the column, a zigzag integer after type, encodings and path.
  const zstd = Buffer.from(bytes).lastIndexOf(Buffer.from([0x15, 0x0c]));
  bytes[zstd + 1] = 0x06;
  await expect(readAll(new Blob([bytes]), 'a.parquet')).rejects.toThrow(
    /a\.parquet is a parquet file that cannot be read: .*LZO are not read; write the file with zstd/,
  );
});

describe('codecs', () => {
  it('read pages without bytes, as columns of nulls have them', async () => {
    const all = await compressorsOf(new Set(['ZSTD']));
    for (const unpack of Object.values(all))
      for (const page of [new Uint8Array(0), Uint8Array.of(0)])
        expect(unpack(page, 0)).toEqual(new Uint8Array(0));
  });

  it('that few files have are loaded where a file names one', async () => {
    const names = async (...codecs: string[]): Promise<string[]> =>
      Object.keys(await compressorsOf(new Set(codecs)));
    expect(await names('SNAPPY', 'UNCOMPRESSED')).toEqual(['SNAPPY']);
    expect(await names()).toEqual(['SNAPPY']);
    expect(await names('SNAPPY', 'ZSTD')).toEqual([
      'SNAPPY',
      'ZSTD',
      'GZIP',
      'BROTLI',
      'LZ4',
      'LZ4_RAW',
    ]);
  });
});
