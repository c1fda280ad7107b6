import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';

export interface LowRankKind {
  /** `A`: t = A x, the factor [rank, in]. `B`: u = scale · Bᵀ dy, the factor [out, rank]. */
  readonly side: 'A' | 'B';
  /** Whether x is normed. Then 1 / rms(x) of each row is left, too. */
  readonly norm: boolean;
}

export const LOW_RANK = params(
  ['rows', 'xStride', 'rank', 'factorStride', 'tStride', 'blocks'],
  ['scale', 'eps'],
  true,
);

/**
 * t[row, part, r] = scale Σ_k x[row, start + k] F[r, k] over the part's k: the narrow products of an adapter.
 *
 * Storage: x [rows, xStride] f32; gain; the factors; t [rows, tStride] vec4f, filled with zeros from the rank to
 * the next multiple of 4; inverse [rows], 1 / rms. Without a norm gain and inverse are left out.
 * Parts: start of x's columns, their number, where the factor is (A: floats, [rank, factorStride]; B: vec4f, [out, factorStride]), where t's columns are (vec4f).
 * Grid: rows in tiles of 16, parts × blocks of 16 ranks.
 */
export function lowRank({ side, norm }: LowRankKind): Kernel {
  const { wgsl, access } = declare(LOW_RANK, [
    reads('x', 'f32'),
    norm && reads('gain', 'f32'),
    reads('F', side === 'A' ? 'f32' : 'vec4f'),
    writes('t', 'vec4f'),
    norm && writes('inverse', 'f32'),
  ]);
  const code = () => `${wgsl}
var<workgroup> xs: array<f32, 1040>; // [16 rows][65]
var<workgroup> ws: array<vec4f, 260>; // [4 quads of ranks][65]
${norm ? 'var<workgroup> squares: array<f32, 64>;' : ''}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let part = p.parts[wid.y / p.blocks]; let block = wid.y % p.blocks;
  let r0 = wid.x * 16u; let row = li >> 2u; let quad = li & 3u;
  var sum = vec4f(0.0); ${norm ? 'var square = 0.0;' : ''}
  for (var at = 0u; at < part.y; at += 64u) {
    workgroupBarrier();
    let k = at + li; let some = k < part.y; let kk = min(k, part.y - 1u);
    for (var i = 0u; i < 16u; i++) {
      xs[i * 65u + li] = select(0.0, x[min(r0 + i, p.rows - 1u) * p.xStride + part.x + kk], some);
    }
    ${norm ? 'let g = gain[kk];' : ''}
    for (var i = 0u; i < 4u; i++) {
      var w = vec4f(0.0);
      ${
        side === 'A'
          ? `for (var j = 0u; j < 4u; j++) {
        let r = block * 16u + i * 4u + j;
        if (some && r < p.rank) { w[j] = F[part.z + r * p.factorStride + k]; }
      }`
          : `let q = block * 4u + i;
      if (some && 4u * q < p.rank) { w = F[part.z + k * p.factorStride + q]; }`
      }
      ws[i * 65u + li] = w${norm ? ' * g' : ''};
    }
    workgroupBarrier();
    for (var i = 0u; i < 64u; i++) { sum = fma(vec4f(xs[row * 65u + i]), ws[quad * 65u + i], sum); }
    ${norm ? 'for (var i = quad; i < 64u; i += 4u) { let v = xs[row * 65u + i]; square += v * v; }' : ''}
  }
  ${
    norm
      ? `squares[li] = square;
  workgroupBarrier();
  let r = inverseSqrt((squares[row * 4u] + squares[row * 4u + 1u] + squares[row * 4u + 2u] + squares[row * 4u + 3u]) / f32(part.y) + p.eps);
  sum *= r;
  if (wid.y == 0u && quad == 0u && r0 + row < p.rows) { inverse[r0 + row] = r; }`
      : ''
  }
  let to = block * 4u + quad;
  if (r0 + row < p.rows && 4u * to < p.rank) { t[(r0 + row) * p.tStride + part.w + to] = p.scale * sum; }
}`;
  return { key: `low rank ${side}${norm ? ' normed' : ''}`, code, access };
}
