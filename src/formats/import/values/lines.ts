import { decodeUtf8, ItemBuffer, pieces } from './bytes.ts';
import { MAX_ITEM_BYTES } from './types.ts';

export type Line = {
  /** 1-based. */
  line: number;
  /** Byte after the line and its end. */
  end: number;
} & (
  | {
      /** Without its end. */
      text: string;
    }
  | {
      /** Not UTF-8, or longer than an item may be: `problem` says which. */
      text: null;
      problem: string;
    }
);

const NEWLINE = 0x0a;

/** Lines of a file from byte `start`, ended by `\n` or `\r\n`, the last one with or without its end. */
export async function* lines(
  blob: Blob,
  {
    start = 0,
    firstLine = 1,
    signal,
  }: { start?: number; firstLine?: number; signal?: AbortSignal },
): AsyncGenerator<Line, void> {
  const buffer = new ItemBuffer(MAX_ITEM_BYTES);
  let line = firstLine;
  let pending = false;
  for await (const piece of pieces(blob, start, signal)) {
    let from = 0;
    for (;;) {
      const newline = piece.bytes.indexOf(NEWLINE, from);
      if (newline === -1) break;
      buffer.add(piece.bytes.subarray(from, newline));
      yield take(buffer, line, piece.start + newline + 1);
      line++;
      from = newline + 1;
    }
    pending = from < piece.bytes.length;
    if (pending) buffer.add(piece.bytes.subarray(from));
  }
  if (pending) yield take(buffer, line, blob.size);
}

function take(buffer: ItemBuffer, line: number, end: number): Line {
  const tooLong = buffer.overflowed;
  const text = decodeUtf8(buffer.take());
  if (tooLong) {
    const problem = `expected a line of at most ${MAX_ITEM_BYTES} bytes`;
    return { line, text: null, problem, end };
  }
  if (text === null) return { line, text, problem: 'expected UTF-8 text', end };
  return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text, end };
}
