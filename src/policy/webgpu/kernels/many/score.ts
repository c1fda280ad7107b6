import type { MatrixType } from '../../../ops/values.ts';
import type { Kernel } from '../../device/encoder.ts';
import { hasScales } from '../weights.ts';
import { eight } from './eight.ts';
import { declare, params, reads, writes } from './params.ts';
import { ADD_LANES } from './pointwise.ts';
import {
  BEYOND,
  each,
  FORWARD_TILE,
  forwardStep,
  forwardSums,
  HEIGHT,
  MAIN,
  WIDTH,
  X_TILE,
} from './tile.ts';

export const PICK_ROWS = params(['width', 'xStride', 'nStride'], ['eps']);

/**
 * n[pick] = rms(x[row of the pick]) · gain.
 * Storage: x [rows, xStride], gain, f32; picks, vec4u (row, target, temperature, −); n [picks, nStride]. Grid: picks.
 */
export function pickRows(): Kernel {
  const { wgsl, access } = declare(PICK_ROWS, [
    reads('x', 'f32'),
    reads('gain', 'f32'),
    reads('picks', 'vec4u'),
    writes('n', 'f32'),
  ]);
  const code = () => `${wgsl}
${ADD_LANES}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let at = picks[wid.x].x * p.xStride; let to = wid.x * p.nStride;
  var sum = 0.0;
  for (var i = li; i < p.width; i += 64u) { let v = x[at + i]; sum += v * v; }
  sums[li] = vec2f(sum, 0.0);
  workgroupBarrier();
  let r = inverseSqrt(added().x / f32(p.width) + p.eps);
  for (var i = li; i < p.nStride; i += 64u) {
    if (i < p.width) { n[to + i] = x[at + i] * r * gain[i]; } else { n[to + i] = 0.0; }
  }
}`;
  return { key: 'pick rows', code, access };
}

export const LOGITS = params([
  ...(['rows', 'width', 'xStride', 'wRows', 'wUnits', 'first', 'count'] as const),
  ...(['column', 'yStride', 'chunks', 'chunk'] as const),
]);

/** Tiles of 64 logits whose sums are one entry of `sums`. */
export const CHUNK_TILES = 4;

/** Sums c{i}_{j} of the tile that begins at row o0 of W. */
const tile = (): string => `for (var at = 0u; at < p.width; at += 16u) {
    workgroupBarrier();
    { let q = at / 4u + xq;
      xs[xq * 65u + xRow] = within(x[x0 * p.xStride + q], q, p.width);
      xs[xq * 65u + xRow + 32u] = within(x[x1 * p.xStride + q], q, p.width);
      let w = eight(min(p.first + o0 + c, p.wRows - 1u), at / 8u + half);
      ws[half * 128u + c] = w.a; ws[half * 128u + 64u + c] = w.b; }
    workgroupBarrier();
    ${forwardStep()}
  }`;

const START = `${MAIN}
  let r0 = wid.y * 64u; let c = li & 63u; let half = li >> 6u;
  let xq = li & 3u; let xRow = li >> 2u;
  let x0 = min(r0 + xRow, p.rows - 1u); let x1 = min(r0 + xRow + 32u, p.rows - 1u);`;

/**
 * Of each pick and chunk of 256 logits z = l / T: their maximum, Σ exp(z − maximum) and Σ exp(z − maximum)
 * (z − maximum); and z of the target. Nothing else of the logits is kept.
 *
 * Storage: W; S; x [picks, xStride] vec4f, normed; picks; sums [picks, chunks] vec4f; targets [picks] f32.
 * `column` is the id of row `first` of W, `chunk` that of the first chunk here. Grid: chunks here, picks in tiles
 * of 64.
 */
export function scoreSums(type: MatrixType): Kernel {
  const { wgsl, access } = declare(LOGITS, [
    reads('W', 'vec4u'),
    hasScales(type) && reads('S', 'u32'),
    reads('x', 'vec4f'),
    reads('picks', 'vec4u'),
    writes('sums', 'vec4f'),
    writes('targets', 'f32'),
  ]);
  const code = () => `${wgsl}
${eight(type, 'apart')}
${BEYOND}
${X_TILE}
${FORWARD_TILE}
var<workgroup> lanes: array<vec4f, 128>;
// Adds the sums b to a.
fn joined(a: vec3f, b: vec3f) -> vec3f {
  let m = max(a.x, b.x); let u = a.x - m; let v = b.x - m; let e = exp(u); let f = exp(v);
  return vec3f(m, a.y * e + b.y * f, (a.z + u * a.y) * e + (b.z + v * b.y) * f);
}
${START}
  ${each(HEIGHT, (i) => `var s${i} = vec3f(-3.0e38, 0.0, 0.0); let pick${i} = picks[min(r0 + group + ${8 * i}u, p.rows - 1u)];`, '\n  ')}
  for (var n = 0u; n < ${CHUNK_TILES}u; n++) {
    let o0 = (wid.x * ${CHUNK_TILES}u + n) * 64u;
    ${forwardSums()}
    ${tile()}
    ${each(
      HEIGHT,
      (i) =>
        `{ let t = bitcast<f32>(pick${i}.z); ${each(
          WIDTH,
          (
            j,
          ) => `if (o0 + lane + ${16 * j}u < p.count) { let z = c${i}_${j} / t; s${i} = joined(s${i}, vec3f(z, 1.0, 0.0));
      if (p.column + o0 + lane + ${16 * j}u == pick${i}.y && r0 + group + ${8 * i}u < p.rows) { targets[r0 + group + ${8 * i}u] = z; } }`,
        )} }`,
      '\n    ',
    )}
  }
  ${each(
    HEIGHT,
    (i) => `workgroupBarrier();
  lanes[li] = vec4f(s${i}, 0.0);
  workgroupBarrier();
  if (lane == 0u && r0 + group + ${8 * i}u < p.rows) {
    var t = lanes[li].xyz; for (var n = 1u; n < 16u; n++) { t = joined(t, lanes[li + n].xyz); }
    sums[(r0 + group + ${8 * i}u) * p.chunks + p.chunk + wid.x] = vec4f(t, 0.0);
  }`,
    '\n  ',
  )}
}`;
  return { key: `score sums ${type}`, code, access };
}

export const SCORE = params(['chunks']);

/**
 * results[pick] = (log-probability, entropy, log Σ exp(z), 1 where no z is higher than the target's) out of `scoreSums`.
 * Storage: sums, targets, results vec4f. Grid: picks.
 */
export function scoreResults(): Kernel {
  const { wgsl, access } = declare(SCORE, [
    reads('sums', 'vec4f'),
    reads('targets', 'f32'),
    writes('results', 'vec4f'),
  ]);
  const code = () => `${wgsl}
var<workgroup> lanes: array<vec3f, 64>;
fn joined(a: vec3f, b: vec3f) -> vec3f {
  let m = max(a.x, b.x); let u = a.x - m; let v = b.x - m; let e = exp(u); let f = exp(v);
  return vec3f(m, a.y * e + b.y * f, (a.z + u * a.y) * e + (b.z + v * b.y) * f);
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  var t = vec3f(-3.0e38, 0.0, 0.0);
  for (var i = li; i < p.chunks; i += 64u) { t = joined(t, sums[wid.x * p.chunks + i].xyz); }
  lanes[li] = t;
  workgroupBarrier();
  if (li == 0u) {
    for (var i = 1u; i < 64u; i++) { t = joined(t, lanes[i]); }
    let all = t.x + log(t.y);
    results[wid.x] = vec4f(targets[wid.x] - all, log(t.y) - t.z / t.y, all, select(0.0, 1.0, targets[wid.x] >= t.x));
  }
}`;
  return { key: 'score results', code, access };
}

/**
 * `logits`: y[pick, o] = logit of row first + o of W. `slopes`: the gradient of c (−log-probability) with respect
 * to it, c / T (p − [o is the target]).
 *
 * Storage: W; S; x [picks, xStride] vec4f, normed; for slopes picks, results (of `scoreResults`) and coefficients
 * [picks]; y [picks, yStride] f32. Grid: logits in tiles of 64, picks in tiles of 64.
 */
export function logits(type: MatrixType, what: 'logits' | 'slopes'): Kernel {
  const slopes = what === 'slopes';
  const { wgsl, access } = declare(LOGITS, [
    reads('W', 'vec4u'),
    hasScales(type) && reads('S', 'u32'),
    reads('x', 'vec4f'),
    slopes && reads('picks', 'vec4u'),
    slopes && reads('results', 'vec4f'),
    slopes && reads('coefficients', 'f32'),
    writes('y', 'f32'),
  ]);
  const code = () => `${wgsl}
${eight(type, 'apart')}
${BEYOND}
${X_TILE}
${FORWARD_TILE}
${START}
  let o0 = wid.x * 64u;
  ${forwardSums()}
  ${tile()}
  ${each(
    HEIGHT,
    (i) => `{ let row = r0 + group + ${8 * i}u; if (row < p.rows) {
    ${slopes ? 'let pick = picks[row]; let t = bitcast<f32>(pick.z); let all = results[row].z; let f = coefficients[row] / t;' : ''}
    ${each(WIDTH, (j) => {
      const o = `o0 + lane + ${16 * j}u`;
      const value = slopes
        ? `f * (exp(c${i}_${j} / t - all) - select(0.0, 1.0, p.column + ${o} == pick.y))`
        : `c${i}_${j}`;
      return `if (${o} < p.count) { y[row * p.yStride + ${o}] = ${value}; }`;
    })} } }`,
    '\n  ',
  )}
}`;
  return { key: `${what} ${type}`, code, access };
}

export const PICK_GRADIENT = params(['width', 'xStride', 'nStride', 'dxStride', 'order'], ['eps']);

/**
 * dx[row] = gradient through the norm of Σ dn over the row's picks; 0 where it has none.
 * Storage: x [rows, xStride], gain, dn [picks, nStride], f32; where each row's picks begin [rows + 1] and, from
 * `order` on, the picks by row, u32; dx [rows, dxStride]. Grid: rows.
 */
export function pickGradient(): Kernel {
  const { wgsl, access } = declare(PICK_GRADIENT, [
    reads('x', 'f32'),
    reads('gain', 'f32'),
    reads('dn', 'f32'),
    reads('ofRow', 'u32'),
    writes('dx', 'f32'),
  ]);
  const code = () => `${wgsl}
${ADD_LANES}
fn given(first: u32, end: u32, i: u32) -> f32 {
  var d = 0.0;
  for (var n = first; n < end; n++) { d += dn[ofRow[p.order + n] * p.nStride + i]; }
  return d;
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let first = ofRow[wid.x]; let end = ofRow[wid.x + 1u];
  let at = wid.x * p.xStride; let to = wid.x * p.dxStride;
  if (first == end) {
    for (var i = li; i < p.width; i += 64u) { dx[to + i] = 0.0; }
    return;
  }
  var sum = vec2f(0.0);
  for (var i = li; i < p.width; i += 64u) { let v = x[at + i]; sum += v * vec2f(v, given(first, end, i) * gain[i]); }
  sums[li] = sum;
  workgroupBarrier();
  let t = added(); let r = inverseSqrt(t.x / f32(p.width) + p.eps); let f = t.y * r * r * r / f32(p.width);
  for (var i = li; i < p.width; i += 64u) { dx[to + i] = r * gain[i] * given(first, end, i) - f * x[at + i]; }
}`;
  return { key: 'pick gradient', code, access };
}
