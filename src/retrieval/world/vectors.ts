import type { VectorTable } from '../dense/dense.ts';
import { fromFloat16, toFloat16 } from '../../base/float16.ts';

/** Vectors as a file: halves, little endian, row after row. */
export function encodeVectors({ values }: VectorTable): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  toFloat16(values).forEach((bits, i) => view.setUint16(i * 2, bits, true));
  return bytes;
}

/** Throws where the file does not hold exactly `rows` vectors. */
export function decodeVectors(
  bytes: Uint8Array,
  name: string,
  rows: number,
  dimensions: number,
): VectorTable {
  if (bytes.length !== rows * dimensions * 2) {
    throw new Error(
      `${name}: ${bytes.length} bytes, expected ${rows} vectors of ${dimensions} halves`,
    );
  }
  // Every engine is little endian; the file may begin at an odd byte of what it was read from.
  return { dimensions, values: fromFloat16(new Uint16Array(new Uint8Array(bytes).buffer)) };
}
