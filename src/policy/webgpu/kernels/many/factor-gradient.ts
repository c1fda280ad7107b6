import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';

export interface FactorGradientKind {
  /** `A` [rank, in]: out of x and u. `B` [out, rank]: out of dy and t. */
  readonly side: 'A' | 'B';
  /** Whether x is normed. */
  readonly norm: boolean;
}

export const FACTOR_GRADIENT = params(
  ['rows', 'wideStride', 'narrowStride', 'rank', 'factorStride', 'blocks'],
  ['scale'],
  true,
);

/**
 * A: gradient[r, k] += Σ_row u[row, r] x[row, k]. B: gradient[o, r] += scale Σ_row dy[row, o] t[row, r].
 * Rows are added in their order.
 *
 * Storage: wide (x or dy) [rows, wideStride] f32; narrow (u or t) [rows, narrowStride] vec4f; gain and inverse
 * [rows] of the norm of x, left out without one; gradients of the factors.
 * Parts: start of wide's columns, their number, where the factor is (floats), where narrow's columns are (vec4f).
 * Grid: wide's columns in tiles of 64 (the widest part's), parts × blocks of 16 ranks.
 */
export function factorGradient({ side, norm }: FactorGradientKind): Kernel {
  const { wgsl, access } = declare(FACTOR_GRADIENT, [
    reads('wide', 'f32'),
    reads('narrow', 'vec4f'),
    norm && reads('gain', 'f32'),
    norm && reads('inverse', 'f32'),
    writes('gradient', 'f32'),
  ]);
  const code = () => `${wgsl}
var<workgroup> ws: array<vec4f, 512>; // [32 rows][16 quads of columns]
var<workgroup> ns: array<vec4f, 128>; // [32 rows][4 quads of ranks]
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let part = p.parts[wid.y / p.blocks]; let block = wid.y % p.blocks;
  let c0 = wid.x * 64u; let quad = li & 15u; let ranks = li >> 4u;
  if (c0 >= part.y) { return; }
  let column = min(vec4u(c0 + 4u * quad) + vec4u(0u, 1u, 2u, 3u), vec4u(part.y - 1u));
  ${norm ? 'let g = vec4f(gain[column.x], gain[column.y], gain[column.z], gain[column.w]);' : ''}
  var s0 = vec4f(0.0); var s1 = vec4f(0.0); var s2 = vec4f(0.0); var s3 = vec4f(0.0);
  for (var at = 0u; at < p.rows; at += 32u) {
    workgroupBarrier();
    for (var i = ranks; i < 32u; i += 4u) {
      let row = at + i; var v = vec4f(0.0);
      if (row < p.rows) {
        let n = row * p.wideStride + part.x;
        v = vec4f(wide[n + column.x], wide[n + column.y], wide[n + column.z], wide[n + column.w])${norm ? ' * g * inverse[row]' : ''};
      }
      ws[i * 16u + quad] = v;
    }
    for (var i = li; i < 128u; i += 64u) {
      let row = at + (i >> 2u); let q = block * 4u + (i & 3u); var v = vec4f(0.0);
      if (row < p.rows && 4u * q < p.rank) { v = narrow[row * p.narrowStride + part.w + q]; }
      ns[i] = v;
    }
    workgroupBarrier();
    for (var i = 0u; i < 32u; i++) {
      let w = ws[i * 16u + quad]; let n = ns[i * 4u + ranks];
      s0 = fma(vec4f(n.x), w, s0); s1 = fma(vec4f(n.y), w, s1); s2 = fma(vec4f(n.z), w, s2); s3 = fma(vec4f(n.w), w, s3);
    }
  }
  let sums = array<vec4f, 4>(s0, s1, s2, s3);
  for (var j = 0u; j < 4u; j++) {
    let r = block * 16u + ranks * 4u + j;
    for (var i = 0u; i < 4u; i++) {
      let c = c0 + 4u * quad + i;
      if (r < p.rank && c < part.y) {
        let to = part.z + ${side === 'A' ? 'r * p.factorStride + c' : 'c * p.factorStride + r'};
        gradient[to] += p.scale * sums[j][i];
      }
    }
  }
}`;
  return { key: `factor gradient ${side}${norm ? ' normed' : ''}`, code, access };
}
