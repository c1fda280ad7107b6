import { describe, expect, it } from 'vitest';
import type { FileRow } from '../../../../src/lab/models/checkpoints/database.ts';
import { fetchFile } from '../../../../src/lab/models/checkpoints/fetch-file.ts';
import { Sha256 } from '../../../../src/lab/models/checkpoints/plan/sha256.ts';
import type { FileWriter } from '../../../../src/lab/storage/range-files.ts';

/** A server's file of which a connection brings `until` bytes; what was written stays. */
class Place {
  bytes = new Uint8Array(0);
  committed: FileRow[] = [];
  asked: number[] = [];

  readonly writer: FileWriter = {
    size: () => this.bytes.length,
    truncate: (size) => (this.bytes = this.bytes.slice(0, size)),
    write: (at, piece) => {
      const longer = new Uint8Array(Math.max(this.bytes.length, at + piece.length));
      longer.set(this.bytes);
      longer.set(piece, at);
      this.bytes = longer;
    },
    close: () => undefined,
  };

  fetch(row: FileRow, file: Uint8Array, until = file.length, total: number | null = file.length) {
    return fetchFile(
      {
        transport: {
          tag: () => Promise.resolve('v1'),
          open: (_, from) => {
            this.asked.push(from);
            const body = new Blob([file.slice(from, until)]).stream();
            return Promise.resolve({ from, total, tag: 'v1', body });
          },
        },
        writer: this.writer,
        commit: (now) => {
          this.committed.push(now);
          return Promise.resolve();
        },
        onBytes: () => undefined,
        signal: new AbortController().signal,
        chunkBytes: 4,
        stallMs: 10_000,
      },
      row,
    );
  }

  get last(): FileRow {
    const row = this.committed.at(-1);
    if (!row) throw new Error('nothing was committed');
    return row;
  }
}

const planned = (change: Partial<FileRow>): FileRow => ({
  checkpointId: 'c',
  name: 'tokenizer.json',
  order: 0,
  bytes: null,
  exact: false,
  sha256: null,
  url: 'https://hub.example/tokenizer.json',
  done: 0,
  tag: null,
  hash: null,
  digest: null,
  ...change,
});
const file = Uint8Array.from({ length: 10 }, (_, i) => i);
const digest = (bytes: Uint8Array): string => {
  const hash = new Sha256();
  hash.update(bytes);
  return hash.digest();
};

describe('a file that is fetched', () => {
  it('is whole, with its size and the digest of its bytes', async () => {
    const place = new Place();
    const row = await place.fetch(planned({}), file);
    expect(place.bytes).toEqual(file);
    expect(row).toMatchObject({ done: 10, bytes: 10, tag: 'v1', digest: digest(file) });
  });

  it('continues after the stored bytes, and its digest covers all of them', async () => {
    const place = new Place();
    await expect(place.fetch(planned({}), file, 6)).rejects.toThrow('The connection broke');
    expect(place.last.done).toBe(6);
    const row = await place.fetch(place.last, file);
    expect(place.asked).toEqual([0, 6]);
    expect(place.bytes).toEqual(file);
    expect(row.digest).toBe(digest(file));
  });

  it('starts again where the disk holds less than the record says', async () => {
    const place = new Place();
    await expect(place.fetch(planned({}), file, 8)).rejects.toThrow('The connection broke');
    place.bytes = place.bytes.slice(0, 3);
    await place.fetch(place.last, file);
    expect(place.asked).toEqual([0, 0]);
    expect(place.bytes).toEqual(file);
  });

  it('is not asked for again once it is whole', async () => {
    const place = new Place();
    const row = await place.fetch(planned({ bytes: 10, exact: true }), file);
    const again = await place.fetch(row, file);
    expect(place.asked).toEqual([0]);
    expect(again.digest).toBe(digest(file));
  });

  it('that has grown since it was planned is not taken for whole at its old size', async () => {
    const place = new Place();
    const plan = planned({ bytes: 6, exact: true });
    await expect(place.fetch(plan, file, 6)).rejects.toThrow('The connection broke');
    const row = await place.fetch(place.last, file);
    expect(row.done).toBe(10);
    expect(place.bytes).toEqual(file);
  });

  it('keeps its estimated size while the source does not tell another', async () => {
    const place = new Place();
    await place.fetch(planned({ bytes: 7, exact: true }), file.slice(0, 7), 7, null);
    expect(place.committed.map(({ bytes }) => bytes)).toEqual([7]);
  });

  it('of another size than its hash was made of is refused before a byte is kept', async () => {
    const place = new Place();
    const plan = planned({ bytes: 9, exact: true, sha256: digest(file) });
    await expect(place.fetch(plan, file)).rejects.toThrow(
      'tokenizer.json has 10 bytes; the hub says 9.',
    );
    expect(place.bytes).toHaveLength(0);
  });

  it('that is longer than announced is refused', async () => {
    const place = new Place();
    await expect(place.fetch(planned({}), file, 10, 5)).rejects.toThrow(
      'tokenizer.json is longer than its 5 bytes.',
    );
  });
});
