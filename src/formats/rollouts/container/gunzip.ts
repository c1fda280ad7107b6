import { Gunzip } from 'fflate';
import { joined } from '../../../base/bytes.ts';

/** gzip as a stream: also files of several members, which bgzip and `cat a.gz b.gz` write. */

/** What is unpacked at a time; deflate makes at most 1032 times as much of it. */
const PIECE = 16 * 1024;
/** A file may unpack to this, and to this many times its own bytes. */
export const FREE_BYTES = 64 * 2 ** 20;
export const MOST_RATIO = 200;

/** The bytes are no whole gzip file, or unpack to more than rollouts do. */
export class UnpackError extends Error {}

/** Unpacks its input and keeps none of it. */
class Unpacker {
  #out: Uint8Array[] = [];
  #packed = 0;
  #unpacked = 0;
  /** What the members before this one unpacked to. */
  #before = 0;
  /** The last bytes: a member ends with the length that it unpacks to, modulo 2^32. */
  #tail: Uint8Array = new Uint8Array();
  readonly #gunzip = new Gunzip((bytes) => {
    this.#out.push(bytes);
    this.#unpacked += bytes.length;
  });

  constructor() {
    this.#gunzip.onmember = () => {
      this.#before = this.#unpacked;
    };
  }

  /** Whether the last member is as long as it states: fflate takes some files that are cut off for whole. */
  #isWhole(): boolean {
    if (this.#tail.length < 4) return false;
    const stated = new DataView(this.#tail.buffer, this.#tail.byteOffset).getUint32(0, true);
    return stated === (this.#unpacked - this.#before) % 2 ** 32;
  }

  /** @throws UnpackError */
  push(bytes: Uint8Array, last: boolean): Uint8Array[] {
    this.#packed += bytes.length;
    this.#tail = bytes.length < 4 ? joined([this.#tail, bytes]).slice(-4) : bytes.slice(-4);
    const damaged = (): UnpackError =>
      new UnpackError(
        'is a gzip file that is damaged or cut off; copy it again, or see what “gzip -t” says',
      );
    try {
      this.#gunzip.push(bytes, last);
    } catch {
      throw damaged();
    }
    if (last && !this.#isWhole()) throw damaged();
    if (this.#unpacked > FREE_BYTES + MOST_RATIO * this.#packed)
      throw new UnpackError(
        `is a gzip file that unpacks to more than ${MOST_RATIO} times its size, which no file of text does`,
      );
    const out = this.#out.filter(({ length }) => length > 0);
    this.#out = [];
    return out;
  }
}

/** The unpacked bytes of a stream, which is cancelled with it. */
export function gunzip(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const unpacker = new Unpacker();
  let waiting: Uint8Array = new Uint8Array();
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const read = waiting.length > 0 ? null : await reader.read();
        const bytes = read?.value ?? waiting;
        waiting = bytes.subarray(PIECE);
        const out = unpacker.push(bytes.subarray(0, PIECE), read?.done ?? false);
        for (const part of out) controller.enqueue(part);
        if (read?.done) return controller.close();
        if (out.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
