import { gunzipSync } from 'fflate';
import type { Compressors } from 'hyparquet';
import { decompressBrotli, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
import { BrotliOutput } from 'hyparquet-compressors/src/brotli.streams.js';

/**
 * Codecs that few files have. Those of hyparquet-compressors trust their input; what could make them
 * take without end is kept from them here.
 */

/**
 * The Brotli reader makes its output longer where a stream says so, to gigabytes for a few bytes of it.
 * The page's header states the length, so an output keeps the one that it was made with.
 */
const outputs = new WeakMap<object, Uint8Array>();
Object.defineProperty(BrotliOutput.prototype, 'buffer', {
  get(this: object) {
    return outputs.get(this);
  },
  set(this: object, bytes: Uint8Array) {
    if (outputs.has(this)) throw new Error('a page is longer than its header states');
    outputs.set(this, bytes);
  },
});

/** Lengths of Hadoop's framing stand before each block. */
const FRAME_BYTES = 8;

/** Blocks of LZ4 in Hadoop's framing, [unpacked, packed length, bytes]…; null where it is something else. */
function hadoopBlocks(input: Uint8Array, length: number): [number, Uint8Array][] | null {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const blocks: [number, Uint8Array][] = [];
  let total = 0;
  for (let at = 0; at < input.length;) {
    if (input.length - at < FRAME_BYTES) return null;
    const [unpacked, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    at += FRAME_BYTES;
    total += unpacked;
    if (packed === 0 || packed > input.length - at || total > length) return null;
    blocks.push([unpacked, input.subarray(at, at + packed)]);
    at += packed;
  }
  return total === length ? blocks : null;
}

/** The codec LZ4 of old writers: blocks in Hadoop's framing, or one block without. */
function lz4(input: Uint8Array, length: number): Uint8Array {
  const blocks = hadoopBlocks(input, length);
  if (!blocks) return decompressLz4Raw(input, length);
  const output = new Uint8Array(length);
  let at = 0;
  for (const [unpacked, bytes] of blocks) {
    output.set(decompressLz4Raw(bytes, unpacked), at);
    at += unpacked;
  }
  return output;
}

/**
 * fzstd compares its output array with the number 1, which makes a text of all its bytes: three times as slow
 * as the decompression. An array with a value of its own is compared by that.
 * @throws Error where it is damaged, or longer
 */
export const unpackZstandard = (input: Uint8Array, length: number): Uint8Array =>
  decompressZstd(input, Object.assign(new Uint8Array(length), { valueOf: () => Number.NaN }));

export const UNPACKERS: Compressors = {
  ZSTD: unpackZstandard,
  GZIP: (input, length) => gunzipSync(input, { out: new Uint8Array(length) }),
  BROTLI: decompressBrotli,
  LZ4: lz4,
  LZ4_RAW: decompressLz4Raw,
};
