/**
 * Walks a struct of Thrift's compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/
 * thrift-compact-protocol.md) without making anything of it: lists must fit into the bytes that are left,
 * so that a reader can make them safely.
 */

const DEEPEST = 16;
const [STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 7, 8, 9, 12];
const isInteger = (type: number): boolean => type >= 4 && type <= 6;

const cut = (): Error => new Error('it ends too soon');

/** Length of a variable-length integer and its value, as far as 32 bits tell. */
export function varint(bytes: Uint8Array, at: number, most = 10): [value: number, end: number] {
  let value = 0;
  for (let i = 0; i < most; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) throw cut();
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return [value, at + i + 1];
  }
  throw new Error('a number in it is too long');
}

/** @returns where the struct ends @throws Error where it is damaged */
export function skipStruct(bytes: Uint8Array, start: number, depth = 0): number {
  if (depth > DEEPEST) throw new Error('it is nested too deep');
  for (let at = start; ;) {
    const head = bytes[at++];
    if (head === undefined) throw cut();
    const type = head & 0x0f;
    if (type === STOP) return at;
    if (head >> 4 === 0) [, at] = varint(bytes, at);
    if (type !== TRUE && type !== FALSE) at = skipValue(bytes, at, type, depth);
  }
}

function skipValue(bytes: Uint8Array, at: number, type: number, depth: number): number {
  if (isInteger(type)) return varint(bytes, at)[1];
  if (type === BYTE) return at + 1;
  if (type === DOUBLE) return at + 8;
  if (type === STRUCT) return skipStruct(bytes, at, depth + 1);
  if (type === BINARY) {
    const [length, from] = varint(bytes, at, 5);
    if (length > bytes.length - from) throw cut();
    return from + length;
  }
  if (type !== LIST) throw new Error(`it holds a value of the unknown type ${type}`);
  return skipList(bytes, at, depth);
}

function skipList(bytes: Uint8Array, start: number, depth: number): number {
  const head = bytes[start];
  if (head === undefined) throw cut();
  let [count, at] = [head >> 4, start + 1];
  if (count === 15) [count, at] = varint(bytes, at, 5);
  if (count > bytes.length - at) throw new Error(`it holds a list of ${count} in too few bytes`);
  const item = head & 0x0f;
  const flag = item === TRUE || item === FALSE;
  for (let i = 0; i < count; i++) at = skipValue(bytes, at, flag ? BYTE : item, depth + 1);
  return at;
}

/**
 * Walks numbers in the encoding DELTA_BINARY_PACKED (https://parquet.apache.org/docs/file-format/data-pages/
 * encodings/): a header of four numbers, then blocks of a number, the widths of the block's parts, and the parts.
 * @param count how many there are
 * @returns where they end @throws Error where they are damaged
 */
export function skipDelta(bytes: Uint8Array, start: number, count: number): number {
  const [block, afterBlock] = varint(bytes, start, 5);
  const [parts, afterParts] = varint(bytes, afterBlock, 5);
  let at = varint(bytes, varint(bytes, afterParts, 5)[1])[1];
  const perPart = block / parts;
  if (count > 1 && !(perPart >= 8 && perPart % 8 === 0)) throw new Error('its blocks have no size');
  for (let left = count - 1; left > 0; left -= block) {
    const widths = varint(bytes, at)[1];
    at = widths + parts;
    for (let part = 0; part < parts && part * perPart < left; part++) {
      const width = bytes[widths + part];
      if (width === undefined) throw cut();
      at += (perPart * width) / 8;
    }
    if (at > bytes.length) throw cut();
  }
  return at;
}
