import type { Gate } from '../../../checkpoint/config.ts';
import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';

export const GATE = params(['width', 'rawStride', 'stride']);

/**
 * WGSL `gated(g)` and its derivative `gateSlope(g)`. GELU in its tanh form is g · sigmoid(z) with
 * z = 2 √(2/π) (g + 0.044715 g³), which grows so fast that e^−z is kept finite.
 */
export const gateFunctions = (gate: Gate = 'silu'): string =>
  gate === 'silu'
    ? `fn gated(g: f32) -> f32 { return g / (1.0 + exp(-g)); }
fn gateSlope(g: f32) -> f32 { let s = 1.0 / (1.0 + exp(-g)); return s * (1.0 + g * (1.0 - s)); }`
    : `fn gelu(g: f32) -> f32 { return 1.0 / (1.0 + exp(min(-1.5957691216 * g * fma(0.044715 * g, g, 1.0), 80.0))); }
fn gated(g: f32) -> f32 { return g * gelu(g); }
fn gateSlope(g: f32) -> f32 {
  let s = gelu(g); return s * (1.0 + g * (1.0 - s) * 1.5957691216 * fma(0.134145 * g, g, 1.0));
}`;

/**
 * Of raw [rows, gate | up]: out = gated(gate) · up, or backward, dOut given, raw ← its gradient.
 * Storage: raw [rows, rawStride] f32; out or dOut [rows, stride] f32. Grid: width / 64, rows.
 */
export function gate(direction: 'forward' | 'backward', kind: Gate = 'silu'): Kernel {
  const back = direction === 'backward';
  const { wgsl, access } = declare(
    GATE,
    back
      ? [writes('raw', 'f32'), reads('dOut', 'f32')]
      : [reads('raw', 'f32'), writes('out', 'f32')],
  );
  const code = () => `${wgsl}
${gateFunctions(kind)}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.width) { return; }
  let g = id.y * p.rawStride + id.x; let u = g + p.width; let at = id.y * p.stride + id.x;
  let gate = raw[g]; let up = raw[u];
  ${
    back
      ? 'let d = dOut[at]; raw[g] = d * up * gateSlope(gate); raw[u] = d * gated(gate);'
      : 'out[at] = gated(gate) * up;'
  }
}`;
  return { key: `gate ${kind} ${direction}`, code, access };
}

export const NORM_BACKWARD = params(['width', 'xStride', 'dnStride', 'dxStride'], ['eps']);

/** Lane sums in `sums` are added in their order. */
export const ADD_LANES = `var<workgroup> sums: array<vec2f, 64>;
fn added() -> vec2f { var t = vec2f(0.0); for (var i = 0u; i < 64u; i++) { t += sums[i]; } return t; }`;

/**
 * dx += the gradient through x / rms(x) · gain, dn given; `fresh`: dx = it.
 * Storage: x [rows, xStride], gain, dn [rows, dnStride], dx [rows, dxStride], f32. Grid: rows.
 */
export function normBackward({ fresh }: { fresh: boolean } = { fresh: false }): Kernel {
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
  for (var i = li; i < p.width; i += 64u) { dx[to + i] ${fresh ? '' : '+'}= r * gain[i] * dn[ns + i] - f * x[xs + i]; }
}`;
  return { key: `norm backward${fresh ? ' fresh' : ''}`, code, access };
}
