/**
 * The tiled product that many rows share: a workgroup of 128 threads makes 64 rows × 64 columns; a step
 * takes 16 terms of the sum to workgroup memory (8.4 kB), a thread holds 8 rows × 4 columns. The order of the
 * additions of a value depends on nothing but the length of the sum. Products and sums are fused by hand: whether
 * a compiler does it is its own choice, here one and there another.
 */

export const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

export const each = (n: number, line: (i: number) => string, by = ' '): string =>
  range(n).map(line).join(by);

export const LANES = ['x', 'y', 'z', 'w'] as const;

/** Rows of a thread: `group + 8 i`; columns: `lane + 16 j`. */
export const HEIGHT = 8;
export const WIDTH = 4;

/** [4 quads of terms][64 rows], padded so that neighbours lie in different banks. */
export const X_TILE = 'var<workgroup> xs: array<vec4f, 260>; // [quad of terms][65 rows]';

/**
 * `wid` is the tile of columns and rows. Eight tiles of rows take a tile of columns one after the other, so that
 * it is read from memory once for 512 rows, while their x stays near.
 */
export const MAIN = `fn ordered(id: vec3u, groups: vec3u) -> vec2u {
  let n = id.x + id.y * groups.x; let first = n / (8u * groups.x) * 8u;
  let high = min(8u, groups.y - first); let i = n - first * groups.x;
  return vec2u(i / high, first + i % high);
}
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let wid = ordered(id, groups);
  let lane = li & 15u; let group = li >> 4u;`;

/** Sums c{i}_{j} += Σ over a step's 16 terms of xs[row] · ws[column], ws: [4 quads of terms][64 columns]. */
export const FORWARD_TILE = 'var<workgroup> ws: array<vec4f, 256>; // [quad of terms][64 columns]';
export const forwardSums = (): string =>
  each(HEIGHT, (i) => each(WIDTH, (j) => `var c${i}_${j} = 0.0;`), '\n  ');
export const forwardStep = (): string => `for (var k = 0u; k < 4u; k++) {
      ${each(WIDTH, (j) => `let w${j} = ws[k * 64u + lane + ${16 * j}u];`)}
      ${each(
        HEIGHT,
        (i) =>
          `{ let x = xs[k * 65u + group + ${8 * i}u]; ${each(WIDTH, (j) => LANES.map((e) => `c${i}_${j} = fma(x.${e}, w${j}.${e}, c${i}_${j});`).join(' '))} }`,
        '\n      ',
      )}
    }`;

/** Sums c{i} (vec4f: 4 neighbouring columns) += Σ over 16 terms of xs[row] · ws[term], ws: [16 terms][16 quads of columns]. */
export const TRANSPOSED_TILE =
  'var<workgroup> ws: array<vec4f, 272>; // [term][17 quads of columns]';
export const transposedStep = (): string => `for (var k = 0u; k < 4u; k++) {
      ${each(4, (j) => `let w${j} = ws[(4u * k + ${j}u) * 17u + lane];`)}
      ${each(
        HEIGHT,
        (i) =>
          `{ let x = xs[k * 65u + group + ${8 * i}u]; ${LANES.map((e, j) => `c${i} = fma(vec4f(x.${e}), w${j}, c${i});`).join(' ')} }`,
        '\n      ',
      )}
    }`;

/** Zero in the lanes of `v` (values 4 q … 4 q + 3 of a row) that lie behind its width. */
export const BEYOND = `fn within(v: vec4f, q: u32, width: u32) -> vec4f {
  return select(vec4f(0.0), v, vec4u(4u * q) + vec4u(0u, 1u, 2u, 3u) < vec4u(width));
}`;
