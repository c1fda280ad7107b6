import type { Kernel } from '../device/encoder.ts';
import { GROUP_ID } from '../device/encoder.ts';
import { declare, params, reads, writes } from '../kernels/many/params.ts';
import { each, HEIGHT, TRANSPOSED_TILE, transposedStep, X_TILE } from '../kernels/many/tile.ts';

/**
 * The kernels by which matrices and vectors learn. A gradient is a sum over thousands of rows: each split of the rows
 * leaves its own sum in `parts`, and `addParts` adds those in their order, so that the same rows give the same bits.
 */

export const NORM_ROWS = params(['width', 'xStride', 'nStride'], ['eps']);

/**
 * n[row] = rms(x[row]) · gain. Storage: x [rows, xStride], gain, n [rows, nStride], f32, after the width zeros.
 * Grid: rows.
 */
export function normRows(): Kernel {
  const { wgsl, access } = declare(NORM_ROWS, [
    reads('x', 'f32'),
    reads('gain', 'f32'),
    writes('n', 'f32'),
  ]);
  const code = () => `${wgsl}
var<workgroup> sums: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = ${GROUP_ID}; let at = row * p.xStride; let to = row * p.nStride;
  var sum = 0.0;
  for (var i = li; i < p.width; i += 64u) { let v = x[at + i]; sum += v * v; }
  sums[li] = sum;
  workgroupBarrier();
  var all = 0.0;
  for (var i = 0u; i < 64u; i++) { all += sums[i]; }
  let r = inverseSqrt(all / f32(p.width) + p.eps);
  for (var i = li; i < p.nStride; i += 64u) {
    if (i < p.width) { n[to + i] = x[at + i] * r * gain[i]; } else { n[to + i] = 0.0; }
  }
}`;
  return { key: 'norm rows', code, access };
}

export const MATRIX_GRADIENT = params(['rows', 'split', 'out', 'yStride', 'xStride', 'gStride']);

/**
 * parts[split, o, k] = Σ dy[row, o] x[row, k] over the rows of a split.
 * Storage: dy [rows, yStride] f32; x [rows, xStride] vec4f; parts [splits, out, gStride] vec4f.
 * Grid: k in tiles of 64, o in tiles of 64, splits of `split` rows.
 */
export function matrixGradient(): Kernel {
  const { wgsl, access } = declare(MATRIX_GRADIENT, [
    reads('dy', 'f32'),
    reads('x', 'vec4f'),
    writes('parts', 'vec4f'),
  ]);
  const code = () => `${wgsl}
${X_TILE}
${TRANSPOSED_TILE}
fn slope(row: u32, end: u32, o: u32) -> f32 {
  if (row >= end || o >= p.out) { return 0.0; }
  return dy[row * p.yStride + o];
}
fn input(row: u32, end: u32, k: u32) -> vec4f {
  if (row >= end || k >= p.gStride) { return vec4f(0.0); }
  return x[row * p.xStride + k];
}
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let lane = li & 15u; let group = li >> 4u; let c = li & 63u; let half = li >> 6u;
  let o0 = wid.y * 64u; let k = wid.x * 16u + lane;
  let begin = wid.z * p.split; let end = min(p.rows, begin + p.split);
  ${each(HEIGHT, (i) => `var c${i} = vec4f(0.0);`, '\n  ')}
  for (var at = begin; at < end; at += 16u) {
    workgroupBarrier();
    for (var q = half; q < 4u; q += 2u) {
      let row = at + 4u * q;
      xs[q * 65u + c] = vec4f(slope(row, end, o0 + c), slope(row + 1u, end, o0 + c), slope(row + 2u, end, o0 + c), slope(row + 3u, end, o0 + c));
    }
    ws[group * 17u + lane] = input(at + group, end, k);
    ws[(group + 8u) * 17u + lane] = input(at + group + 8u, end, k);
    workgroupBarrier();
    ${transposedStep()}
  }
  if (k < p.gStride) {
    ${each(HEIGHT, (i) => `{ let o = o0 + group + ${8 * i}u; if (o < p.out) { parts[(wid.z * p.out + o) * p.gStride + k] = c${i}; } }`, '\n    ')}
  }
}`;
  return { key: 'matrix gradient', code, access };
}

export const ADD_PARTS = params(['size', 'splits']);

/** gradient[i] += Σ parts[split, i]. Storage: parts [splits, size], gradient [size], f32. Grid: size / 64. */
export function addParts(): Kernel {
  const { wgsl, access } = declare(ADD_PARTS, [reads('parts', 'f32'), writes('gradient', 'f32')]);
  const code = () => `${wgsl}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ${GROUP_ID} * 64u + li;
  if (i >= p.size) { return; }
  var sum = 0.0;
  for (var s = 0u; s < p.splits; s++) { sum += parts[s * p.size + i]; }
  gradient[i] += sum;
}`;
  return { key: 'add parts', code, access };
}

/** Rows of a split of `columnSums` and `headGains`. */
export const SPLIT_ROWS = 256;

export const COLUMN_SUMS = params(['rows', 'width', 'xStride', 'dStride'], ['eps']);

/**
 * parts[split, c] = Σ d[row, c] over the rows of a split; with a norm, Σ d[row, c] x[row, c] / rms(x[row]).
 * Storage: x [rows, xStride] f32 and, where d's rows are picked ones of x, picks vec4u; d [rows, dStride] f32; parts
 * [splits, width] f32. Grid: splits, columns in tiles of 64.
 */
export function columnSums({ norm, picked }: { norm: boolean; picked: boolean }): Kernel {
  const { wgsl, access } = declare(COLUMN_SUMS, [
    norm && reads('x', 'f32'),
    norm && picked && reads('picks', 'vec4u'),
    reads('d', 'f32'),
    writes('parts', 'f32'),
  ]);
  const code = () => `${wgsl}
${
  norm
    ? `var<workgroup> inverse: array<f32, ${SPLIT_ROWS}>;
fn place(row: u32) -> u32 { return ${picked ? 'picks[row].x' : 'row'} * p.xStride; }`
    : ''
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let r0 = wid.x * ${SPLIT_ROWS}u; let end = min(r0 + ${SPLIT_ROWS}u, p.rows); let c = wid.y * 64u + li;
  ${
    norm
      ? `for (var row = r0 + li; row < end; row += 64u) {
    let at = place(row); var sum = 0.0;
    for (var i = 0u; i < p.width; i++) { let v = x[at + i]; sum += v * v; }
    inverse[row - r0] = inverseSqrt(sum / f32(p.width) + p.eps);
  }
  workgroupBarrier();`
      : ''
  }
  if (c >= p.width) { return; }
  var sum = 0.0;
  for (var row = r0; row < end; row++) { sum += d[row * p.dStride + c]${norm ? ' * x[place(row) + c] * inverse[row - r0]' : ''}; }
  parts[wid.x * p.width + c] = sum;
}`;
  return { key: `column sums ${Number(norm)}${Number(picked)}`, code, access };
}

/** Most heads, and most of 64 values of a head, that `headGains` has room for. */
const HEADS_ROOM = 512;
const BLOCKS_ROOM = 8;

export const HEAD_GAINS = params(
  ['rows', 'heads', 'headDim', 'column', 'rawStride', 'givenStride'],
  ['scale', 'eps'],
);

/**
 * parts[split, e] = Σ over rows and heads of the gradient of a normed head's value e, times the value / rms(head).
 * Storage: raw [rows, rawStride]; angles [positions, D/2] vec2f and the table of tokens where heads are turned; given
 * [rows, givenStride], the gradient behind turning; parts [splits, D]. Grid: splits.
 */
export function headGains({ rotary }: { rotary: boolean }): Kernel {
  const { wgsl, access } = declare(HEAD_GAINS, [
    reads('raw', 'f32'),
    rotary && reads('angles', 'vec2f'),
    rotary && reads('tokens', 'vec4u'),
    reads('given', 'f32'),
    writes('parts', 'f32'),
  ]);
  const code = () => `${wgsl}
var<workgroup> inverse: array<f32, ${HEADS_ROOM}>;
fn given_(row: u32, head: u32, e: u32) -> f32 { return p.scale * given[row * p.givenStride + head * p.headDim + e]; }
fn back(row: u32, head: u32, e: u32) -> f32 {
  ${
    rotary
      ? `let half = p.headDim / 2u; let at = tokens[row].y;
  if (e < half) { let a = angles[at * half + e]; return given_(row, head, e) * a.x + given_(row, head, e + half) * a.y; }
  let a = angles[at * half + e - half]; return given_(row, head, e) * a.x - given_(row, head, e - half) * a.y;`
      : 'return given_(row, head, e);'
  }
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let r0 = wid.x * ${SPLIT_ROWS}u; let end = min(r0 + ${SPLIT_ROWS}u, p.rows);
  var sums: array<f32, ${BLOCKS_ROOM}>;
  for (var row = r0; row < end; row++) {
    let start = row * p.rawStride + p.column;
    workgroupBarrier();
    for (var h = li; h < p.heads; h += 64u) {
      var sum = 0.0;
      for (var e = 0u; e < p.headDim; e++) { let v = raw[start + h * p.headDim + e]; sum += v * v; }
      inverse[h] = inverseSqrt(sum / f32(p.headDim) + p.eps);
    }
    workgroupBarrier();
    for (var e = li; e < p.headDim; e += 64u) {
      var sum = 0.0;
      for (var h = 0u; h < p.heads; h++) { sum += back(row, h, e) * raw[start + h * p.headDim + e] * inverse[h]; }
      sums[e / 64u] += sum;
    }
  }
  for (var e = li; e < p.headDim; e += 64u) { parts[wid.x * p.headDim + e] = sums[e / 64u]; }
}`;
  return { key: `head gains ${Number(rotary)}`, code, access };
}

/** Rows of one token that are added up at once. */
export const CHUNK_ROWS = 64;

export const TOKEN_ROWS = params(['width', 'dStride', 'chunks', 'at']);

/**
 * parts[chunk] = Σ d[row] over a chunk's rows. `table`, u32: the rows by token, and from `at` on each chunk's first and
 * end among them. Storage: table; d [rows, dStride] f32; parts [chunks, width] f32. Grid: chunks.
 */
export function tokenRows(): Kernel {
  const { wgsl, access } = declare(TOKEN_ROWS, [
    reads('table', 'u32'),
    reads('d', 'f32'),
    writes('parts', 'f32'),
  ]);
  const code = () => `${wgsl}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let chunk = ${GROUP_ID};
  if (chunk >= p.chunks) { return; }
  let first = table[p.at + 2u * chunk]; let end = table[p.at + 2u * chunk + 1u];
  for (var c = li; c < p.width; c += 64u) {
    var sum = 0.0;
    for (var n = first; n < end; n++) { sum += d[table[n] * p.dStride + c]; }
    parts[chunk * p.width + c] = sum;
  }
}`;
  return { key: 'token rows', code, access };
}

export const TOKEN_GRADIENT = params(['width', 'gStride', 'ids', 'at']);

/**
 * gradient[id] += Σ parts[chunk] over the id's chunks. `table`, u32: from `at` on each id, its first chunk and the one
 * after its last. Storage: table; parts [chunks, width]; gradient [ids, gStride] f32. Grid: ids that occur.
 */
export function tokenGradient(): Kernel {
  const { wgsl, access } = declare(TOKEN_GRADIENT, [
    reads('table', 'u32'),
    reads('parts', 'f32'),
    writes('gradient', 'f32'),
  ]);
  const code = () => `${wgsl}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let n = ${GROUP_ID};
  if (n >= p.ids) { return; }
  let id = table[p.at + 3u * n]; let first = table[p.at + 3u * n + 1u]; let end = table[p.at + 3u * n + 2u];
  for (var c = li; c < p.width; c += 64u) {
    var sum = 0.0;
    for (var chunk = first; chunk < end; chunk++) { sum += parts[chunk * p.width + c]; }
    gradient[id * p.gStride + c] += sum;
  }
}`;
  return { key: 'token gradient', code, access };
}
