import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idf, queryTerms, termWeight } from '../../../src/retrieval/web/client.ts';
import { ByteReader, ByteWriter } from '../../../src/retrieval/web/bytes.ts';
import { unwrapShard, wrapShard } from '../../../src/retrieval/web/container.ts';
import { termShard } from '../../../src/retrieval/web/format.ts';
import { decodeLengths, encodeLengths } from '../../../src/retrieval/web/passages.ts';
import { decodePostings, encodePostings } from '../../../src/retrieval/web/postings.ts';
import { ShardStore } from '../../../src/retrieval/web/shard-store.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('numbers of few bytes (LEB128)', () => {
  it.each([
    [0, [0]],
    [127, [127]],
    [128, [0x80, 1]],
    [300, [0xac, 2]],
    [16_384, [0x80, 0x80, 1]],
    // The example of the DWARF standard.
    [624_485, [0xe5, 0x8e, 0x26]],
  ])('%i', (value, written) => {
    expect([...new ByteWriter().varint(value).finish()]).toEqual(written);
    expect(new ByteReader(Uint8Array.from(written)).varint()).toBe(value);
  });

  it('are read as they were written, up to 2⁵³ and with texts between them', () => {
    const parts = fc.array(fc.tuple(fc.nat(Number.MAX_SAFE_INTEGER), fc.string()), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(parts, (list) => {
        const writer = new ByteWriter();
        for (const [value, text] of list) writer.varint(value).text(text);
        const reader = new ByteReader(writer.finish());
        const read = list.map(() => [reader.varint(), reader.text()]);
        expect(read).toEqual(
          list.map(([value, text]) => [value, new TextDecoder().decode(bytes(text))]),
        );
        expect(reader.done).toBe(true);
      }),
    );
  });

  it('grow beyond the first kilobyte', () => {
    const long = 'x'.repeat(3000);
    const written = new ByteWriter().text(long).text('y').finish();
    expect(written).toHaveLength(3000 + 2 + 2);
    const reader = new ByteReader(written);
    expect([reader.text(), reader.done, reader.text()]).toEqual([long, false, 'y']);
  });

  it('end where the bytes end', () => {
    expect(() => new ByteReader(Uint8Array.of(0x80)).varint()).toThrow('unexpected end');
    expect(() => new ByteReader(Uint8Array.of(3, 97, 98)).text()).toThrow('unexpected end');
    expect(new ByteReader(Uint8Array.of(2, 97, 98)).text()).toBe('ab');
  });
});

describe('a shard file', () => {
  it('begins with its kind and the CRC-32 of what it holds', () => {
    const file = wrapShard('FWTP', bytes('123456789'));
    expect(new TextDecoder().decode(file.subarray(0, 4))).toBe('FWTP');
    // The check value of CRC-32 (IEEE 802.3), little endian.
    expect([...file.subarray(4, 8)]).toEqual([0x26, 0x39, 0xf4, 0xcb]);
    expect(unwrapShard('FWTP', file, 'a')).toEqual(bytes('123456789'));
  });

  it('is told from another kind, a cut one and a damaged one', () => {
    const file = wrapShard('FWPS', bytes('abc'));
    expect(() => unwrapShard('FWTP', file, 'a.bin')).toThrow('a.bin: not a term shard');
    expect(() => unwrapShard('FWPS', file.slice(0, 7), 'a.bin')).toThrow('cut short, 7 bytes');
    expect(() => unwrapShard('FWPS', file.slice(0, 10), 'a.bin')).toThrow('checksum');
    file[9]! ^= 1;
    expect(() => unwrapShard('FWPS', file, 'a.bin')).toThrow('damaged, its checksum');
  });

  it('may hold nothing, and may lie inside other bytes', () => {
    const file = wrapShard('FWDL', new Uint8Array(0));
    const around = new Uint8Array(file.length + 6);
    around.set(file, 3);
    expect(unwrapShard('FWDL', around.subarray(3, 3 + file.length), 'a')).toHaveLength(0);
  });
});

describe('postings', () => {
  const some = new Map([
    ['film', { documents: [0, 3, 300], frequencies: [1, 2, 130] }],
    ['étoile', { documents: [7], frequencies: [1] }],
    ['none', { documents: [], frequencies: [] }],
  ]);

  it('are read as they were written', () => {
    expect(decodePostings(encodePostings(some), 'a', 301)).toEqual(some);
  });

  it.each([
    ['a document that does not exist', 300, 'document 300 does not exist'],
    ['more postings than documents', 2, 'more postings than documents'],
  ])('with %s are refused', (_, documents, why) => {
    expect(() => decodePostings(encodePostings(some), 'a.bin', documents)).toThrow(
      `a.bin: malformed term shard: ${why}`,
    );
  });

  it('with bytes behind the last term, or too few, are refused', () => {
    const file = (payload: number[]) => wrapShard('FWTP', Uint8Array.from(payload));
    expect(decodePostings(file([0]), 'a', 1)).toEqual(new Map());
    expect(() => decodePostings(file([0, 0]), 'a', 1)).toThrow('bytes after the last term');
    expect(() => decodePostings(file([1, 1]), 'a', 1)).toThrow('unexpected end');
  });
});

describe('lengths of documents', () => {
  it('are 16 bits each; a longer one counts as the longest that fits', () => {
    const file = encodeLengths([0, 1, 258, 65_535, 70_000]);
    expect([...decodeLengths(file, 'a', 5)]).toEqual([0, 1, 258, 65_535, 65_535]);
    // Little endian.
    expect([...unwrapShard('FWDL', file, 'a').subarray(4, 6)]).toEqual([2, 1]);
    expect(() => decodeLengths(file, 'a', 4)).toThrow('a: 10 bytes for 4 documents');
  });
});

describe('BM25', () => {
  it('by hand: of 10 documents 2 hold the term, ln(1 + 8.5 / 2.5)', () => {
    expect(idf(10, 2)).toBeCloseTo(Math.log(4.4), 12);
    // Never negative, though all hold it.
    expect(idf(10, 10)).toBeCloseTo(Math.log(1 + 0.5 / 10.5), 12);
  });

  it('by hand: 3 times in 20 terms, on average 10: 3 · 2.2 / (3 + 1.2 · (0.25 + 1.5))', () => {
    expect(termWeight(3, 20, 10, { k1: 1.2, b: 0.75 })).toBeCloseTo(6.6 / 5.1, 12);
    expect(termWeight(1, 10, 10, { k1: 1.2, b: 0.75 })).toBeCloseTo(1, 12);
  });

  it('counts the terms of a query, in one order', () => {
    expect(queryTerms(['b', 'a', 'b', 'c'])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
  });
});

describe('the shard of a term', () => {
  it('is the same on every machine, and all shards are used', () => {
    const shards = Array.from({ length: 200 }, (_, i) => termShard(`term${i}`, 8));
    expect(shards).toEqual(Array.from({ length: 200 }, (_, i) => termShard(`term${i}`, 8)));
    expect(new Set(shards)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
    expect(termShard('anything', 1)).toBe(0);
  });
});

describe('shards in memory', () => {
  const store = (capacity: number) => {
    const fetched: [string, boolean | undefined][] = [];
    const shards = new ShardStore(
      (name, options) => {
        fetched.push([name, options?.fresh]);
        return Promise.resolve(bytes(name));
      },
      (file) => new TextDecoder().decode(file),
      capacity,
    );
    return { shards, fetched };
  };
  const meter = () => ({ requests: 0, bytes: 0 });

  it('are fetched once for a call and kept for the next, and what is fetched is counted', async () => {
    const { shards, fetched } = store(4);
    const first = meter();
    expect(await shards.get(['a', 'bc', 'a'], {}, first)).toEqual(
      new Map([
        ['a', 'a'],
        ['bc', 'bc'],
      ]),
    );
    expect(first).toEqual({ requests: 2, bytes: 3 });
    const second = meter();
    await shards.get(['a', 'd'], {}, second);
    expect(second).toEqual({ requests: 1, bytes: 1 });
    expect(fetched).toEqual([
      ['a', false],
      ['bc', false],
      ['d', false],
    ]);
    shards.clear();
    await shards.get(['a'], {}, meter());
    expect(fetched).toHaveLength(4);
  });

  it('with the cache off are fetched past every cache, and not kept', async () => {
    const { shards, fetched } = store(4);
    await shards.get(['a'], { cache: 'off' }, meter());
    await shards.get(['a'], {}, meter());
    await shards.get(['a'], { cache: 'off' }, meter());
    expect(fetched.map(([, fresh]) => fresh)).toEqual([true, false, true]);
  });

  it('are not fetched for a call that was stopped', async () => {
    const { shards, fetched } = store(4);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(shards.get(['a'], { signal }, meter())).rejects.toThrow('stopped');
    expect(fetched).toEqual([]);
  });
});
