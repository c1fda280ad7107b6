import type { MatrixType } from '../../../ops/values.ts';
import { float, GROUP_ID } from '../../device/encoder.ts';
import { groupQuads, matrixFunctions, UNITS } from '../weights.ts';

/**
 * The product of a matrix with few rows: y[row] = W x[row]. A workgroup makes `outs` outputs of `rowTile` rows. A
 * thread (lane, j) adds up `perThread` outputs over every `split`-th group of 32 inputs, and the parts of the sum are
 * added in order. The order of additions depends on the matrix alone, not on the rows of a call; products are
 * explicit `fma`, so that no compiler has a choice. A tile of rows reads each weight once.
 */
export interface Tile {
  /** Threads that are neighbours in their outputs. */
  readonly lanes: number;
  readonly perThread: number;
  /** Parts of the sum over the inputs. */
  readonly split: number;
  readonly outs: number;
  readonly threads: number;
}

const TILES = [
  { lanes: 32, perThread: 4, most: 1 },
  { lanes: 8, perThread: 4, most: 4 },
  { lanes: 4, perThread: 2, most: 8 },
] as const;

/** Workgroups that a product should have at least. */
const WORKGROUPS = 112;

/** @param pairs whether a row of outputs takes two rows of the matrix (gate and up) */
export function tileOf(out: number, groups: number, pairs = false): Tile {
  const rows = pairs ? 2 * out : out;
  const { lanes, perThread, most } =
    TILES.find((tile) => rows / (tile.lanes * tile.perThread) >= WORKGROUPS) ?? TILES[2];
  // 32 threads, where there are as many groups: what every GPU runs at once.
  const split = Math.min(most, groups);
  return { lanes, perThread, split, outs: lanes * perThread, threads: lanes * split };
}

/** Rows of a tile for a call of `rows` rows. */
export const rowTileOf = (rows: number): number => (rows === 1 ? 1 : rows <= 4 ? 4 : 8);

/** What memory that depends on the rows is made for. */
export const bucketOf = (rows: number): number => [1, 4, 16].find((n) => rows <= n) ?? 64;

const each = (count: number, code: (i: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, i) => code(i)).join(between);

export interface ProductCode {
  readonly type: MatrixType;
  readonly groups: number;
  readonly tile: Tile;
  readonly rowTile: number;
  /** Whether neighbouring lanes hand x to each other. */
  readonly subgroups: boolean;
  /** WGSL array of vec4f that x is in; row r begins at `u.xAt + r * u.xStride`. */
  readonly x: string;
  /** WGSL of output i of a thread, a row of the part; `first` is the first output of the workgroup. */
  readonly row: (i: number) => string;
  /** WGSL of the tile of row `t0` where a workgroup makes one tile of one row; a number that is none: nothing. */
  readonly tileOfRow: string | null;
}

export const directives = (subgroups: boolean): string =>
  subgroups ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n' : '';

/** Uniform of all kernels of few rows: `productUniforms`. */
export const UNIFORMS = `struct U {
  rows: u32, rowTiles: u32, tiles: u32, row0: u32,
  xAt: u32, xStride: u32, yStride: u32, out: u32,
  squaresAt: u32, lowAt: u32, lowStride: u32, rank4: u32,
  partCount: u32, scale: f32, eps: f32, width: f32,
  parts: array<vec4u, 4>,
  more: array<vec4u, 4>
}
@group(0) @binding(0) var<uniform> u: U;
`;

export interface ProductUniforms {
  readonly rows: number;
  readonly rowTile: number;
  /** Workgroups along the outputs. */
  readonly tiles: number;
  /** First row of the part of the matrix. */
  readonly row0: number;
  /** Where x and its partial sums of squares begin, and what is between its rows: in vec4f. */
  readonly xAt: number;
  readonly xStride: number;
  readonly squaresAt: number;
  /** Values between rows of y. */
  readonly yStride: number;
  /** Outputs of the whole matrix. */
  readonly out: number;
  readonly eps: number;
  /** Width that the norm is over. */
  readonly width: number;
  readonly lora: LoraUniforms | null;
  readonly more?: readonly number[];
}

export interface LoraUniforms {
  /** Where A x is and what is between its rows, in vec4f. */
  readonly lowAt: number;
  readonly lowStride: number;
  /** Rank / 4, rounded up. */
  readonly rank4: number;
  readonly scale: number;
  /** First row and end, B's first vec4f, place in a row of A x. */
  readonly parts: readonly (readonly [number, number, number, number])[];
}

export function productUniforms(o: ProductUniforms): number[] {
  const { lora } = o;
  const parts = Array.from({ length: 4 }, (_, i) => lora?.parts[i] ?? [0, 0, 0, 0]);
  return [
    o.rows,
    Math.ceil(o.rows / o.rowTile),
    o.tiles,
    o.row0,
    o.xAt,
    o.xStride,
    o.yStride,
    o.out,
    o.squaresAt,
    lora?.lowAt ?? 0,
    lora?.lowStride ?? 0,
    lora?.rank4 ?? 0,
    lora?.parts.length ?? 0,
    float(lora?.scale ?? 0),
    float(o.eps),
    float(o.width),
    ...parts.flat(),
    ...(o.more ?? []),
  ];
}

/** Declarations: weights, memory for the parts of the sum, `total(l, t)`. */
export function productDeclarations({ type, groups, tile, rowTile }: ProductCode): string {
  const { outs, split } = tile;
  const parts = each(split, (k) => `s += red[${k * outs * rowTile}u + i];`, ' ');
  return `${matrixFunctions(type, groups)}
var<workgroup> red: array<f32, ${split * outs * rowTile}>;
// Output l of the workgroup, of row t of its tile.
fn total(l: u32, t: u32) -> f32 { let i = l * ${rowTile}u + t; var s = 0.0; ${parts} return s; }`;
}

export const MAIN = (threads: number): string => `@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32)`;

/** The product up to a barrier, behind which `total` gives sums. Leaves `first`, `t0`, and `tile`. */
export function productBody(code: ProductCode): string {
  const { type, groups, tile, rowTile, subgroups, x, row } = code;
  const { lanes, perThread: R, split } = tile;
  const quads = Array.from({ length: R }, (_, r) => groupQuads(type, `w${r}_`, `s${r}`));
  const load = (t: number, n: string): string =>
    `${x}[u.xAt + (t0 + ${t}u) * u.xStride + g * 8u + ${n}]`;
  const add = (r: number, t: number): string =>
    `a${r}_${t} = fma(q${r}.x, v.x, fma(q${r}.y, v.y, fma(q${r}.z, v.z, fma(q${r}.w, v.w, a${r}_${t}))));`;
  const quad = (n: number): string => `
    ${subgroups && n % 4 === 0 ? each(rowTile, (t) => `let v${n}_${t} = ${load(t, `${n}u + (li & 3u)`)};`) : ''}
    { ${each(R, (r) => `let q${r} = ${quads[r]?.[n]};`, ' ')}
      ${each(rowTile, (t) => {
        const v = subgroups ? `quadBroadcast(v${n & 4}_${t}, ${n & 3}u)` : load(t, `${n}u`);
        return `{ let v = ${v}; ${each(R, (r) => add(r, t), ' ')} }`;
      })} }`;
  return `
  let id = ${GROUP_ID};
  ${
    code.tileOfRow
      ? `let t0 = min(id, u.rows - 1u); let tile = ${code.tileOfRow}; if (tile >= u.tiles) { return; }`
      : `let tile = id / u.rowTiles; let t0 = (id % u.rowTiles) * ${rowTile}u;`
  } let first = tile * ${tile.outs}u;
  let lane = li % ${lanes}u; let j = li / ${lanes}u;
  ${each(R, (r) => each(rowTile, (t) => `var a${r}_${t} = 0.0;`, ' '))}
  for (var g = j; g < ${groups}u; g += ${split}u) {
    ${each(
      R,
      (r) =>
        `let r${r} = ${row(r)}; let at${r} = unitAt(r${r}, g); let s${r} = scaleAt(r${r}, g); ` +
        each(UNITS[type], (i) => `let w${r}_${i} = W[at${r} + ${i * 64}u];`, ' '),
    )}
    ${each(8, quad)}
  }
  ${each(R, (r) => each(rowTile, (t) => `red[((j * ${R}u + ${r}u) * ${lanes}u + lane) * ${rowTile}u + ${t}u] = a${r}_${t};`, ' '))}`;
}

/**
 * WGSL of 1 / rms of row t of the tile, from the partial sums of squares of 8 columns each that lie in `x`. `store` goes
 * before a barrier, `finish` behind it.
 */
export const inverseRms = (
  x: string,
  rowTile: number,
  threads: number,
): { declarations: string; store: string; finish: string } => ({
  declarations: `var<workgroup> rp: array<vec4f, ${rowTile}>;`,
  store: `for (var n = li; n < ${rowTile * 4}u; n += ${threads}u) {
    var s = vec4f(0.0);
    for (var i = n & 3u; i < u.xStride / 8u; i += 4u) { s += ${x}[u.squaresAt + (t0 + (n >> 2u)) * (u.xStride / 8u) + i]; }
    rp[n >> 2u][n & 3u] = (s.x + s.y) + (s.z + s.w);
  }`,
  finish: `for (var n = li; n < ${rowTile}u; n += ${threads}u) {
    let s = rp[n]; rp[n].x = inverseSqrt(((s.x + s.y) + (s.z + s.w)) / u.width + u.eps);
  }
  workgroupBarrier();`,
});

/**
 * WGSL `lora(o, row)`: scale · B (A x) of output o of the whole matrix. A x lies in `low` and the factors in `factors`,
 * both array<vec4f>.
 */
export const loraFunction = (low: string, factors: string): string => `
fn lora(o: u32, row: u32) -> f32 {
  for (var p = 0u; p < u.partCount; p++) {
    let part = u.parts[p];
    if (o >= part.x && o < part.y) {
      var s = 0.0;
      for (var i = 0u; i < u.rank4; i++) {
        s += dot(${factors}[part.z + (o - part.x) * u.rank4 + i], ${low}[u.lowAt + row * u.lowStride + part.w + i]);
      }
      return u.scale * s;
    }
  }
  return 0.0;
}`;
