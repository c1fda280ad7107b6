import { joined } from '../../../base/bytes.ts';

/** Lines of a stream of bytes, without ever holding the whole of it. */

/** A longer line is refused: V8 holds no string of more than about 512 MB. */
const MAX_LINE_MB = 256;

/** What bytes say; no text where they are too many or no UTF-8: `fault` says which. */
export type TextOrFault = { text: string } | { text: null; fault: string };

export type Line = TextOrFault & {
  /** From 1, blank lines counted. */
  number: number;
  /** Bytes of the stream up to and with this line's end. */
  bytes: number;
};

const NEWLINE = 10;

/** Collects the pieces of one line. A mark of the byte order in front of it is left out. */
export class LineBuffer {
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  add(part: Uint8Array): void {
    this.#length += part.length;
    // A line that is too long is read on, so that the next one is found, but not kept.
    if (this.#length > MAX_LINE_MB * 2 ** 20) this.#parts = [];
    else this.#parts.push(part);
  }

  get empty(): boolean {
    return this.#length === 0;
  }

  take(): TextOrFault {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > MAX_LINE_MB * 2 ** 20)
      return { text: null, fault: `the line is longer than ${MAX_LINE_MB} MB` };
    try {
      return { text: this.#decoder.decode(joined(parts)) };
    } catch {
      return { text: null, fault: 'the line is not UTF-8 text' };
    }
  }
}

/** Reads a stream line by line; a line may span chunks, and the last one needs no newline. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const reader = stream.getReader();
  const line = new LineBuffer();
  let [number, before] = [0, 0];
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const chunk = read.value;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        line.add(chunk.subarray(from, end));
        from = end + 1;
        number += 1;
        yield { number, ...line.take(), bytes: before + from };
      }
      line.add(chunk.slice(from));
      before += chunk.length;
    }
    if (!line.empty) yield { number: number + 1, ...line.take(), bytes: before };
  } finally {
    // Also where the consumer stopped early: the file must not be held open.
    await reader.cancel().catch(() => undefined);
  }
}
