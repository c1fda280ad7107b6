/**
 * What the kernels that draw have in common. A vocabulary is cut into at most 256 slices: a thread of a workgroup has one
 * slice when slices are put together. Sums have one order.
 */
export const THREADS = 256;
/** Threads of a workgroup that looks at one slice. */
export const SLICE_THREADS = 64;

export interface Cut {
  readonly vocabulary: number;
  /** Ids of a slice of one of 256 threads. */
  readonly perThread: number;
  readonly slice: number;
  readonly slices: number;
}

export function cutOf(vocabulary: number): Cut {
  let perThread = 8;
  while (perThread * THREADS * THREADS < vocabulary) perThread *= 2;
  const slice = perThread * THREADS;
  return { vocabulary, perThread, slice, slices: Math.ceil(vocabulary / slice) };
}

/** Words of a row of what lies between the kernels. */
export const SLICE_WORDS = 8;
export const STATE_WORDS = 8;
export const BINS = 16;

/**
 * WGSL of a row of `GpuDraws.table`, of the order of logits as unsigned numbers, and of sums over the workgroup.
 * `sum4` and `top` are for all threads at once.
 */
export const common = (threads: number): string => `
struct Wanted { row: u32, seed: u32, low: u32, high: u32, temperature: f32, topK: u32, topP: f32, unused: u32 }
fn isFinite(l: f32) -> bool { return (bitcast<u32>(l) & 0x7f800000u) != 0x7f800000u; }
// Larger for larger logits; the same for 0 and -0.
fn keyOf(l: f32) -> u32 {
  var b = bitcast<u32>(l); if (b == 0x80000000u) { b = 0u; }
  return select(b | 0x80000000u, ~b, (b >> 31u) == 1u);
}
fn ofKey(k: u32) -> f32 { return bitcast<f32>(select(~k, k & 0x7fffffffu, (k >> 31u) == 1u)); }
// d · exp(d), also where exp(d) is 0.
fn weighted(e: f32, d: f32) -> f32 { if (e == 0.0) { return 0.0; } return e * d; }
// Over the workgroup in two turns of 16: barriers cost more than a few additions.
var<workgroup> four: array<vec4f, ${threads}>;
fn sum4(li: u32, v: vec4f) -> vec4f {
  four[li] = v; workgroupBarrier();
  if (li < 16u) {
    var s = four[li]; for (var n = 1u; n < ${threads / 16}u; n++) { s += four[n * 16u + li]; }
    four[li] = s;
  }
  workgroupBarrier();
  var s = four[0]; for (var n = 1u; n < 16u; n++) { s += four[n]; }
  workgroupBarrier();
  return s;
}
var<workgroup> tops: array<vec2u, ${threads}>;
fn larger(a: vec2u, b: vec2u) -> vec2u { if (b.x > a.x || (b.x == a.x && b.y < a.y)) { return b; } return a; }
// The largest key, and the first id that has it.
fn top(li: u32, key: u32, id: u32) -> vec2u {
  tops[li] = vec2u(key, id); workgroupBarrier();
  if (li < 16u) {
    var t = tops[li]; for (var n = 1u; n < ${threads / 16}u; n++) { t = larger(t, tops[n * 16u + li]); }
    tops[li] = t;
  }
  workgroupBarrier();
  var t = tops[0]; for (var n = 1u; n < 16u; n++) { t = larger(t, tops[n]); }
  workgroupBarrier();
  return t;
}`;

/**
 * WGSL `gather`: all slices of a row put together. \`slices\` is array<vec4u>: maximum's key, its id, whether all are
 * finite, 0; then Σ e and Σ d e at the temperature and at 1, each over its own maximum.
 */
export const gatherSlices = ({ slices }: Cut): string => `
struct All { max: f32, id: u32, finite: bool, sums: vec4f }
fn scaled(s: vec2f, d: f32) -> vec2f { let f = exp(d); return vec2f(s.x * f, s.y * f + weighted(f, d) * s.x); }
fn gather(li: u32, row: u32, temperature: f32) -> All {
  var head = vec4u(0u); var s = vec4f(0.0);
  if (li < ${slices}u) {
    head = slices[(row * ${slices}u + li) * 2u];
    s = bitcast<vec4f>(slices[(row * ${slices}u + li) * 2u + 1u]);
  }
  let best = top(li, head.x, head.y); let max = ofKey(best.x);
  if (li < ${slices}u) {
    let d = ofKey(head.x) - max;
    s = vec4f(scaled(s.xy, d / temperature), scaled(s.zw, d));
  }
  let sums = sum4(li, s);
  let bad = sum4(li, vec4f(select(0.0, 1.0, li < ${slices}u && head.z == 0u), 0.0, 0.0, 0.0));
  return All(max, best.y, bad.x == 0.0, sums);
}`;
