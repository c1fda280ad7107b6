import type { Norm } from '../../../ops/ops.ts';
import type { Gpu } from '../../device/gpu.ts';
import type { Rows } from '../../device/learned.ts';
import { own, GpuVector, type GpuActivations } from '../../device/values.ts';
import type { Prepared } from '../embed.ts';
import { declare, params, reads, writes } from './params.ts';

const PARAMS = params(['width', 'yStride', 'xStride', 'squaresAt'], ['eps']);

/**
 * x += y / rms(y) · gain; with `next`, x is prepared for the norm that reads it next: see `FewState`. Strides are in
 * vec4f. Grid: rows.
 */
function kernel(next: boolean) {
  const { wgsl, access } = declare(PARAMS, [
    reads('y', 'vec4f'),
    reads('gain', 'vec4f'),
    writes('x', 'vec4f'),
    next && reads('weight', 'vec4f'),
    next && writes('few', 'vec4f'),
  ]);
  const code = () => `${wgsl}
var<workgroup> sums: array<f32, 64>;
// Columns beyond the width hold anything.
fn output(at: u32, q: u32) -> vec4f {
  return select(vec4f(0.0), y[at + q], vec4u(4u * q) + vec4u(0u, 1u, 2u, 3u) < vec4u(p.width));
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let source = wid.x * p.yStride; let to = wid.x * p.xStride;
  var sum = 0.0;
  for (var q = li; 4u * q < p.width; q += 64u) { let v = output(source, q); sum += dot(v, v); }
  sums[li] = sum;
  workgroupBarrier();
  var all = 0.0;
  for (var i = 0u; i < 64u; i++) { all += sums[i]; }
  let r = inverseSqrt(all / f32(p.width) + p.eps);
  for (var i = li; 8u * i < p.width; i += 64u) {
    let a = x[to + 2u * i] + output(source, 2u * i) * r * gain[2u * i];
    let b = x[to + 2u * i + 1u] + output(source, 2u * i + 1u) * r * gain[2u * i + 1u];
    x[to + 2u * i] = a; x[to + 2u * i + 1u] = b;
    ${
      next
        ? `few[to + 2u * i] = a * weight[2u * i]; few[to + 2u * i + 1u] = b * weight[2u * i + 1u];
    var s = 0.0;
    for (var k = 0u; k < 4u; k++) { s = fma(a[k], a[k], s); }
    for (var k = 0u; k < 4u; k++) { s = fma(b[k], b[k], s); }
    few[p.squaresAt + wid.x * (p.xStride / 8u) + i / 4u][i % 4u] = s;`
        : ''
    }
  }
  ${
    next
      ? `for (var i = (p.width + 7u) / 8u + li; i < p.xStride / 2u; i += 64u) {
    few[to + 2u * i] = vec4f(0.0); few[to + 2u * i + 1u] = vec4f(0.0);
    few[p.squaresAt + wid.x * (p.xStride / 8u) + i / 4u][i % 4u] = 0.0;
  }`
      : ''
  }
}`;
  return { key: `output norm${next ? ' next' : ''}`, code, access };
}

/** x += rms(y) of rows of a projection. */
export function addNormed(
  gpu: Gpu,
  o: { y: Rows; norm: Norm; x: GpuActivations; rows: number; next: Prepared | null },
): void {
  const { y, norm, x, rows, next } = o;
  gpu.encoder.dispatch(
    kernel(next !== null),
    [
      y.buffer,
      own(GpuVector, norm.weight).buffer,
      x.buffer,
      ...(next ? [next.weight.buffer, next.range] : []),
    ],
    PARAMS.words({
      width: x.width,
      yStride: y.stride / 4,
      xStride: x.stride / 4,
      squaresAt: next?.squaresAt ?? 0,
      eps: norm.eps,
    }),
    [rows, 1],
  );
}
