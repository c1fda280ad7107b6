import { varint } from './thrift.ts';

/** Writers pad the last bit-packed run. */
const PADDING = 512;

/**
 * Checks that runs of the RLE and bit-packing hybrid (https://parquet.apache.org/docs/file-format/data-pages/
 * encodings/) give no more values than there are: a reader writes as many as a run says.
 * @param width bits of a value
 * @param count values that the page has
 * @throws Error where they do not fit
 */
export function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  if (width > 32) throw new Error(`values of ${width} bits are too wide`);
  let seen = 0;
  for (let at = 0; seen < count;) {
    const [head, from] = varint(bytes, at, 5);
    const packed = head % 2 === 1;
    const values = Math.floor(head / 2) * (packed ? 8 : 1);
    if (values > count - seen + (packed ? PADDING : 0))
      throw new Error(`a run of ${values} values is longer than its page`);
    const length = packed ? (values / 8) * width : Math.ceil(width / 8);
    // The last byte of padding may be missing.
    if (from + length > bytes.length + PADDING) throw new Error('its runs end too soon');
    at = from + length;
    seen += values;
  }
}
