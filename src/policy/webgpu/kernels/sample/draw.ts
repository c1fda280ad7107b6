import { common, gatherSlices, THREADS, type Cut } from './shared.ts';
import { STATE } from './search.ts';

/** WGSL \`uniform24\`: the first 24 bits of Philox2x32-10 (Salmon et al. 2011) of a counter under a seed, in [0, 1). */
const PHILOX = `
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

/**
 * The draw of a row: which slice the random number falls in, which thread's ids of it, which id. Ids are in order.
 * \`searched\`: of what top-k and top-p left, else of all ids.
 */
export const drawCode = (cut: Cut, searched: boolean): string => `
struct U { stride: u32, rows: u32, turn: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read> slices: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>;
${
  searched
    ? `@group(0) @binding(5) var<storage, read> states: array<State>;
@group(0) @binding(6) var<storage, read> kept: array<vec4f>;
${STATE}`
    : ''
}
${common(THREADS)}
${gatherSlices(cut)}
${PHILOX}
var<workgroup> sums: array<f32, ${THREADS}>;
var<workgroup> counts: array<u32, ${THREADS}>;
var<workgroup> hit: atomic<u32>;
var<workgroup> last: atomic<u32>;
var<workgroup> chosen: u32;
// Sums of all threads up to this one, which stay in the array.
var<workgroup> sums16: array<f32, 16>;
var<workgroup> counts16: array<u32, 16>;
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
fn scanCount(li: u32, v: u32) -> u32 {
  counts[li] = v; workgroupBarrier();
  if (li < 16u) {
    var s = counts[li * 16u];
    for (var n = 1u; n < 16u; n++) { s += counts[li * 16u + n]; counts[li * 16u + n] = s; }
    counts16[li] = s;
  }
  workgroupBarrier();
  var before = u32(0); for (var n = 0u; n < li / 16u; n++) { before += counts16[n]; }
  let s = before + counts[li];
  workgroupBarrier();
  counts[li] = s;
  workgroupBarrier();
  return s;
}
// The first thread whose running sum is above \`target\`; the last one with any weight where none is.
fn find(li: u32, v: f32, upTo: f32, goal: f32) -> u32 {
  if (li == 0u) { atomicStore(&hit, ${THREADS}u); atomicStore(&last, 0u); }
  workgroupBarrier();
  if (v > 0.0) { atomicMax(&last, li); if (upTo > goal) { atomicMin(&hit, li); } }
  workgroupBarrier();
  let h = atomicLoad(&hit); let l = atomicLoad(&last);
  workgroupBarrier();
  return select(h, l, h == ${THREADS}u);
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.x; let w = table[row]; var t = w.temperature; if (t == 0.0) { t = 1.0; }
  let all = gather(li, row, t);
  var mass = 0.0; var more = 0.0; var lastKey = 0u; var allowed = 0xffffffffu; var before = 0u;
  ${
    searched
      ? `let s = states[u.turn * u.rows + row]; lastKey = s.key; allowed = s.kept;
  let dLast = (ofKey(s.key) - all.max) / t; let eLast = exp(dLast);
  var k = vec4f(0.0); if (li < ${cut.slices}u) { k = kept[row * ${cut.slices}u + li]; }
  let ties = u32(k.z); before = scanCount(li, ties) - ties;
  let here = f32(min(ties, allowed - min(allowed, before)));
  mass = k.x; more = k.y;
  if (here > 0.0) { mass += here * eLast; more += here * weighted(eLast, dLast); }`
      : `if (li < ${cut.slices}u) {
    let d = (ofKey(slices[(row * ${cut.slices}u + li) * 2u].x) - all.max) / t;
    let v = scaled(bitcast<vec4f>(slices[(row * ${cut.slices}u + li) * 2u + 1u]).xy, d);
    mass = v.x; more = v.y;
  }`
  }
  let total = sum4(li, vec4f(mass, more, 0.0, 0.0));
  let upTo = scan(li, mass);
  let whole = sums[${THREADS - 1}u];
  let goal = uniform24(w.seed, w.low, w.high) * whole;
  let slice = find(li, mass, upTo, goal);
  var rest = goal; if (slice > 0u) { rest -= sums[slice - 1u]; }
  ${searched ? `if (li == slice) { chosen = before; } workgroupBarrier(); let sliceBefore = chosen;` : ''}
  workgroupBarrier();
  // This thread's ids of the slice.
  let begin = slice * ${cut.slice}u + li * ${cut.perThread}u; let end = min(begin + ${cut.perThread}u, ${cut.vocabulary}u);
  var nth = 0u;
  ${
    searched
      ? `for (var i = begin; i < end; i++) { if (keyOf(logits[row * u.stride + i]) == lastKey) { nth++; } }
  nth = sliceBefore + scanCount(li, nth) - nth;`
      : ''
  }
  let mineFrom = nth;
  var own = 0.0;
  for (var i = begin; i < end; i++) {
    let l = logits[row * u.stride + i]; ${searched ? 'let key = keyOf(l); if (key < lastKey) { continue; } if (key == lastKey) { nth++; if (nth > allowed) { continue; } }' : ''}
    own += exp((l - all.max) / t);
  }
  let ownUpTo = scan(li, own);
  let thread = find(li, own, ownUpTo, rest);
  if (li == thread) {
    var left = rest - (ownUpTo - own); var sum = 0.0; nth = mineFrom; var id = begin;
    for (var i = begin; i < end; i++) {
      let l = logits[row * u.stride + i]; ${searched ? 'let key = keyOf(l); if (key < lastKey) { continue; } if (key == lastKey) { nth++; if (nth > allowed) { continue; } }' : ''}
      let e = exp((l - all.max) / t);
      if (e == 0.0) { continue; }
      sum += e; id = i;
      if (sum > left) { break; }
    }
    chosen = id;
  }
  workgroupBarrier();
  if (li == 0u) {
    var id = chosen; if (w.temperature == 0.0) { id = all.id; }
    let d = logits[row * u.stride + id] - all.max;
    let model = vec2f(d - log(all.sums.z), log(all.sums.z) - all.sums.w / all.sums.z);
    var drawn = vec2f(d / t - log(total.x), log(total.x) - total.y / total.x);
    if (w.temperature == 0.0) { drawn = model; }
    let at = row * 8u;
    results[at] = id; results[at + 1u] = bitcast<u32>(drawn.x); results[at + 2u] = bitcast<u32>(model.x);
    results[at + 3u] = bitcast<u32>(drawn.y); results[at + 4u] = bitcast<u32>(model.y);
    results[at + 5u] = select(0u, 1u, all.finite);
  }
}`;
