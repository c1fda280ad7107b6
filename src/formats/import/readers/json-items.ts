import { decodeUtf8, ItemBuffer, pieces } from '../values/bytes.ts';
import { parseJsonValue } from '../values/json-value.ts';
import { MAX_ITEM_BYTES, type Format, type RawItem, type ResumePosition } from '../values/types.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
type Byte = number | undefined;
const isOpen = (byte: Byte): boolean => byte === 0x5b || byte === 0x7b;
const isClose = (byte: Byte): boolean => byte === 0x5d || byte === 0x7d;
/** White space within a line. */
const isBlank = (byte: Byte): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/**
 * Items of one large JSON document, without all of it in memory: the elements of a top-level array,
 * or the members of a top-level object, each as `{key: value}`. An item ends at the comma or bracket
 * of its level, so a broken one is a problem of that item where its brackets and quotes still pair.
 */
export async function* jsonItems(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
): AsyncGenerator<RawItem, void> {
  const state = new Splitter(format, resume);
  for await (const piece of pieces(blob, resume?.offset ?? 0, signal)) {
    yield* state.push(piece.bytes, piece.start);
    if (state.closed) return;
  }
  yield* state.end(blob.size);
}

class Splitter {
  /** 0 before the document's bracket, 1 between items, more inside an item. */
  #depth: number;
  #inString = false;
  #escaped = false;
  #line: number;
  #item: number;
  /** Line at which the item starts; null while only space has been seen. */
  #startLine: number | null = null;
  closed = false;
  readonly #buffer = new ItemBuffer(MAX_ITEM_BYTES);
  readonly #format: Format;

  constructor(format: Format, resume?: ResumePosition) {
    this.#format = format;
    this.#depth = resume ? 1 : 0;
    this.#line = resume?.line ?? 1;
    this.#item = resume?.item ?? 0;
  }

  *push(bytes: Uint8Array, base: number): Generator<RawItem, void> {
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === NEWLINE) this.#line++;
      else if (this.#startLine === null && this.#depth > 0 && isContent(byte))
        this.#startLine = this.#line;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (isOpen(byte)) {
        if (++this.#depth === 1) from = i + 1;
      } else if (this.#depth > 0 && (isClose(byte) || (byte === COMMA && this.#depth === 1))) {
        if (byte !== COMMA && --this.#depth > 0) continue;
        this.#buffer.add(bytes.subarray(from, i));
        // The closing bracket is left to the caller, which continues from here and sees the end.
        yield* this.#emit(byte === COMMA ? base + i + 1 : base + i);
        from = i + 1;
        if (byte !== COMMA) {
          this.closed = true;
          return;
        }
      }
    }
    if (this.#depth > 0) this.#buffer.add(bytes.subarray(from));
  }

  /** The file ended before the document did. */
  *end(size: number): Generator<RawItem, void> {
    const expected =
      this.#depth === 0
        ? 'expected a JSON array or object'
        : 'expected the end of the JSON document, but the file ends within it';
    yield {
      item: this.#item,
      line: this.#startLine ?? this.#line,
      problem: { key: '', expected },
      bytes: size,
      next: null,
    };
  }

  *#emit(end: number): Generator<RawItem, void> {
    const tooLong = this.#buffer.overflowed;
    const bytes = this.#buffer.take();
    if (this.#startLine === null) return;
    const next = { format: this.#format, offset: end, line: this.#line, item: this.#item + 1 };
    const where = { item: this.#item++, line: this.#startLine, bytes: end, next };
    this.#startLine = null;
    const text = tooLong ? null : decodeUtf8(bytes);
    if (tooLong) {
      const expected = `expected an item of at most ${MAX_ITEM_BYTES} bytes`;
      yield { ...where, problem: { key: '', expected } };
    } else if (text === null) {
      yield { ...where, problem: { key: '', expected: 'expected UTF-8 text' } };
    } else {
      yield {
        ...where,
        ...parseJsonValue(this.#format.container === 'json-object' ? `{${text}}` : text),
      };
    }
  }
}

/** Whether a byte between items starts one: not space, not a comma too many, not the end. */
const isContent = (byte: Byte): boolean => !isBlank(byte) && byte !== COMMA && !isClose(byte);
