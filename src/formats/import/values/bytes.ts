import { joined } from '../../../base/bytes.ts';

/** How much of a file is in memory at a time. */
const PIECE = 2 ** 20;

/** A stretch of a file and the byte at which it starts. */
export interface Piece {
  start: number;
  bytes: Uint8Array;
}

/**
 * The bytes of `blob` from `start`, in pieces of 1 MiB.
 * @throws the signal's reason when it is aborted
 */
export async function* pieces(
  blob: Blob,
  start = 0,
  signal?: AbortSignal,
): AsyncGenerator<Piece, void> {
  for (let at = start; at < blob.size; at += PIECE) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer());
    yield { start: at, bytes };
  }
}

/** Collects parts of an item that lies across pieces, up to a limit. */
export class ItemBuffer {
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether more was added than the limit allows; what was collected is then given up. */
  get overflowed(): boolean {
    return this.#length > this.#limit;
  }

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.overflowed) this.#parts = [];
    else this.#parts.push(part);
  }

  /** All that was added, as one array; empties the buffer. */
  take(): Uint8Array {
    const all = joined(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return all;
  }
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

/** Text of UTF-8 bytes (a byte order mark is dropped); null where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return STRICT.decode(bytes);
  } catch {
    return null;
  }
}
