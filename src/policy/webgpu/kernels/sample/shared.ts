/**
 * What the kernels that draw have in common. The product of the head sums up blocks of logits. Searches cut a vocabulary
 * into at most 256 slices: a thread of a workgroup has one when they are put together. Sums have one order.
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

/** Outputs of the head that one workgroup of its product makes and sums up: a block. */
export interface Blocks {
  readonly outs: number;
  readonly count: number;
}

/** Words of a row of what lies between the kernels. */
export const BLOCK_WORDS = 8;
export const STATE_WORDS = 8;
export const BINS = 16;

/** WGSL of a row of `GpuDraws.table`, and of the order of logits as unsigned numbers. */
export const NUMBERS = `
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
// Whether top-k or top-p may leave ids out.
fn filtered(w: Wanted) -> bool { return w.temperature != 0.0 && (w.topK > 0u || w.topP < 1.0); }
`;

/** `NUMBERS`, and sums over the workgroup: `sum4` and `top` are for all threads at once. */
export const common = (threads: number): string => `${NUMBERS}
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

const firstOf = (count: number): string => `min(li * ${Math.ceil(count / THREADS)}u, ${count}u)`;

/** WGSL of a loop over the blocks that thread `li` of 256 has. */
export const ownBlocks = (count: number): string =>
  `var n = ${firstOf(count)}; n < min((li + 1u) * ${Math.ceil(count / THREADS)}u, ${count}u); n++`;

/**
 * WGSL `gather`: all blocks of a row put together. `blocks` is array<vec4u>: maximum's key, its id, whether all are
 * finite, 0; then Σ e and Σ d e at the temperature and at 1, each over its own maximum. A thread
 * goes through `ownBlocks`.
 */
export const gatherBlocks = ({ count }: Blocks): string => `
struct All { max: f32, id: u32, finite: bool, sums: vec4f }
fn scaled(s: vec2f, d: f32) -> vec2f { let f = exp(d); return vec2f(s.x * f, s.y * f + weighted(f, d) * s.x); }
fn gather(li: u32, row: u32, temperature: f32) -> All {
  var key = 0u; var id = 0u; var wrong = 0.0;
  for (${ownBlocks(count)}) {
    let head = blocks[(row * ${count}u + n) * 2u];
    if (head.x > key) { key = head.x; id = head.y; }
    if (head.z == 0u) { wrong = 1.0; }
  }
  let best = top(li, key, id); let max = ofKey(best.x);
  var s = vec4f(0.0);
  for (${ownBlocks(count)}) {
    let d = ofKey(blocks[(row * ${count}u + n) * 2u].x) - max;
    let v = bitcast<vec4f>(blocks[(row * ${count}u + n) * 2u + 1u]);
    s += vec4f(scaled(v.xy, d / temperature), scaled(v.zw, d));
  }
  let sums = sum4(li, s);
  let bad = sum4(li, vec4f(wrong, 0.0, 0.0, 0.0));
  return All(max, best.y, bad.x == 0.0, sums);
}`;

/**
 * WGSL `scan` (running sums over 256 threads, which stay in `sums`) and `find` (the first thread whose running sum is above
 * `goal`; the last one with any weight where none is). Both are for all threads at once.
 */
export const SCAN = `
var<workgroup> sums: array<f32, ${THREADS}>;
var<workgroup> sums16: array<f32, 16>;
var<workgroup> hit: atomic<u32>;
var<workgroup> last: atomic<u32>;
fn scan(li: u32, v: f32) -> f32 {
  sums[li] = v; workgroupBarrier();
  if (li < 16u) {
    var s = sums[li * 16u];
    for (var n = 1u; n < 16u; n++) { s += sums[li * 16u + n]; sums[li * 16u + n] = s; }
    sums16[li] = s;
  }
  workgroupBarrier();
  var before = f32(0); for (var n = 0u; n < li / 16u; n++) { before += sums16[n]; }
  let s = before + sums[li];
  workgroupBarrier();
  sums[li] = s;
  workgroupBarrier();
  return s;
}
fn find(li: u32, v: f32, upTo: f32, goal: f32) -> u32 {
  if (li == 0u) { atomicStore(&hit, ${THREADS}u); atomicStore(&last, 0u); }
  workgroupBarrier();
  if (v > 0.0) { atomicMax(&last, li); if (upTo > goal) { atomicMin(&hit, li); } }
  workgroupBarrier();
  let h = atomicLoad(&hit); let l = atomicLoad(&last);
  workgroupBarrier();
  return select(h, l, h == ${THREADS}u);
}`;

/** WGSL `uniform24`: the first 24 bits of Philox2x32-10 (Salmon et al. 2011) of a counter under a seed, in [0, 1). */
export const PHILOX = `
fn multiplyHigh(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu); let one = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let two = (a & 0xffffu) * (b >> 16u) + (one & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (one >> 16u) + (two >> 16u);
}
fn uniform24(seed: u32, low: u32, high: u32) -> f32 {
  var left = low; var right = high; var key = seed;
  for (var round = 0u; round < 10u; round++) {
    let up = multiplyHigh(0xd256d193u, left); right ^= key ^ up; left = 0xd256d193u * left;
    let swap = left; left = right; right = swap; key += 0x9e3779b9u;
  }
  return f32(left >> 8u) / 16777216.0;
}`;
