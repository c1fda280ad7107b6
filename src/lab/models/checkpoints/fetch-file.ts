import type { FileWriter } from '../../storage/range-files.ts';
import type { FileRow } from './database.ts';
import { CheckpointFault } from './plan/fault.ts';
import { Sha256 } from './plan/sha256.ts';
import type { FileBody, Transport } from './transport.ts';
import { interrupted } from './plan/web.ts';

export interface FetchParts {
  transport: Transport;
  writer: FileWriter;
  /** Makes the row count; resolves when it is on the disk. */
  commit(row: FileRow): Promise<void>;
  /** Told for every piece that arrives, with the bytes of the file that are here. */
  onBytes(done: number, arrived: number): void;
  signal: AbortSignal;
  chunkBytes: number;
  /** Longest silence of a connection, ms. */
  stallMs: number;
}

const begin = (row: FileRow): FileRow => ({ ...row, done: 0, tag: null, hash: null, digest: null });

/** The next piece; rejects where none comes in time. */
async function nextPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  stallMs: number,
  signal: AbortSignal,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no byte for ${stallMs / 1000} s`)), stallMs);
    abort = () => reject(new DOMException('stopped', 'AbortError'));
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([reader.read(), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Collects pieces into chunks, writes each, and commits what is on the disk. */
class ChunkSink {
  readonly #parts: FetchParts;
  readonly #buffer: Uint8Array<ArrayBuffer>;
  readonly #hash: Sha256;
  #filled = 0;
  row: FileRow;

  constructor(parts: FetchParts, row: FileRow) {
    this.#parts = parts;
    this.row = row;
    this.#buffer = new Uint8Array(parts.chunkBytes);
    this.#hash = row.hash ? Sha256.from(row.hash) : new Sha256();
  }

  /** Bytes that arrived, on the disk or not yet. */
  get arrived(): number {
    return this.row.done + this.#filled;
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + this.#buffer.length - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      this.#hash.update(part);
      if (this.#filled === this.#buffer.length) await this.flush();
    }
  }

  /** Writes what is left and commits it. */
  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    this.write();
    await this.#parts.commit(this.row);
  }

  /** Writes the rest; the caller commits the row. */
  write(): void {
    this.#parts.writer.write(this.row.done, this.#buffer.slice(0, this.#filled));
    this.row = { ...this.row, done: this.arrived, hash: this.#hash.save() };
    this.#filled = 0;
  }

  digest(): string {
    return this.#hash.digest();
  }
}

/** Reads a connection to its end. What arrived before it broke is kept. */
async function drain(parts: FetchParts, opened: FileBody, sink: ChunkSink): Promise<void> {
  const reader = opened.body.getReader();
  const { name } = sink.row;
  try {
    for (;;) {
      let piece;
      try {
        parts.signal.throwIfAborted();
        piece = await nextPiece(reader, parts.stallMs, parts.signal);
      } catch (error) {
        await sink.flush();
        parts.signal.throwIfAborted();
        throw interrupted(name, error);
      }
      if (piece.done) break;
      await sink.add(piece.value);
      parts.onBytes(sink.arrived, piece.value.length);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Fetches what is missing of a file, over one connection. On return it is whole and its digest is
 * known, but not compared with anything.
 * @throws CheckpointFault, retryable ones among them; the signal's reason where it was aborted
 */
export async function fetchFile(parts: FetchParts, stored: FileRow): Promise<FileRow> {
  const { writer, transport, signal } = parts;
  // A file that is shorter than its record was lost with the disk or cleared by hand.
  let row = writer.size() < stored.done ? begin(stored) : stored;
  const whole = row.exact && row.bytes === row.done && row.done > 0;
  if (whole) return { ...row, digest: row.hash ? Sha256.from(row.hash).digest() : null };

  const opened = await transport.open(row, row.done, row.tag, signal);
  if (opened.from === 0) {
    row = begin(row);
    // Before the bytes go: no record may ever tell of others than are there.
    if (stored.done > 0) await parts.commit(row);
  }
  writer.truncate(row.done);
  row = { ...row, tag: opened.tag };
  const expected = opened.total ?? (row.exact ? row.bytes : null);
  if (expected !== null && row.sha256 !== null && row.bytes !== null && expected !== row.bytes) {
    await opened.body.cancel().catch(() => undefined);
    throw new CheckpointFault(
      'damaged',
      `${row.name} has ${expected} bytes; the hub says ${row.bytes}.`,
      'Try again later, or use another mirror.',
    );
  }
  // What has no hash may have become longer or shorter since it was planned.
  if (row.exact && expected !== null) row = { ...row, bytes: expected };
  const sink = new ChunkSink(parts, row);
  await drain(parts, opened, sink);
  if (expected !== null && sink.arrived < expected) {
    await sink.flush();
    throw interrupted(sink.row.name, new Error(`${sink.row.done} of ${expected} bytes`));
  }
  if (expected !== null && sink.arrived > expected)
    throw new CheckpointFault(
      'damaged',
      `${sink.row.name} is longer than its ${expected} bytes.`,
      'Try again; if that does not help, the server sends another file than it announces.',
    );
  // Committed by the caller, once it is checked: a wait for the disk less for each file.
  sink.write();
  return { ...sink.row, bytes: sink.row.done, digest: sink.digest() };
}
