/** Lines of a stream of bytes, without ever holding the whole of it. */

/** A longer line is refused: V8 holds no string of more than about 512 MB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface Line {
  /** From 1, blank lines counted. */
  number: number;
  /** Null where the line cannot be text; `fault` says why. */
  text: string | null;
  fault?: string;
  /** Bytes of the stream up to and with this line's end. */
  bytes: number;
}

const NEWLINE = 10;

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Collects the pieces of one line. */
export class LineBuffer {
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  add(part: Uint8Array): void {
    this.#length += part.length;
    // A line that is too long is read on, so that the next one is found, but not kept.
    if (this.#length > MAX_LINE_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  get empty(): boolean {
    return this.#length === 0;
  }

  take(): Pick<Line, 'text' | 'fault'> {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > MAX_LINE_BYTES)
      return { text: null, fault: `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB` };
    if (length === 0) return { text: '' };
    try {
      return { text: this.#decoder.decode(join(parts, length)) };
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
