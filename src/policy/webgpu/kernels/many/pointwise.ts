import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';

export const GATE = params(['width', 'rawStride', 'stride']);

/**
 * Of raw [rows, gate | up]: out = silu(gate) · up, or backward, dOut given, raw ← its gradient.
 * Storage: raw [rows, rawStride] f32; out or dOut [rows, stride] f32. Grid: width / 64, rows.
 */
export function gate(direction: 'forward' | 'backward'): Kernel {
  const back = direction === 'backward';
  const { wgsl, access } = declare(
    GATE,
    back
      ? [writes('raw', 'f32'), reads('dOut', 'f32')]
      : [reads('raw', 'f32'), writes('out', 'f32')],
  );
  const code = () => `${wgsl}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width) { return; }
  let g = id.y * p.rawStride + id.x; let u = g + p.width; let at = id.y * p.stride + id.x;
  let gate = raw[g]; let up = raw[u]; let s = 1.0 / (1.0 + exp(-gate));
  ${
    back
      ? 'let d = dOut[at]; raw[g] = d * up * s * (1.0 + gate * (1.0 - s)); raw[u] = d * gate * s;'
      : 'out[at] = gate * s * up;'
  }
}`;
  return { key: `gate ${direction}`, code, access };
}

export const NORM_BACKWARD = params(['width', 'xStride', 'dnStride', 'dxStride'], ['eps']);

/** Lane sums in `sums` are added in their order. */
export const ADD_LANES = `var<workgroup> sums: array<vec2f, 64>;
fn added() -> vec2f { var t = vec2f(0.0); for (var i = 0u; i < 64u; i++) { t += sums[i]; } return t; }`;

/**
 * dx += the gradient through x / rms(x) · gain, dn given.
 * Storage: x [rows, xStride], gain, dn [rows, dnStride], dx [rows, dxStride], f32. Grid: rows.
 */
export function normBackward(): Kernel {
  const { wgsl, access } = declare(NORM_BACKWARD, [
    reads('x', 'f32'),
    reads('gain', 'f32'),
    reads('dn', 'f32'),
    writes('dx', 'f32'),
  ]);
  const code = () => `${wgsl}
${ADD_LANES}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let xs = wid.x * p.xStride; let ns = wid.x * p.dnStride; let to = wid.x * p.dxStride;
  var sum = vec2f(0.0);
  for (var i = li; i < p.width; i += 64u) { let v = x[xs + i]; sum += v * vec2f(v, dn[ns + i] * gain[i]); }
  sums[li] = sum;
  workgroupBarrier();
  let t = added(); let r = inverseSqrt(t.x / f32(p.width) + p.eps); let f = t.y * r * r * r / f32(p.width);
  for (var i = li; i < p.width; i += 64u) { dx[to + i] += r * gain[i] * dn[ns + i] - f * x[xs + i]; }
}`;
  return { key: 'norm backward', code, access };
}
