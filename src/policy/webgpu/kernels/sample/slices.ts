import { common, SLICE_THREADS, type Cut } from './shared.ts';

/** Maximum and sums of each slice of each row: a workgroup a (slice, row). */
export const slicesCode = ({ vocabulary, slice, slices }: Cut): string => `
struct U { stride: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> slices: array<vec4u>;
${common(SLICE_THREADS)}
@compute @workgroup_size(${SLICE_THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; var t = table[row].temperature; if (t == 0.0) { t = 1.0; }
  var key = 0u; var id = 0u; var bad = 0.0;
  for (var k = 0u; k < ${slice / SLICE_THREADS}u; k++) {
    let i = wid.x * ${slice}u + k * ${SLICE_THREADS}u + li;
    if (i < ${vocabulary}u) {
      let l = logits[row * u.stride + i];
      if (!isFinite(l)) { bad = 1.0; }
      if (keyOf(l) > key) { key = keyOf(l); id = i; }
    }
  }
  let best = top(li, key, id); let max = ofKey(best.x);
  var s = vec4f(0.0);
  for (var k = 0u; k < ${slice / SLICE_THREADS}u; k++) {
    let i = wid.x * ${slice}u + k * ${SLICE_THREADS}u + li;
    if (i < ${vocabulary}u) {
      let d = logits[row * u.stride + i] - max; let e = exp(d / t); var e1 = e; if (t != 1.0) { e1 = exp(d); }
      s += vec4f(e, weighted(e, d / t), e1, weighted(e1, d));
    }
  }
  let sums = sum4(li, s); let flag = sum4(li, vec4f(bad, 0.0, 0.0, 0.0));
  if (li == 0u) {
    slices[(row * ${slices}u + wid.x) * 2u] = vec4u(best, select(0u, 1u, flag.x == 0.0), 0u);
    slices[(row * ${slices}u + wid.x) * 2u + 1u] = bitcast<vec4u>(sums);
  }
}`;
