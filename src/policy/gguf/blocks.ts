import { fromFloat16, toFloat16Bits } from '../../base/float16.ts';
import type { RoundingError } from '../checkpoint/packed-rows.ts';
import { widen } from '../checkpoint/safetensors.ts';
import { bytesOfValues, typeShape, type GgufType } from './types.ts';

/**
 * Values of quantised blocks, as `dequantize_row_…` of ggml-quants.c computes them in float32: each product and sum is
 * rounded by itself, so that values equal those of llama.cpp and of the Python `gguf` package in every bit.
 */
type Block = (b: Uint8Array, at: number, out: Float32Array, to: number) => void;

const { fround } = Math;

/** Every binary16 value, by its bits: blocks of a model are millions, and each has one or two. */
let valuesOfBits: Float32Array | null = null;
const valueOf = (bits: number): number =>
  (valuesOfBits ??= fromFloat16(Uint16Array.from({ length: 65_536 }, (_, i) => i)))[bits]!;

const half = (b: Uint8Array, at: number): number => valueOf((b[at] ?? 0) | ((b[at + 1] ?? 0) << 8));

const signed = (byte: number): number => (byte << 24) >> 24;

/** The four high bits of 32 five-bit codes are `ql` halves; their fifth bits are the bits of a 32-bit word. */
const word = (b: Uint8Array, at: number): number =>
  (b[at] ?? 0) | ((b[at + 1] ?? 0) << 8) | ((b[at + 2] ?? 0) << 16) | ((b[at + 3] ?? 0) << 24);

/** `IQ4_NL`: what the 16 codes stand for, as multiples of the scale. */
// prettier-ignore
const LEVELS = Int8Array.of(
  -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
);

/** Sixteen bytes of two codes each: low halves are values 0 to 15, high halves 16 to 31. */
function halvesOf(b: Uint8Array, at: number, codes: Int8Array): void {
  for (let i = 0; i < 16; i++) {
    const byte = b[at + i] ?? 0;
    codes[i] = byte & 15;
    codes[i + 16] = byte >> 4;
  }
}

const scratch = new Int8Array(32);

function fiveBits(b: Uint8Array, high: number, low: number): Int8Array {
  halvesOf(b, low, scratch);
  const bits = word(b, high);
  for (let i = 0; i < 32; i++) scratch[i] = (scratch[i] ?? 0) | (((bits >>> i) & 1) << 4);
  return scratch;
}

function fourBits(b: Uint8Array, at: number): Int8Array {
  halvesOf(b, at, scratch);
  return scratch;
}

/** The codes of types that are a scale times a whole number of at most 8 bits, for groups of 32 values. */
const LEVELS_OF = {
  Q4_0: (b: Uint8Array, at: number): Int8Array => {
    const codes = fourBits(b, at + 2);
    for (let i = 0; i < 32; i++) codes[i] = (codes[i] ?? 0) - 8;
    return codes;
  },
  Q5_0: (b: Uint8Array, at: number): Int8Array => {
    const codes = fiveBits(b, at + 2, at + 6);
    for (let i = 0; i < 32; i++) codes[i] = (codes[i] ?? 0) - 16;
    return codes;
  },
  Q8_0: (b: Uint8Array, at: number): Int8Array => {
    for (let i = 0; i < 32; i++) scratch[i] = b[at + 2 + i] ?? 0;
    return scratch;
  },
  IQ4_NL: (b: Uint8Array, at: number): Int8Array => {
    const codes = fourBits(b, at + 2);
    for (let i = 0; i < 32; i++) codes[i] = LEVELS[codes[i] ?? 0] ?? 0;
    return codes;
  },
} as const satisfies Partial<Record<GgufType, (b: Uint8Array, at: number) => Int8Array>>;

/** Types whose groups of 32 values share one binary16 scale and have no minimum. */
export type SymmetricType = keyof typeof LEVELS_OF;

export const isSymmetric = (type: GgufType): type is SymmetricType =>
  Object.hasOwn(LEVELS_OF, type);

const symmetric =
  (type: SymmetricType): Block =>
  (b, at, out, to) => {
    const scale = half(b, at);
    const levels = LEVELS_OF[type](b, at);
    for (let i = 0; i < 32; i++) out[to + i] = scale * (levels[i] ?? 0);
  };

/** Six-bit scales and minima of the 8 groups of a Q4_K or Q5_K block, packed in 12 bytes: [scale, minimum]. */
function scaleAndMinimum(b: Uint8Array, at: number, group: number): [number, number] {
  const [low, high] = [b[at + (group % 4)] ?? 0, b[at + 4 + (group % 4)] ?? 0];
  if (group < 4) return [low & 63, high & 63];
  const more = b[at + 4 + group] ?? 0;
  return [(more & 15) | ((low >> 2) & 48), (more >> 4) | ((high >> 2) & 48)];
}

const q2K: Block = (b, at, out, to) => {
  const [d, least] = [half(b, at + 80), half(b, at + 82)];
  for (let group = 0; group < 16; group++) {
    const packed = b[at + group] ?? 0;
    const scale = fround(d * (packed & 15));
    const minimum = fround(least * (packed >> 4));
    // 128 values are in 32 bytes: four planes of two bits.
    const from = at + 16 + 32 * (group >> 3) + 16 * (group & 1);
    const shift = 2 * ((group >> 1) & 3);
    for (let i = 0; i < 16; i++) {
      const code = ((b[from + i] ?? 0) >> shift) & 3;
      out[to + 16 * group + i] = fround(scale * code) - minimum;
    }
  }
};

/** The signed six-bit scale of one of the 16 groups of a Q3_K block. */
function q3Scale(b: Uint8Array, at: number, group: number): number {
  const low = ((b[at + (group & 7)] ?? 0) >> (group < 8 ? 0 : 4)) & 15;
  const high = ((b[at + 8 + (group & 3)] ?? 0) >> (2 * (group >> 2))) & 3;
  return (low | (high << 4)) - 32;
}

const q3K: Block = (b, at, out, to) => {
  const d = half(b, at + 108);
  for (let group = 0; group < 16; group++) {
    const scale = fround(d * q3Scale(b, at + 96, group));
    const within = 16 * (group & 1);
    const from = at + 32 + 32 * (group >> 3) + within;
    const shift = 2 * ((group >> 1) & 3);
    const bit = group >> 1;
    for (let i = 0; i < 16; i++) {
      const low = ((b[from + i] ?? 0) >> shift) & 3;
      // The offset is 4 where the mask's bit is 0.
      const high = ((b[at + within + i] ?? 0) >> bit) & 1;
      out[to + 16 * group + i] = scale * (low - (high === 1 ? 0 : 4));
    }
  }
};

const q6K: Block = (b, at, out, to) => {
  const d = half(b, at + 208);
  for (let group = 0; group < 16; group++) {
    const scale = fround(d * signed(b[at + 192 + group] ?? 0));
    // 128 values: 64 bytes of low halves, 32 bytes with four planes of two high bits.
    const [side, plane, within] = [group >> 3, (group >> 1) & 3, 16 * (group & 1)];
    const low = at + 64 * side + 32 * (plane & 1) + within;
    const high = at + 128 + 32 * side + within;
    for (let i = 0; i < 16; i++) {
      const four = ((b[low + i] ?? 0) >> (plane < 2 ? 0 : 4)) & 15;
      const two = ((b[high + i] ?? 0) >> (2 * plane)) & 3;
      out[to + 16 * group + i] = scale * ((four | (two << 4)) - 32);
    }
  }
};

const iq4Xs: Block = (b, at, out, to) => {
  const d = half(b, at);
  const highs = (b[at + 2] ?? 0) | ((b[at + 3] ?? 0) << 8);
  for (let group = 0; group < 8; group++) {
    const low = ((b[at + 4 + (group >> 1)] ?? 0) >> (4 * (group & 1))) & 15;
    const scale = fround(d * ((low | (((highs >> (2 * group)) & 3) << 4)) - 32));
    const codes = fourBits(b, at + 8 + 16 * group);
    for (let i = 0; i < 32; i++) out[to + 32 * group + i] = scale * (LEVELS[codes[i] ?? 0] ?? 0);
  }
};

/** Scale and minimum of 32 values that are `scale · code + minimum`. */
const line = new Float32Array(2);

/** Writes the codes of a group of 32 values to `codes`, and `line`. */
type AffineGroup = (b: Uint8Array, at: number, group: number, codes: Uint8Array) => void;

/** A group is its scale, its minimum, the fifth bits of its codes where they have five, and the other four of each. */
const affineGroup =
  (five: boolean): AffineGroup =>
  (b, at, _group, codes) => {
    line[0] = half(b, at);
    line[1] = half(b, at + 2);
    const from = at + (five ? 8 : 4);
    const bits = five ? word(b, at + 4) : 0;
    for (let i = 0; i < 16; i++) {
      const byte = b[from + i]!;
      codes[i] = (byte & 15) | (((bits >>> i) & 1) << 4);
      codes[i + 16] = (byte >> 4) | (((bits >>> (i + 16)) & 1) << 4);
    }
  };

const affineGroupOfK =
  (five: boolean): AffineGroup =>
  (b, at, group, codes) => {
    const [s, m] = scaleAndMinimum(b, at + 4, group);
    line[0] = half(b, at) * s;
    line[1] = -fround(half(b, at + 2) * m);
    const from = at + (five ? 48 : 16) + 32 * (group >> 1);
    const shift = 4 * (group & 1);
    if (five)
      for (let i = 0; i < 32; i++)
        codes[i] = ((b[from + i]! >> shift) & 15) | (((b[at + 16 + i]! >> group) & 1) << 4);
    else for (let i = 0; i < 32; i++) codes[i] = (b[from + i]! >> shift) & 15;
  };

const AFFINE = {
  Q4_1: affineGroup(false),
  Q5_1: affineGroup(true),
  Q4_K: affineGroupOfK(false),
  Q5_K: affineGroupOfK(true),
} as const satisfies Partial<Record<GgufType, AffineGroup>>;

/** Types whose groups of 32 values have a scale and a minimum, and at most 32 different values. */
type AffineType = keyof typeof AFFINE;

export const isAffine = (type: GgufType): type is AffineType => Object.hasOwn(AFFINE, type);

const affine = (type: AffineType): Block => {
  const codes = new Uint8Array(32);
  const groups = typeShape(type).values / 32;
  return (b, at, out, to) => {
    for (let group = 0; group < groups; group++) {
      AFFINE[type](b, at, group, codes);
      const [scale, least] = [line[0]!, line[1]!];
      for (let i = 0; i < 32; i++) out[to + 32 * group + i] = fround(scale * codes[i]!) + least;
    }
  };
};

const BLOCKS: Record<Exclude<GgufType, 'F32' | 'F16' | 'BF16'>, Block> = {
  Q4_0: symmetric('Q4_0'),
  Q5_0: symmetric('Q5_0'),
  Q8_0: symmetric('Q8_0'),
  IQ4_NL: symmetric('IQ4_NL'),
  Q4_1: affine('Q4_1'),
  Q5_1: affine('Q5_1'),
  Q2_K: q2K,
  Q3_K: q3K,
  Q4_K: affine('Q4_K'),
  Q5_K: affine('Q5_K'),
  Q6_K: q6K,
  IQ4_XS: iq4Xs,
};

/** `count` stored values, a whole number of blocks, in float32. */
export function dequantiseBlocks(
  type: GgufType,
  bytes: Uint8Array,
  count: number,
): Float32Array<ArrayBuffer> {
  if (type === 'F32' || type === 'F16' || type === 'BF16') return widen(type, bytes, count);
  const shape = typeShape(type);
  const block = BLOCKS[type];
  const out = new Float32Array(count);
  for (let to = 0, at = 0; to < count; to += shape.values, at += shape.bytes)
    block(bytes, at, out, to);
  return out;
}

/**
 * Stored values as `int8` or `int4` rows with the same scales and levels: nothing is rounded.
 * @param as `int4` only of Q4_0
 */
export function packedBlocks(
  type: SymmetricType,
  bytes: Uint8Array,
  count: number,
  as: 'int8' | 'int4',
): { codes: Uint8Array; scales: Uint16Array } {
  const groups = count / 32;
  const { bytes: size } = typeShape(type);
  const codes = new Uint8Array(as === 'int8' ? count : count / 2);
  const scales = new Uint16Array(groups);
  for (let group = 0; group < groups; group++) {
    const at = group * size;
    scales[group] = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    const levels = LEVELS_OF[type](bytes, at);
    if (as === 'int8') {
      codes.set(new Uint8Array(levels.buffer, 0, 32), 32 * group);
      continue;
    }
    for (let i = 0; i < 16; i++)
      codes[16 * group + i] = ((levels[2 * i] ?? 0) + 8) | (((levels[2 * i + 1] ?? 0) + 8) << 4);
  }
  return { codes, scales };
}

/**
 * Stored values as `int8` rows, rounded as `quantise` rounds them: only the 16 or 32 values that a group can have are.
 * @returns null where a value is too large for a binary16 scale, or no finite number
 */
export function roundedBlocks(
  type: AffineType,
  bytes: Uint8Array,
  count: number,
): { codes: Uint8Array; scales: Uint16Array; rounded: RoundingError } | null {
  const { bytes: size, values } = typeShape(type);
  const read = AFFINE[type];
  const perBlock = values / 32;
  const groups = count / 32;
  const levels = new Int8Array(count);
  const scales = new Uint16Array(groups);
  const codes = new Uint8Array(32);
  const table = new Int8Array(32);
  const rounded = { worst: 0, share: 0 };
  let [block, within] = [0, 0];
  for (let group = 0; group < groups; group++) {
    read(bytes, block, within, codes);
    const [scale, least] = [line[0]!, line[1]!];
    if (++within === perBlock) [block, within] = [block + size, 0];
    let present = 0;
    for (let i = 0; i < 32; i++) present |= 1 << codes[i]!;
    const [first, last] = [31 - Math.clz32(present & -present), 31 - Math.clz32(present)];
    // Values grow or fall with their codes: the largest in size is at an end.
    const largest = Math.max(
      Math.abs(fround(fround(scale * first) + least)),
      Math.abs(fround(fround(scale * last) + least)),
    );
    const bits = toFloat16Bits(largest / 127);
    const unit = valueOf(bits);
    if (!Number.isFinite(unit)) return null;
    scales[group] = bits;
    let worst = 0;
    for (let code = first; code <= last; code++) {
      if (((present >>> code) & 1) === 0) continue;
      const value = fround(fround(scale * code) + least);
      // As `quantise` rounds to int8: half away from zero.
      const of = unit === 0 ? 0 : Math.min(127, Math.floor(Math.abs(value / unit) + 0.5));
      const level = value < 0 ? -of : of;
      table[code] = level;
      const error = Math.abs(value - fround(level * unit));
      if (error > worst) worst = error;
    }
    const to = 32 * group;
    for (let i = 0; i < 32; i++) levels[to + i] = table[codes[i]!]!;
    if (worst > rounded.worst) rounded.worst = worst;
    if (worst > rounded.share * largest) rounded.share = worst / largest;
  }
  return { codes: new Uint8Array(levels.buffer), scales, rounded };
}

/** Bytes of values [from, to) widened to whole blocks, and how many values that adds before them. */
export function blocksAround(
  type: GgufType,
  from: number,
  to: number,
): { begin: number; end: number; before: number; count: number } {
  const { values } = typeShape(type);
  const first = Math.floor(from / values) * values;
  const last = Math.ceil(to / values) * values;
  return {
    begin: bytesOfValues(type, first),
    end: bytesOfValues(type, last),
    before: from - first,
    count: last - first,
  };
}
