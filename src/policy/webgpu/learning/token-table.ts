import { CHUNK_ROWS } from './kernels.ts';

/** Rows by token, for `tokenRows` and `tokenGradient`. */
export interface TokenTable {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly chunks: number;
  /** Where in `words` the chunks begin. */
  readonly chunksAt: number;
  /** How many tokens occur. */
  readonly ids: number;
  readonly idsAt: number;
}

/** @param tokens 4 words per row, the token's id first */
export function tokenTable(tokens: Uint32Array, count: number): TokenTable {
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < count; row++) {
    const id = tokens[4 * row] ?? 0;
    const rows = rowsOf.get(id);
    if (rows) rows.push(row);
    else rowsOf.set(id, [row]);
  }
  const order: number[] = [];
  const chunks: number[] = [];
  const ids: number[] = [];
  for (const [id, rows] of rowsOf) {
    const first = chunks.length / 2;
    for (let at = 0; at < rows.length; at += CHUNK_ROWS)
      chunks.push(order.length + at, order.length + Math.min(rows.length, at + CHUNK_ROWS));
    for (const row of rows) order.push(row);
    ids.push(id, first, chunks.length / 2);
  }
  return {
    words: Uint32Array.from([...order, ...chunks, ...ids]),
    chunks: chunks.length / 2,
    chunksAt: order.length,
    ids: ids.length / 3,
    idsAt: order.length + chunks.length,
  };
}
