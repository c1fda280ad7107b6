import { snappyUncompress, type Compressors } from 'hyparquet';

/** The compressions of Parquet's pages (https://parquet.apache.org/docs/file-format/data-pages/compression/). */

const CODECS = new Set(['UNCOMPRESSED', 'SNAPPY', 'LZ4', 'LZ4_RAW', 'GZIP', 'ZSTD', 'BROTLI']);

/** @throws Error that names a codec that is not read */
export function checkCodec(codec: string | undefined): void {
  if (codec === undefined || !CODECS.has(codec))
    throw new Error(
      `pages compressed by ${codec ?? 'an unknown codec'} are not read; write the file with zstd, snappy or gzip`,
    );
}

/** Memory that a row group may take however small its file is, in bytes, and per byte of its columns. */
const FREE_BYTES = 512 * 2 ** 20;
const BYTES_PER_PACKED = 256;
/** Memory that hyparquet takes for a value: of a flat column, and per level of nesting above that. */
const VALUE_BYTES = 16;
const LEVEL_BYTES = 64;

/** Counts the memory that the pages of one row group take. */
export class ReadBudget {
  #left: number;

  /** @param packed bytes of the row group's columns */
  constructor(packed: number) {
    this.#left = FREE_BYTES + BYTES_PER_PACKED * packed;
  }

  /** @throws Error where it is more than files have */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw new Error('its pages state more than files of rollouts and questions unpack to');
  }

  /** @param depth levels of the schema above the values, 1 for a flat column */
  takeValues(count: number, depth: number): void {
    this.take(count * (VALUE_BYTES + LEVEL_BYTES * Math.max(0, depth - 1)));
  }
}

const SNAPPY: Compressors = {
  SNAPPY: (input, bytes) => {
    const output = new Uint8Array(bytes);
    snappyUncompress(input, output);
    return output;
  },
};

/** Pages of nulls only have no bytes, which the readers of some codecs take for damage. */
const orEmpty = (unpackers: Compressors): Compressors =>
  Object.fromEntries(
    Object.entries(unpackers).map(([codec, unpack]) => [
      codec,
      (input: Uint8Array, bytes: number) =>
        bytes === 0 ? new Uint8Array(0) : unpack(input, bytes),
    ]),
  );

/**
 * Decompressors of the codecs; the larger ones are loaded where a file needs them. Each returns an array of
 * the length that was asked for, or throws.
 */
export async function compressorsOf(codecs: ReadonlySet<string>): Promise<Compressors> {
  const known = [...codecs].every((codec) => codec === 'UNCOMPRESSED' || codec === 'SNAPPY');
  return orEmpty(known ? SNAPPY : { ...SNAPPY, ...(await import('./unpackers.ts')).UNPACKERS });
}
