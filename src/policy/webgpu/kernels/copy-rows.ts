import { GROUP_ID } from '../device/encoder.ts';
import type { Gpu } from '../device/gpu.ts';
import type { GpuActivations, GpuTokens } from '../device/values.ts';

const CODE = `struct U { count: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> b: array<vec4f>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ${GROUP_ID} * 64u + li;
  if (i < u.count) { b[i] = a[i]; }
}`;

/** to[r] = from[r] of the placed rows. */
export function copyRows(
  gpu: Gpu,
  from: GpuActivations,
  to: GpuActivations,
  tokens: GpuTokens,
): void {
  if (from.width !== to.width) throw new RangeError(`rows of ${from.width} to rows of ${to.width}`);
  const count = (tokens.count * from.stride) / 4;
  gpu.encoder.dispatch(
    { key: 'copy-rows', code: () => CODE, access: 'rw' },
    [from.buffer, to.buffer],
    [count],
    Math.ceil(count / 64),
  );
}
