/** Padded ids and their mask, row-major [rows, length]: 1 for a token, 0 for padding. */
export interface TokenBatch {
  rows: number;
  length: number;
  ids: Int32Array;
  mask: Int32Array;
}

/** The tokens of a batch without its padding, row by row. */
export interface TextRows {
  /** Number of texts, and of tokens. */
  readonly texts: number;
  readonly count: number;
  readonly ids: Int32Array;
  /** Text and position in it of each token. */
  readonly text: Int32Array;
  readonly position: Int32Array;
  /** Row of the left and of the right neighbour; −1 where there is none. */
  readonly left: Int32Array;
  readonly right: Int32Array;
}

export function textRows({ rows, length, ids, mask }: TokenBatch): TextRows {
  const places = Array.from(mask.keys()).filter((place) => mask[place] === 1);
  const rowAt = new Int32Array(rows * length).fill(-1);
  places.forEach((place, row) => (rowAt[place] = row));
  const of = (value: (place: number) => number): Int32Array => Int32Array.from(places, value);
  const isFirst = (place: number): boolean => place % length === 0;
  const isLast = (place: number): boolean => place % length === length - 1;
  return {
    texts: rows,
    count: places.length,
    ids: of((place) => ids[place] ?? 0),
    text: of((place) => Math.floor(place / length)),
    position: of((place) => place % length),
    left: of((place) => (isFirst(place) ? -1 : (rowAt[place - 1] ?? -1))),
    right: of((place) => (isLast(place) ? -1 : (rowAt[place + 1] ?? -1))),
  };
}
