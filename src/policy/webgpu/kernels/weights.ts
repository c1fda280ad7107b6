import type { MatrixType } from '../../ops/values.ts';
import { BLOCK } from '../device/sizes.ts';

/**
 * WGSL that reads a matrix in any type (`matrixLayout`). With units as `array<vec4u>` and scales as `array<u32>`:
 *
 *   let at = unitAt(row, group);          first unit of 32 neighbouring inputs of a row of this part
 *   let s = scaleAt(row, group);          1 for types without scales
 *   quads(at, s, 0 … 7)                   4 of those 32, dequantised, float32
 *
 * In the inner loop of a product, `unpackGroup` reads each unit once.
 */

export const hasScales = (type: MatrixType): boolean => type === 'int8' || type === 'int4';

/** Units of 32 inputs. */
export const UNITS: Record<MatrixType, number> = { f32: 8, f16: 4, int8: 2, int4: 1 };

/** How the bindings of a matrix are declared from `binding` on; as many letters of `access`. */
export const matrixAccess = (type: MatrixType): string => (hasScales(type) ? 'rr' : 'r');

export const matrixBindings = (type: MatrixType, binding: number): string =>
  `@group(0) @binding(${binding}) var<storage, read> W: array<vec4u>;
${hasScales(type) ? `@group(0) @binding(${binding + 1}) var<storage, read> S: array<u32>;` : ''}`;

/** @param groups groups of 32 inputs of a row */
export const matrixFunctions = (type: MatrixType, groups: number): string => `
fn unitAt(row: u32, group: u32) -> u32 {
  return ((row / ${BLOCK}u) * ${groups * UNITS[type]}u + group * ${UNITS[type]}u) * ${BLOCK}u + row % ${BLOCK}u;
}
fn scaleAt(row: u32, group: u32) -> f32 {
  ${
    hasScales(type)
      ? `let pair = S[((row / ${BLOCK}u) * ${groups}u + group) * ${BLOCK / 2}u + (row % ${BLOCK}u) / 2u];
  // By hand: scales of small weights are subnormal halves, which unpack2x16float may take for zero.
  let h = select(pair & 0xffffu, pair >> 16u, (row & 1u) == 1u); let m = h & 0x7fffu;
  let size = select(bitcast<f32>((m << 13u) + 0x38000000u), f32(m) * 0x1p-24, m < 0x400u);
  return select(size, -size, h != m);`
      : 'return 1.0;'
  }
}
${FUNCTIONS[type]}`;

const powers = (from: number, step: number): string =>
  `vec4f(${[0, 1, 2, 3].map((n) => 2 ** -(from + n * step)).join(', ')})`;

/**
 * `low` and `high` are the first and last four nibbles of a word, `bytes` its four bytes. A masked code is exact
 * in float32 at any power of two, and so are n·s and 8·s, since s has 11 bits: the result is (n − 8) · s exactly.
 */
const FUNCTIONS: Record<MatrixType, string> = {
  f32: `fn quads(at: u32, s: f32, n: u32) -> vec4f { return bitcast<vec4f>(W[at + n * ${BLOCK}u]); }`,
  f16: `fn halves(w: vec2u) -> vec4f { return vec4f(unpack2x16float(w.x), unpack2x16float(w.y)); }
fn quads(at: u32, s: f32, n: u32) -> vec4f {
  let w = W[at + (n / 2u) * ${BLOCK}u];
  return halves(select(w.xy, w.zw, (n & 1u) == 1u));
}`,
  int8: `fn bytes(w: u32, s: f32) -> vec4f {
  return vec4f(vec4i(i32(w)) & vec4i(0xff, 0xff00, 0xff0000, -0x1000000)) * (s * ${powers(0, 8)}) - s * vec4f(128.0, 128.0, 128.0, 0.0);
}
fn quads(at: u32, s: f32, n: u32) -> vec4f { return bytes(W[at + (n / 4u) * ${BLOCK}u][n & 3u], s); }`,
  int4: `fn low(w: u32, s: f32) -> vec4f {
  return vec4f(vec4i(i32(w)) & vec4i(0xf, 0xf0, 0xf00, 0xf000)) * (s * ${powers(0, 4)}) - vec4f(8.0 * s);
}
fn high(w: u32, s: f32) -> vec4f {
  return vec4f(vec4i(i32(w)) & vec4i(0xf0000, 0xf00000, 0xf000000, -0x10000000)) * (s * ${powers(16, 4)}) - s * vec4f(8.0, 8.0, 8.0, 0.0);
}
fn quads(at: u32, s: f32, n: u32) -> vec4f {
  let w = W[at][n / 2u];
  if ((n & 1u) == 1u) { return high(w, s); }
  return low(w, s);
}`,
};

/**
 * The eight quads of a group, in order, as expressions of units that were read to `name0`, `name1`, … and of the
 * scale `s`.
 */
export function groupQuads(type: MatrixType, name: string, s: string): string[] {
  return Array.from({ length: 8 }, (_, n) => {
    if (type === 'f32') return `bitcast<vec4f>(${name}${n})`;
    if (type === 'f16') return `halves(${name}${n >> 1}.${n & 1 ? 'zw' : 'xy'})`;
    if (type === 'int8') return `bytes(${name}${n >> 2}.${'xyzw'[n & 3]}, ${s})`;
    return `${n & 1 ? 'high' : 'low'}(${name}0.${'xyzw'[n >> 1]}, ${s})`;
  });
}
