import { gunzip, UnpackError } from './gunzip.ts';
import { HEAD_BYTES, sniff, type Container } from './sniff.ts';

/** Takes gzip and UTF-16 away, so that what lies in them is read as if it lay in the file itself. */

/** Parquet and zip are read from their ends: out of a stream they are collected first, up to this. */
const MOST_COLLECTED = 2 ** 30;

export type Source = Blob | ReadableStream<Uint8Array>;

export interface Unwrapped {
  container: Container;
  /** To be taken once. */
  stream: () => ReadableStream<Uint8Array>;
  /** As a whole. @throws UnpackError where it is too large for that */
  blob: () => Promise<Blob>;
  /** Bytes of the file read so far; null where they are those of the stream. */
  read: (() => number) | null;
}

interface StreamHead {
  head: Uint8Array;
  stream: () => ReadableStream<Uint8Array>;
  whole: Blob | null;
}

/** Reads what is looked at, and puts it back in front. */
async function peekStream(stream: ReadableStream<Uint8Array>): Promise<StreamHead> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const head = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  const again = (): ReadableStream<Uint8Array> =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const kept = parts.shift();
        if (kept) return controller.enqueue(kept);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
  return { head: head.subarray(0, HEAD_BYTES), stream: again, whole: null };
}

async function peek(source: Source): Promise<StreamHead> {
  if (!(source instanceof Blob)) return peekStream(source);
  const head = new Uint8Array(await source.slice(0, HEAD_BYTES).arrayBuffer());
  return { head, stream: () => source.stream(), whole: source };
}

function counted(stream: ReadableStream<Uint8Array>): {
  stream: ReadableStream<Uint8Array>;
  read: () => number;
} {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return { stream: stream.pipeThrough(counter), read: () => bytes };
}

/** Lone halves of a pair become U+FFFD. */
const fromUtf16 = (stream: ReadableStream<Uint8Array>, label: string): ReadableStream<Uint8Array> =>
  (stream as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream(label))
    .pipeThrough(new TextEncoderStream());

async function collected(stream: ReadableStream<Uint8Array>): Promise<Blob> {
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MOST_COLLECTED)
        throw new UnpackError('unpacks to over 1 GB, which is read as a whole; unpack it first');
      controller.enqueue(chunk);
    },
  });
  return new Response(stream.pipeThrough(limit) as ReadableStream<Uint8Array<ArrayBuffer>>).blob();
}

const TWICE: Container = {
  kind: 'other',
  what: 'packed by gzip twice',
  todo: 'Unpack it once (gunzip)',
};

/**
 * What lies in a file. Nothing but its first bytes is read until the stream or the blob is.
 * @throws UnpackError where it is packed and these cannot be unpacked
 */
export async function unwrap(source: Source): Promise<Unwrapped> {
  let peeked = await peek(source);
  let read: (() => number) | null = null;
  let packed = false;
  for (;;) {
    const { head, stream, whole } = peeked;
    const found = sniff(head);
    const container: Container = found.kind === 'gzip' && packed ? TWICE : found;
    if (container.kind !== 'gzip' && container.kind !== 'utf-16') {
      const blob = (): Promise<Blob> => (whole ? Promise.resolve(whole) : collected(stream()));
      return { container, stream, blob, read };
    }
    const outer = counted(stream());
    read ??= outer.read;
    packed ||= container.kind === 'gzip';
    const inner =
      container.kind === 'utf-16' ? fromUtf16(outer.stream, container.label) : gunzip(outer.stream);
    peeked = await peek(inner);
  }
}
