import {
  BINS,
  common,
  gatherBlocks,
  SLICE_THREADS,
  THREADS,
  type Blocks,
  type Cut,
} from './shared.ts';

/**
 * The smallest logit that top-k, then top-p leave, without ranking: its key is found from the top, four bits a
 * dispatch. Each dispatch adds up how many ids (top-k) or how much of their weight (top-p) have each of the 16 values of the
 * next four bits, slice by slice; the next one puts the slices together, chooses the bits in which the wanted number is
 * reached, and continues below them. No sum is by atomics, so it has one order.
 *
 * The state of a row: bits found so far, what lies above them, what is wanted, the key of the last id that is kept and
 * how many ids with that key are, how many are not, the largest logit. Two states and two sets of sums take turns.
 */
const STATE = `struct State { prefix: u32, above: f32, wanted: f32, key: u32, kept: u32, left: f32, max: f32, unused: u32 }`;
const UNIFORM = `struct U { rows: u32, level: u32, mode: u32, before: u32, turn: u32, stride: u32 }
@group(0) @binding(0) var<uniform> u: U;`;
/** How a search counts: ids, their weights, or that nothing came before. */
export const MODES = { count: 0, mass: 1, none: 2 } as const;

/** First state of each row; a workgroup per row. */
export const openCode = (cut: Blocks): string => `${UNIFORM}
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> blocks: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> states: array<State>;
${STATE}
${common(THREADS)}
${gatherBlocks(cut)}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let all = gather(li, wid.x, 1.0);
  if (li == 0u) { states[wid.x] = State(0u, 0.0, f32(table[wid.x].topK), 0u, 0xffffffffu, 0.0, all.max, 0u); }
}`;

/** WGSL `advance`: the state after the sums of the dispatch before, which are put together first. */
const advance = ({ vocabulary, slices }: Cut): string => `
var<workgroup> sums: array<f32, ${SLICE_THREADS}>;
var<workgroup> bins: array<f32, ${BINS}>;
fn takesPart(w: Wanted, mode: u32) -> bool {
  if (w.temperature == 0.0) { return false; }
  if (mode == ${MODES.count}u) { return w.topK > 0u && w.topK < ${vocabulary}u; }
  return mode == ${MODES.mass}u && w.topP < 1.0;
}
fn advance(li: u32, row: u32, w: Wanted) -> State {
  var s = states[u.turn * u.rows + row];
  var sum = 0.0;
  if (u.before != ${MODES.none}u) {
    for (var n = li / ${BINS}u; n < ${slices}u; n += ${SLICE_THREADS / BINS}u) {
      sum += parts[(((1u - u.turn) * u.rows + row) * ${slices}u + n) * ${BINS}u + li % ${BINS}u];
    }
  }
  sums[li] = sum;
  workgroupBarrier();
  if (li < ${BINS}u) {
    var t = 0.0; for (var n = 0u; n < ${SLICE_THREADS / BINS}u; n++) { t += sums[n * ${BINS}u + li]; }
    bins[li] = t;
  }
  workgroupBarrier();
  if (u.before == ${MODES.none}u || !takesPart(w, u.before)) { return s; }
  let level = (u.level + 7u) % 8u;
  if (u.before == ${MODES.mass}u && level == 0u) {
    var total = 0.0; for (var b = 0u; b < ${BINS}u; b++) { total += bins[b]; }
    var less = 0.0; if (s.left > 0.0) { less = s.left * exp((ofKey(s.key) - s.max) / w.temperature); }
    s.wanted = w.topP * (total - less);
  }
  // Where the wanted number is never reached, which rounding may do, the last bits that any id has.
  var found = 0u; var above = s.above; var sum_ = s.above;
  for (var b = ${BINS}u; b > 0u; b--) {
    let v = bins[b - 1u];
    if (v > 0.0) {
      found = b - 1u; above = sum_; sum_ += v;
      if (sum_ >= s.wanted) { break; }
    }
  }
  s.prefix = s.prefix * ${BINS}u + found; s.above = above;
  if (level < 7u) { return s; }
  if (u.before == ${MODES.count}u) {
    s.kept = u32(clamp(s.wanted - above, 1.0, bins[found])); s.left = bins[found] - f32(s.kept);
  } else {
    let e = exp((ofKey(s.prefix) - s.max) / w.temperature);
    var kept = u32(clamp(ceil((s.wanted - above) / e), 1.0, round(bins[found] / e)));
    if (s.prefix == s.key) { kept = min(kept, s.kept); }
    s.kept = kept;
  }
  s.key = s.prefix; s.prefix = 0u; s.above = 0.0;
  return s;
}`;

const bindings = `${UNIFORM}
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> logits: array<f32>;
@group(0) @binding(3) var<storage, read_write> states: array<State>;
@group(0) @binding(4) var<storage, read_write> parts: array<f32>;`;

/** One turn of the search: a workgroup a (slice, row). */
export const searchCode = (cut: Cut): string => `${bindings}
${STATE}
${common(SLICE_THREADS)}
${advance(cut)}
var<workgroup> weights: array<vec4f, ${2 * SLICE_THREADS}>;
var<workgroup> values: array<u32, ${SLICE_THREADS}>;
@compute @workgroup_size(${SLICE_THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; let w = table[row];
  let s = advance(li, row, w);
  if (wid.x == 0u && li == 0u) { states[(1u - u.turn) * u.rows + row] = s; }
  let shift = 28u - 4u * u.level;
  var sum = 0.0;
  // Rounds that would add nothing are left out: of a row that this search is not for, and after the vocabulary.
  let ids = min(${cut.slice}u, ${cut.vocabulary}u - wid.x * ${cut.slice}u);
  var rounds = (ids + ${8 * SLICE_THREADS - 1}u) / ${8 * SLICE_THREADS}u;
  if (!takesPart(w, u.mode)) { rounds = 0u; }
  for (var round = 0u; round < rounds; round++) {
    var packed = 0u; var mine: array<vec4f, 2>;
    for (var k = 0u; k < 8u; k++) {
      let i = wid.x * ${cut.slice}u + (round * 8u + k) * ${SLICE_THREADS}u + li;
      var weight = 0.0;
      if (i < ${cut.vocabulary}u) {
        let l = logits[row * u.stride + i]; let key = keyOf(l);
        packed |= ((key >> shift) & 15u) << (4u * k);
        if ((u.level == 0u || (key >> (shift + 4u)) == s.prefix) && key >= s.key) {
          weight = 1.0;
          if (u.mode == ${MODES.mass}u) { weight = exp((l - s.max) / w.temperature); }
        }
      }
      mine[k / 4u][k % 4u] = weight;
    }
    workgroupBarrier();
    weights[2u * li] = mine[0]; weights[2u * li + 1u] = mine[1]; values[li] = packed;
    workgroupBarrier();
    let bin = vec4u(li % ${BINS}u);
    for (var n = (li / ${BINS}u) * ${BINS}u; n < (li / ${BINS}u + 1u) * ${BINS}u; n++) {
      let v = values[n]; let a = (vec4u(v) >> vec4u(0u, 4u, 8u, 12u)) & vec4u(15u);
      let b = (vec4u(v) >> vec4u(16u, 20u, 24u, 28u)) & vec4u(15u);
      let c = select(vec4f(0.0), weights[2u * n], a == bin) + select(vec4f(0.0), weights[2u * n + 1u], b == bin);
      sum += (c.x + c.y) + (c.z + c.w);
    }
  }
  sums[li] = sum;
  workgroupBarrier();
  if (li < ${BINS}u) {
    var t = 0.0; for (var n = 0u; n < ${SLICE_THREADS / BINS}u; n++) { t += sums[n * ${BINS}u + li]; }
    parts[((u.turn * u.rows + row) * ${cut.slices}u + wid.x) * ${BINS}u + li] = t;
  }
}`;

/** Sums of what is kept of each slice: Σ e, Σ d e above the last key, and how many ids have that key. */
export const keptCode = (cut: Cut): string => `${bindings}
@group(0) @binding(5) var<storage, read_write> kept: array<vec4f>;
${STATE}
${common(SLICE_THREADS)}
${advance(cut)}
@compute @workgroup_size(${SLICE_THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; let w = table[row]; var t = w.temperature; if (t == 0.0) { t = 1.0; }
  let s = advance(li, row, w);
  if (wid.x == 0u && li == 0u) { states[(1u - u.turn) * u.rows + row] = s; }
  var all = vec4f(0.0);
  for (var k = 0u; k < ${cut.slice / SLICE_THREADS}u; k++) {
    let i = wid.x * ${cut.slice}u + k * ${SLICE_THREADS}u + li;
    if (i < ${cut.vocabulary}u) {
      let l = logits[row * u.stride + i]; let key = keyOf(l); let d = (l - s.max) / t; let e = exp(d);
      if (key > s.key) { all += vec4f(e, weighted(e, d), 0.0, 0.0); }
      if (key == s.key) { all.z += 1.0; }
    }
  }
  let sum = sum4(li, all);
  if (li == 0u) { kept[row * ${cut.slices}u + wid.x] = sum; }
}`;

export { STATE };
