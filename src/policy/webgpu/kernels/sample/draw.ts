import { common, gatherBlocks, PHILOX, SCAN, THREADS, type Blocks, type Cut } from './shared.ts';
import { STATE } from './search.ts';

/**
 * The draw of a row of what top-k and top-p left: which slice the random number falls in, which thread's ids of it, which
 * id. Ids are in order. Rows without either are for `chooseCode`.
 */
export const drawCode = (cut: Cut, blocks: Blocks): string => `
struct U { stride: u32, rows: u32, turn: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read> blocks: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>;
@group(0) @binding(5) var<storage, read> states: array<State>;
@group(0) @binding(6) var<storage, read> kept: array<vec4f>;
${STATE}
${common(THREADS)}
${gatherBlocks(blocks)}
${PHILOX}
${SCAN}
var<workgroup> counts: array<u32, ${THREADS}>;
var<workgroup> counts16: array<u32, 16>;
var<workgroup> chosen: u32;
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
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.x; let w = table[row]; let t = w.temperature;
  if (!filtered(w)) { return; }
  let all = gather(li, row, t);
  let s = states[u.turn * u.rows + row]; let lastKey = s.key; let allowed = s.kept;
  let dLast = (ofKey(s.key) - all.max) / t; let eLast = exp(dLast);
  var k = vec4f(0.0); if (li < ${cut.slices}u) { k = kept[row * ${cut.slices}u + li]; }
  let ties = u32(k.z); let before = scanCount(li, ties) - ties;
  let here = f32(min(ties, allowed - min(allowed, before)));
  var mass = k.x; var more = k.y;
  if (here > 0.0) { mass += here * eLast; more += here * weighted(eLast, dLast); }
  let total = sum4(li, vec4f(mass, more, 0.0, 0.0));
  let upTo = scan(li, mass);
  let whole = sums[${THREADS - 1}u];
  let goal = uniform24(w.seed, w.low, w.high) * whole;
  let slice = find(li, mass, upTo, goal);
  var rest = goal; if (slice > 0u) { rest -= sums[slice - 1u]; }
  if (li == slice) { chosen = before; } workgroupBarrier(); let sliceBefore = chosen;
  workgroupBarrier();
  // This thread's ids of the slice.
  let begin = slice * ${cut.slice}u + li * ${cut.perThread}u; let end = min(begin + ${cut.perThread}u, ${cut.vocabulary}u);
  var nth = 0u;
  for (var i = begin; i < end; i++) { if (keyOf(logits[row * u.stride + i]) == lastKey) { nth++; } }
  nth = sliceBefore + scanCount(li, nth) - nth;
  let mineFrom = nth;
  var own = 0.0;
  for (var i = begin; i < end; i++) {
    let l = logits[row * u.stride + i]; let key = keyOf(l);
    if (key < lastKey) { continue; } if (key == lastKey) { nth++; if (nth > allowed) { continue; } }
    own += exp((l - all.max) / t);
  }
  let ownUpTo = scan(li, own);
  let thread = find(li, own, ownUpTo, rest);
  if (li == thread) {
    var left = rest - (ownUpTo - own); var sum = 0.0; nth = mineFrom; var id = begin;
    for (var i = begin; i < end; i++) {
      let l = logits[row * u.stride + i]; let key = keyOf(l);
    if (key < lastKey) { continue; } if (key == lastKey) { nth++; if (nth > allowed) { continue; } }
      let e = exp((l - all.max) / t);
      if (e == 0.0) { continue; }
      sum += e; id = i;
      if (sum > left) { break; }
    }
    chosen = id;
  }
  workgroupBarrier();
  if (li == 0u) {
    let id = chosen;
    let d = logits[row * u.stride + id] - all.max;
    let model = vec2f(d - log(all.sums.z), log(all.sums.z) - all.sums.w / all.sums.z);
    let drawn = vec2f(d / t - log(total.x), log(total.x) - total.y / total.x);
    let at = row * 8u;
    results[at] = id; results[at + 1u] = bitcast<u32>(drawn.x); results[at + 2u] = bitcast<u32>(model.x);
    results[at + 3u] = bitcast<u32>(drawn.y); results[at + 4u] = bitcast<u32>(model.y);
    results[at + 5u] = select(0u, 1u, all.finite);
  }
}`;
