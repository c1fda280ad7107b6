import { snappyUncompress, type Compressors } from 'hyparquet';

import { present } from '../../base/items.ts';

/** The compressions of Parquet's pages (https://parquet.apache.org/docs/file-format/data-pages/compression/). */

/** Bytes that a page may have beyond its share by `RATIOS`: writers close one at about a megabyte. */
const FREE_PAGE_BYTES = 2 * 2 ** 20;
const FREE_SNAPPY_BYTES = 1024;

/**
 * How many times its bytes a page can have been before. Snappy copies at most 64 bytes by three, LZ4 gives
 * 255 for one, deflate 1032; Zstandard and Brotli have no end, and get what deflate has.
 */
const RATIOS: ReadonlyMap<string, number> = new Map([
  ['UNCOMPRESSED', 1],
  ['SNAPPY', 32],
  ['LZ4', 256],
  ['LZ4_RAW', 256],
  ['GZIP', 1040],
  ['ZSTD', 1040],
  ['BROTLI', 1040],
]);

/** What the pages of a row group may take together, before and after this times their bytes. */
const FREE_GROUP_BYTES = 32 * 2 ** 20;
const GROUP_RATIO = 256;

/** @throws Error that names a codec that is not read */
export function checkCodec(codec: string): void {
  if (!RATIOS.has(codec))
    throw new Error(
      `pages compressed by ${codec} are not read; write the file with zstd, snappy or gzip`,
    );
}

/** Bytes that a page of so many packed ones can be believed to have. */
export const mostPageBytes = (codec: string, packed: number): number =>
  (codec === 'SNAPPY' ? FREE_SNAPPY_BYTES : FREE_PAGE_BYTES) +
  present(RATIOS.get(codec), `the ratio of ${codec}`) * packed;

/** Counts what the pages of one row group unpack to. */
export class UnpackBudget {
  #left: number;

  /** @param packed bytes of the row group's columns */
  constructor(packed: number) {
    this.#left = FREE_GROUP_BYTES + GROUP_RATIO * packed;
  }

  /** @throws Error where it is more than files have */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw new Error('its pages state more than files of rollouts and questions unpack to');
  }
}

const snappy: Compressors = {
  SNAPPY: (input, bytes) => {
    const output = new Uint8Array(bytes);
    snappyUncompress(input, output);
    return output;
  },
};

/**
 * The readers of some codecs; the larger ones are loaded where a file needs them. Each gives an array of
 * the length that was asked for, or throws.
 */
export async function compressorsOf(codecs: ReadonlySet<string>): Promise<Compressors> {
  const known = [...codecs].every((codec) => codec === 'UNCOMPRESSED' || codec === 'SNAPPY');
  return known ? snappy : { ...snappy, ...(await import('./unpackers.ts')).UNPACKERS };
}
