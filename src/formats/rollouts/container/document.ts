import { LineBuffer, type TextOrFault } from '../shape/lines.ts';

/**
 * JSON documents without ever holding the whole of one: the elements of a list, or objects one after the
 * other, however they are laid out.
 */

/** An element, or why it cannot be text. */
export type DocumentItem = TextOrFault & {
  /** Line of the file at which it starts, from 1. */
  line: number;
  /** Bytes of the stream up to and with its end. */
  bytes: number;
};

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a];
type Byte = number | undefined;
const isOpen = (byte: Byte): boolean => byte === 0x5b || byte === 0x7b;
const isClose = (byte: Byte): boolean => byte === 0x5d || byte === 0x7d;
const LIST = 0x5b;
/** Space, and the marks of the byte order that some writers begin with. */
const SPACES = new Set<Byte>([0x20, 9, 10, 11, 12, 13, 0xef, 0xbb, 0xbf]);

/** Finds where elements begin and end, by brackets and quotes alone. */
class Splitter {
  /** Brackets that are open, that of the list too. */
  #depth = 0;
  /** 1 within a list, else 0: where elements lie. */
  #level = 0;
  #quoted = false;
  #escaped = false;
  #line = 1;
  #startLine = 0;
  #stray = false;
  readonly #buffer = new LineBuffer();

  *push(bytes: Uint8Array, before: number): Generator<DocumentItem> {
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === NEWLINE) this.#line += 1;
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#quoted = false;
        continue;
      }
      if (this.#startLine === 0) {
        if (SPACES.has(byte) || (byte === COMMA && this.#level === 1)) continue;
        if (this.#begin(byte)) from = i;
        else continue;
      }
      if (byte === QUOTE) this.#quoted = true;
      else if (isOpen(byte)) this.#depth += 1;
      else if (isClose(byte) || (byte === COMMA && this.#depth === this.#level)) {
        // A number or a word ends before what follows it, a list or an object with its bracket.
        const plain = this.#depth === this.#level;
        if (!plain) this.#depth -= 1;
        if (this.#depth > this.#level) continue;
        this.#buffer.add(bytes.subarray(from, plain ? i : i + 1));
        yield this.#take(before + i + 1);
        if (plain && isClose(byte)) this.#close();
      }
    }
    if (this.#startLine > 0) this.#buffer.add(bytes.slice(from));
  }

  /** Between elements. @returns whether one starts here */
  #begin(byte: Byte): boolean {
    if (isClose(byte)) this.#close();
    else if (this.#level === 0 && byte === LIST) this.#level = this.#depth = 1;
    else if (this.#level === 0 && !isOpen(byte)) this.#stray = true;
    else {
      this.#startLine = this.#line;
      return true;
    }
    return false;
  }

  #close(): void {
    this.#level = this.#depth = 0;
  }

  #take(bytes: number): DocumentItem {
    const line = this.#startLine;
    this.#startLine = 0;
    return { line, bytes, ...this.#buffer.take() };
  }

  /** What is wrong with the document as a whole. */
  *end(bytes: number): Generator<DocumentItem> {
    const fault = this.#fault();
    if (fault === null) return;
    const line = this.#startLine || this.#line;
    yield { line, text: null, fault, bytes };
  }

  #fault(): string | null {
    if (this.#startLine > 0 || this.#level === 1)
      return 'the JSON ends in the middle: the file is cut off, or a bracket or a quote is missing';
    return this.#stray ? 'there is text besides the JSON' : null;
  }
}

/** Elements in order; breaking off closes the stream. */
export async function* readDocument(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<DocumentItem> {
  const reader = stream.getReader();
  const splitter = new Splitter();
  let before = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield* splitter.push(read.value, before);
      before += read.value.length;
    }
    yield* splitter.end(before);
  } finally {
    // Also where the consumer stopped early: the file must not be held open.
    await reader.cancel().catch(() => undefined);
  }
}
