/** Rows of a matrix in groups of 32 values; a row's last group is filled up with zeros. */
export interface PackedRows {
  /**
   * `int8`: [rows, groups, 32], each value / scale in two's complement. `int4`: [rows, groups, 16], each
   * value / scale + 8 in four bits, of two neighbours the first in the low half: as little-endian 32-bit
   * words, value k of eight is bits [4k, 4k + 4).
   */
  readonly codes: Uint8Array;
  /** [rows, groups], binary16. */
  readonly scales: Uint16Array;
  /** How far they are from what they were made of; absent: nothing was rounded, or nobody counted. */
  readonly rounded?: RoundingError;
}

/** How far rounded values are from those that were given. */
export interface RoundingError {
  /** Largest difference of a value. */
  worst: number;
  /** The largest difference as a share of the largest value of its group of 32. */
  share: number;
}
