import type { MatrixType } from '../../../ops/values.ts';
import { float, GROUP_ID } from '../../device/encoder.ts';
import { groupQuads, matrixFunctions, UNITS } from '../weights.ts';

/**
 * The product of a matrix with few rows: y[row] = W x[row]. A workgroup makes `outs` outputs of `rowTile` rows. A
 * thread (lane, j) adds up `perThread` outputs over every `split`-th group of 32 inputs, and the parts of the sum are
 * added in a fixed order. The order of additions depends only on the matrix, not on the rows of a call; products are
 * explicit `fma`, so that no compiler has a choice. A tile of rows reads each weight once.
 *
 * Of one row what costs time is waiting for weights: a wide GPU needs megabytes of loads under way to give its
 * bandwidth (3 TB/s for 0.7 µs are 2 MB). So a sum is over as many threads as leave few rounds of loads, and a thread
 * asks for several groups before it uses one. A CPU that is in for a GPU takes threads one after the other, and
 * pays for each at every barrier: there they are few.
 */
export interface Tile {
  /** Threads that are neighbours in their outputs. */
  readonly lanes: number;
  readonly perThread: number;
  /** Parts of the sum over the inputs. */
  readonly split: number;
  readonly outs: number;
  readonly threads: number;
  /** Loads of 16 bytes that a thread should have under way at a time. */
  readonly loads: number;
}

/** @property workgroups that there are at least; @property most parts of a sum */
const TILES = [
  // Output matrices: this many workgroups that a part is the whole sum.
  { lanes: 32, perThread: 4, most: 1, workgroups: 512 },
  { lanes: 8, perThread: 4, most: 16, workgroups: 112 },
  { lanes: 4, perThread: 2, most: 64, workgroups: 0 },
] as const;

/** On a CPU: 32 threads, where there are as many groups. */
const TILES_IN_SOFTWARE = [
  { lanes: 32, perThread: 4, most: 1, workgroups: 112 },
  { lanes: 8, perThread: 4, most: 4, workgroups: 112 },
  { lanes: 4, perThread: 2, most: 8, workgroups: 0 },
] as const;

/**
 * @param pairs whether a row of outputs takes two rows of the matrix (gate and up)
 * @param software whether the CPU is in for a GPU
 */
export function tileOf(
  out: number,
  groups: number,
  { pairs = false, software = false }: { pairs?: boolean; software?: boolean } = {},
): Tile {
  const rows = pairs ? 2 * out : out;
  const tiles = software ? TILES_IN_SOFTWARE : TILES;
  const { lanes, perThread, most } =
    tiles.find((tile) => rows / (tile.lanes * tile.perThread) >= tile.workgroups) ?? tiles[2];
  // No more threads than the longest sums of a thread need.
  const split = Math.ceil(groups / Math.ceil(groups / most));
  const outs = lanes * perThread;
  return { lanes, perThread, split, outs, threads: lanes * split, loads: software ? 1 : 8 };
}

/**
 * Groups of 32 inputs that a thread loads the weights of before it uses any. Of several rows it is one: there the
 * arithmetic hides loads.
 */
function togetherOf({ type, groups, tile, rowTile }: ProductCode): number {
  if (rowTile > 1) return 1;
  const trips = Math.ceil(groups / tile.split);
  const most = Math.max(1, Math.floor(tile.loads / (UNITS[type] * tile.perThread)));
  return Math.ceil(trips / Math.ceil(trips / most));
}

/** Parts of a sum that workgroup memory holds for each output: 8 kB of 8 rows. Of more, the later half is added first. */
const heldOf = ({ split, outs }: Tile): number =>
  split <= 256 / outs ? split : Math.ceil(split / 2);

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
export function productDeclarations(code: ProductCode): string {
  const { type, groups, tile, rowTile } = code;
  const { outs } = tile;
  const parts = heldOf(tile);
  const sum = each(parts, (k) => `s += red[${k * outs * rowTile}u + i];`, ' ');
  return `${matrixFunctions(type, groups)}
// Groups of 32 inputs of a trip.
const TOGETHER = ${togetherOf(code)}u;
var<workgroup> red: array<f32, ${parts * outs * rowTile}>;
// Output l of the workgroup, of row t of its tile.
fn total(l: u32, t: u32) -> f32 { let i = l * ${rowTile}u + t; var s = 0.0; ${sum} return s; }`;
}

export const MAIN = (threads: number): string => `@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32)`;

/** The place of the workgroup: `first`, `t0`, `tile`; of the thread: `lane`, `j`. */
export const productPlace = ({ tile, rowTile, tileOfRow }: ProductCode): string => `
  let id = ${GROUP_ID};
  ${
    tileOfRow
      ? `let t0 = min(id, u.rows - 1u); let tile = ${tileOfRow}; if (tile >= u.tiles) { return; }`
      : `let tile = id / u.rowTiles; let t0 = (id % u.rowTiles) * ${rowTile}u;`
  }
  let first = tile * ${tile.outs}u;
  let lane = li % ${tile.lanes}u; let j = li / ${tile.lanes}u;`;

/** The product up to a barrier, after which `total` gives sums. */
export function productBody(code: ProductCode): string {
  const { type, groups, tile, rowTile, subgroups, x, row } = code;
  const { lanes, perThread: R, split } = tile;
  const together = togetherOf(code);
  const load = (k: number, t: number, n: string): string =>
    `${x}[u.xAt + (t0 + ${t}u) * u.xStride + g${k} * 8u + ${n}]`;
  // What a thread loads of x: with subgroups a quarter of it.
  const quarters = subgroups ? [0, 4] : [0, 1, 2, 3, 4, 5, 6, 7];
  const xOf = (k: number, n: number, t: number): string =>
    `let v${k}_${n}_${t} = ${load(k, t, subgroups ? `${n}u + (li & 3u)` : `${n}u`)};`;
  const loads = (k: number): string => `
    ${k === 0 ? '' : `let g${k} = min(g0 + ${k * split}u, ${groups - 1}u);`}
    ${each(
      R,
      (r) =>
        `let at${k}_${r} = unitAt(r${r}, g${k}); let s${k}_${r} = scaleAt(r${r}, g${k}); ` +
        each(UNITS[type], (i) => `let w${k}_${r}_${i} = W[at${k}_${r} + ${i * 64}u];`, ' '),
    )}
    ${rowTile === 1 ? quarters.map((n) => xOf(k, n, 0)).join(' ') : ''}`;
  const add = (r: number, t: number): string =>
    `a${r}_${t} = fma(q${r}.x, v.x, fma(q${r}.y, v.y, fma(q${r}.z, v.z, fma(q${r}.w, v.w, a${r}_${t}))));`;
  const use = (k: number): string => {
    const quads = Array.from({ length: R }, (_, r) =>
      groupQuads(type, `w${k}_${r}_`, `s${k}_${r}`),
    );
    return each(
      8,
      (n) => `
      ${rowTile > 1 && quarters.includes(n) ? each(rowTile, (t) => xOf(k, n, t), ' ') : ''}
      { ${each(R, (r) => `let q${r} = ${quads[r]?.[n]};`, ' ')}
        ${each(rowTile, (t) => {
          const v = subgroups ? `quadBroadcast(v${k}_${n & 4}_${t}, ${n & 3}u)` : `v${k}_${n}_${t}`;
          return `{ let v = ${v}; ${each(R, (r) => add(r, t), ' ')} }`;
        })} }`,
    );
  };
  const parts = heldOf(tile);
  const place = (j: string, r: number, t: number): string =>
    `red[((${j} * ${R}u + ${r}u) * ${lanes}u + lane) * ${rowTile}u + ${t}u]`;
  const all = (code: (r: number, t: number) => string): string =>
    each(R, (r) => each(rowTile, (t) => code(r, t), ' '), ' ');
  const put = (j: string): string => all((r, t) => `${place(j, r, t)} = a${r}_${t};`);
  return `
  ${each(R, (r) => `let r${r} = ${row(r)};`, ' ')}
  ${all((r, t) => `var a${r}_${t} = 0.0;`)}
  for (var g0 = j; g0 < ${groups}u; g0 += ${split}u * TOGETHER) {
    ${each(together, loads)}
    ${each(together, (k) => (k === 0 ? use(k) : `if (g0 + ${k * split}u < ${groups}u) { ${use(k)} }`))}
  }
  ${
    parts === split
      ? put('j')
      : `if (j >= ${parts}u) { ${put(`(j - ${parts}u)`)} }
  workgroupBarrier();
  if (j < ${split - parts}u) { ${all((r, t) => `a${r}_${t} += ${place('j', r, t)};`)} }
  if (j < ${parts}u) { ${put('j')} }`
  }`;
}

/** Threads that add up the squares of a row. */
const SQUARES = 8;

/**
 * WGSL of 1 / rms of row t of the tile, from the partial sums of squares of 8 columns each that lie in `x`. What is
 * loaded is asked for in `before`, in front of the product; `store` goes before a barrier, `finish` after it.
 */
export function inverseRms(
  x: string,
  { groups, rowTile, tile: { threads } }: ProductCode,
): { declarations: string; before: string; store: string; finish: string } {
  const count = Math.ceil(groups / SQUARES);
  const load = (n: string): string =>
    each(
      count,
      (k) =>
        `let square${k} = ${x}[u.squaresAt + (t0 + ${n} / ${SQUARES}u) * ${groups}u + min(${n} % ${SQUARES}u + ${k * SQUARES}u, ${groups - 1}u)];`,
    );
  const add = (n: string): string => `var s = vec4f(0.0);
    ${each(count, (k) => `if (${n} % ${SQUARES}u + ${k * SQUARES}u < ${groups}u) { s += square${k}; }`)}
    rp[${n} / 4u][${n} % 4u] = (s.x + s.y) + (s.z + s.w);`;
  const all = rowTile * SQUARES;
  const once = threads >= all;
  return {
    declarations: `var<workgroup> rp: array<vec4f, ${2 * rowTile}>;`,
    before: once
      ? `let sq = min(li, ${all - 1}u);
  ${load('sq')}`
      : '',
    store: once
      ? `if (li < ${all}u) { ${add('li')} }`
      : `for (var n = li; n < ${all}u; n += ${threads}u) { ${load('n')}
    ${add('n')} }`,
    finish: `for (var n = li; n < ${rowTile}u; n += ${threads}u) {
    let s = rp[2u * n] + rp[2u * n + 1u]; rp[2u * n].x = inverseSqrt(((s.x + s.y) + (s.z + s.w)) / u.width + u.eps);
  }
  workgroupBarrier();`,
  };
}

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
      let at = part.z + (o - part.x) * u.rank4; let origin = u.lowAt + row * u.lowStride + part.w; let last = u.rank4 - 1u;
      for (var i = 0u; i < u.rank4; i += 4u) {
        ${each(4, (n) => `let b${n} = ${factors}[at + min(i + ${n}u, last)]; let x${n} = ${low}[origin + min(i + ${n}u, last)];`, ' ')}
        s += dot(b0, x0);
        ${each(3, (n) => `if (i + ${n + 1}u < u.rank4) { s += dot(b${n + 1}, x${n + 1}); }`, ' ')}
      }
      return u.scale * s;
    }
  }
  return 0.0;
}`;
