/**
 * A writer of Thrift's compact protocol, by its description (https://github.com/apache/thrift/blob/master/doc/
 * specs/thrift-compact-protocol.md): as far as Parquet's headers need it.
 */

/** A number is an i32 or i64, which are written alike; a text is binary. */
type Value = number | boolean | string | Value[] | Struct;
/** By the field's number. */
export interface Struct {
  [field: number]: Value;
}

export function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return [...out, rest];
}

const zigzag = (value: number): number[] => varint(value >= 0 ? 2 * value : -2 * value - 1);

const TYPES = { i32: 5, binary: 8, list: 9, struct: 12 };

function typeOf(value: Value): number {
  if (typeof value === 'boolean') return value ? 1 : 2;
  if (typeof value === 'number') return TYPES.i32;
  if (typeof value === 'string') return TYPES.binary;
  return Array.isArray(value) ? TYPES.list : TYPES.struct;
}

function bytesOf(value: Value): number[] {
  if (typeof value === 'boolean') return [];
  if (typeof value === 'number') return zigzag(value);
  if (typeof value === 'string') return [...varint(value.length), ...Buffer.from(value, 'latin1')];
  if (!Array.isArray(value)) return structBytes(value);
  const type = typeOf(value[0] ?? 0);
  const head =
    value.length < 15 ? [value.length * 16 + type] : [0xf0 + type, ...varint(value.length)];
  return [...head, ...value.flatMap(bytesOf)];
}

/** Fields in the order of their numbers, then the stop. */
export function structBytes(struct: Struct): number[] {
  let last = 0;
  const fields = Object.entries(struct).flatMap(([name, value]: [string, Value]) => {
    const [field, type] = [Number(name), typeOf(value)];
    const step = field - last;
    last = field;
    const head = step < 16 ? [step * 16 + type] : [type, ...zigzag(field)];
    return [...head, ...bytesOf(value)];
  });
  return [...fields, 0];
}
