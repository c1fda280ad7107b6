import type { Random } from '../../../src/base/random.ts';

/**
 * Broken inputs, for every parser the same: damage on the level of bytes, of text, and of JSON values.
 * All of it follows from the seed of `random`, so that a case can be run again.
 */

const utf8 = new TextEncoder();
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!;

/** Texts that parsers trip over: numbers at their limits, marks, deep and long values, odd names. */
const PIECES: readonly string[] = [
  '0', '-1', '1e400', '-1e400', '1e-400', '4294967296', '2147483648', '9007199254740993',
  '18446744073709551615', '99999999999999999999999', '0.1', '-0', 'NaN', 'Infinity', 'true', 'null',
  '""', '[]', '{}', '[[[]]]', ',', ':', '"', '\\', '\n', '\r\n', '\t', '\u0000', '\ufeff', '\u2028',
  '\u202e', 'é', '🦊', '\\ud800', '\\udc00\\ud800', '"\\ud800"', '"\\u0000"', '../', '"../../etc/passwd"',
  '__proto__', '"__proto__":{"a":1},', '"constructor":{"prototype":{}},', '{"__proto__":{"a":1}}',
  '{%', '%}', '{{', '}}', '<|im_end|>', '<b>', '&#xD800;', 'data: ', '\n\n', '[DONE]',
]; // prettier-ignore

const DEEP = ['[', '{"a":', '('] as const;
const CLOSING = { '[': ']', '{"a":': '}', '(': ')' } as const;

/** Brackets within brackets, with or without the closing ones. */
function deep(random: Random): string {
  const open = pick(random, DEEP);
  const times = pick(random, [10, 100, 1000, 10_000]);
  const close = random.uniform() < 0.6 ? CLOSING[open].repeat(times) : '';
  return `${open.repeat(times)}${open === '{"a":' ? '1' : ''}${close}`;
}

const long = (random: Random): string =>
  pick(random, ['x', ' ', 'a b. ', '\n', '9', '\\', '"', '\u00e9', 'ab']).repeat(
    pick(random, [100, 1000, 10_000]),
  );

/** A piece of text that does not belong where it is put. */
function oddText(random: Random): string {
  const choice = random.uniform();
  if (choice < 0.03) return deep(random);
  if (choice < 0.05) return JSON.stringify(long(random));
  if (choice < 0.07) return long(random);
  return pick(random, PIECES);
}

/** Bytes that are no UTF-8, and byte order marks. */
const ODD_BYTES: readonly (readonly number[])[] = [
  [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xff], [0xfe, 0xff], [0xff, 0xfe], [0xef, 0xbb, 0xbf], [0x80],
  [0xf4, 0x90, 0x80, 0x80], [0], [0x7f], [0x50, 0x41, 0x52, 0x31], [0x1f, 0x8b],
]; // prettier-ignore

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};

/** A huge or negative count where a format may keep one: 32 or 64 bits, little endian. */
function sizes(random: Random): Uint8Array {
  const bytes = new Uint8Array(random.uniform() < 0.5 ? 4 : 8);
  const view = new DataView(bytes.buffer);
  const value = pick(random, [0, 1, 0x7fffffff, 0xffffffff, 0x40000000, 0x05f5e100]);
  view.setUint32(0, value, true);
  if (bytes.length === 8) view.setUint32(4, random.uniform() < 0.5 ? 0 : random.bits(), true);
  return bytes;
}

/** One damage of bytes: changed, cut, put in, doubled, swapped, or a count replaced. */
function damage(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  const length = bytes.length;
  const at = random.below(length + 1);
  const span = Math.min(length - at, 1 + random.below(random.uniform() < 0.8 ? 40 : length + 1));
  const [head, part, tail] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + span),
    bytes.subarray(at + span),
  ];
  switch (random.below(11)) {
    case 0: // Bits flipped.
    case 1: {
      const copy = joined(bytes);
      for (let n = length > 0 ? 1 + random.below(4) : 0; n > 0; n--)
        copy[random.below(length)]! ^= 1 << random.below(8);
      return copy;
    }
    case 2: {
      const copy = joined(bytes);
      for (let n = length > 0 ? 1 + random.below(4) : 0; n > 0; n--)
        copy[random.below(length)] = pick(random, [0, 0x7f, 0x80, 0xff, random.below(256)]);
      return copy;
    }
    case 3: // The end is missing.
      return joined(head);
    case 4: // A part is missing.
      return joined(head, tail);
    case 5: // A part stands twice.
      return joined(head, part, part, tail);
    case 6: {
      // Two parts in each other's place.
      const to = random.below(tail.length + 1);
      return joined(head, tail.subarray(0, to), part, tail.subarray(to));
    }
    case 7:
      return joined(head, Uint8Array.from(pick(random, ODD_BYTES)), bytes.subarray(at));
    case 8: {
      const count = sizes(random);
      return joined(head, count, bytes.subarray(Math.min(length, at + count.length)));
    }
    default:
      return joined(
        head,
        bytesOf(oddText(random)),
        random.uniform() < 0.5 ? tail : bytes.subarray(at),
      );
  }
}

/** One to four damages. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let out = damage(bytes, random);
  for (let n = random.below(4); n > 0 && out.length < 2 ** 20; n--) out = damage(out, random);
  return out;
}

/** Stands in JSON for text that no value gives: large numbers, names twice, deep nesting. */
const RAW = '\u0001raw\u0002';

function oddValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return RAW;
    case 1:
      return pick(random, [null, true, false, '', [], {}, [[]], [null], { a: {} }, 'x']);
    case 2:
      return pick(random, [
        -1,
        0,
        0.5,
        1e308,
        -1e308,
        2 ** 31,
        2 ** 32,
        2 ** 53,
        2 ** 53 + 2,
        1e9,
        7,
      ]);
    case 3:
      return pick(random, [
        '\ud800',
        '\u0000',
        '\ufeffx',
        'x\u202e',
        '__proto__',
        '../../x',
        '1',
        ' ',
      ]);
    case 4:
      return Array.from({ length: 1 + random.below(4) }, () => random.below(100) - 1);
    case 5:
      return long(random);
    default:
      return random.uniform() < 0.5 ? random.below(1000) : String(random.below(1000));
  }
}

const NAMES = ['__proto__', 'constructor', 'toString', 'length', '', '\ud800', 'x', '0'];

type Entry = [string, unknown];

/** One change at a random path: a value of another type, taken away, doubled, or under another name. */
function changed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.uniform() < 0.08)
    return oddValue(random);
  const entries: Entry[] = Object.entries(value);
  const at = random.below(entries.length);
  const [name, inner] = entries[at] ?? ['', null];
  if (entries.length === 0) return oddValue(random);
  const choice = random.uniform();
  if (choice < 0.08) entries.splice(at, 1);
  else if (choice < 0.12) entries.push([`${name}.copy`, inner]);
  else if (choice < 0.18) entries[at] = [pick(random, NAMES), inner];
  else if (choice < 0.22) entries[at] = [name, [inner]];
  else if (choice < 0.26 && entries.length > 1) {
    // Two values in each other's place.
    const other = entries[random.below(entries.length)]!;
    entries[at] = [name, other[1]];
  } else entries[at] = [name, changed(inner, random)];
  if (Array.isArray(value)) return entries.map(([, item]) => item);
  return Object.fromEntries(entries);
}

/** JSON text with one to three values changed. */
function mutateJson(text: string, random: Random): string {
  let value: unknown = JSON.parse(text);
  for (let n = random.below(3); n >= 0; n--) value = changed(value, random);
  const quoted = JSON.stringify(RAW);
  return (JSON.stringify(value) ?? 'null').replaceAll(quoted, () => oddText(random));
}

/** A JSON file: half of the cases stay JSON of another shape, the others do not. */
export function mutateJsonFile(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  if (random.uniform() < 0.5) return mutateBytes(bytes, random);
  return bytesOf(mutateJson(textOf(bytes), random));
}

/** Lines of JSON: one line changed as JSON, or bytes anywhere. */
export function mutateJsonLines(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  if (random.uniform() < 0.5) return mutateBytes(bytes, random);
  const lines = textOf(bytes).split('\n').filter(Boolean);
  const at = random.below(lines.length);
  lines[at] = mutateJson(lines[at]!, random);
  return bytesOf(lines.map((line) => `${line}\n`).join(''));
}

/** A text in which pieces of its own, or odd ones, are where they do not belong. */
export function mutateText(text: string, random: Random, pieces: readonly string[] = []): string {
  let out = text;
  for (let n = random.below(4); n >= 0; n--) {
    const at = random.below(out.length + 1);
    const piece =
      pieces.length > 0 && random.uniform() < 0.7 ? pick(random, pieces) : oddText(random);
    out = out.slice(0, at) + piece + out.slice(at + random.below(12));
  }
  return out;
}

/** A safetensors file with another header before the same data; mostly the length before it is right. */
export function mutateSafetensors(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  if (random.uniform() < 0.2) return mutateBytes(bytes, random);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = mutateJsonFile(bytes.subarray(8, 8 + length), random);
  const said =
    random.uniform() < 0.9 ? header.length : random.uniform() * 2 ** (8 * random.below(9));
  const prefix = new Uint8Array(8);
  new DataView(prefix.buffer).setBigUint64(0, BigInt(Math.floor(said)), true);
  const out = joined(prefix, header, bytes.subarray(8 + length));
  return random.uniform() < 0.1 ? out.slice(0, random.below(out.length)) : out;
}
