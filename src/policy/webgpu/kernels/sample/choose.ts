import { common, gatherBlocks, ownBlocks, PHILOX, SCAN, THREADS, type Blocks } from './shared.ts';

/** Words of a row of what `chooseCode` leaves for `pickEpilogue`. */
export const CHOSEN_WORDS = 12;

/** WGSL of such a row. `block` is none of those there are for rows that top-k or top-p may leave ids out of. */
export const CHOSEN = `
struct Chosen { block: u32, left: f32, max: f32, top: u32, sums: vec4f, finite: u32 }`;

/**
 * Which block of a row its random number falls in, and what is left of it there: a workgroup per row. At temperature 0 the
 * block of the largest logit. Logits are not read: the sums of the blocks are.
 */
export const chooseCode = (blocks: Blocks): string => `
struct U { unused: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> table: array<Wanted>;
@group(0) @binding(2) var<storage, read> blocks: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> chosen: array<Chosen>;
${CHOSEN}
${common(THREADS)}
${gatherBlocks(blocks)}
${PHILOX}
${SCAN}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.x; let w = table[row];
  if (filtered(w)) {
    if (li == 0u) { chosen[row].block = 0xffffffffu; }
    return;
  }
  let greedy = w.temperature == 0.0;
  var t = w.temperature; if (greedy) { t = 1.0; }
  let all = gather(li, row, t);
  var mass = 0.0; var more = 0.0; var ofTop = ${blocks.count}u;
  for (${ownBlocks(blocks.count)}) {
    let head = blocks[(row * ${blocks.count}u + n) * 2u];
    let v = scaled(bitcast<vec4f>(blocks[(row * ${blocks.count}u + n) * 2u + 1u]).xy, (ofKey(head.x) - all.max) / t);
    mass += v.x; more += v.y;
    if (head.y == all.id && ofTop == ${blocks.count}u) { ofTop = n; }
  }
  let total = sum4(li, vec4f(mass, more, 0.0, 0.0));
  let upTo = scan(li, mass);
  let goal = uniform24(w.seed, w.low, w.high) * sums[${THREADS - 1}u];
  let thread = find(li, mass, upTo, goal);
  if (greedy) {
    if (ofTop < ${blocks.count}u) { chosen[row] = Chosen(ofTop, 0.0, all.max, all.id, vec4f(total.xy, all.sums.zw), select(0u, 1u, all.finite)); }
  } else if (li == thread) {
    var left = goal - (upTo - mass); var block = 0u; var rest = left;
    for (${ownBlocks(blocks.count)}) {
      let d = (ofKey(blocks[(row * ${blocks.count}u + n) * 2u].x) - all.max) / t;
      let one = scaled(bitcast<vec4f>(blocks[(row * ${blocks.count}u + n) * 2u + 1u]).xy, d).x;
      if (one == 0.0) { continue; }
      block = n; rest = left;
      if (left < one) { break; }
      left -= one;
    }
    // The block's sums are over its own maximum.
    chosen[row] = Chosen(block, rest, all.max, all.id, vec4f(total.xy, all.sums.zw), select(0u, 1u, all.finite));
  }
}`;

/** Sums of neighbouring ids that a block is searched by. */
const groupsOf = (outs: number): number => Math.min(16, outs);

/** WGSL that `pickEpilogue` needs in front of `main`. */
export const pickDeclarations = (outs: number): string => `
var<workgroup> now: array<f32, ${outs}>;
var<workgroup> weightOf: array<f32, ${outs}>;
var<workgroup> groupSums: array<f32, ${groupsOf(outs)}>;`;

/**
 * WGSL after the product of a row with its chosen block, of rows [u.row0 + first, u.more[0].x) of the head: the id in which
 * what is left of the random number is reached, and its numbers.
 */
export function pickEpilogue(outs: number, threads: number): string {
  const groups = groupsOf(outs);
  const each = outs / groups;
  return `
  let c = chosen[t0]; let w = table[t0]; var t = w.temperature; if (t == 0.0) { t = 1.0; }
  let base = u.row0 + first; let count = min(${outs}u, u.more[0].x - base);
  for (var l = li; l < count; l += ${threads}u) {
    let v = value(l, base + l, 0u, t0);
    now[l] = v; weightOf[l] = exp((v - c.max) / t);
  }
  workgroupBarrier();
  for (var n = li; n < ${groups}u; n += ${threads}u) {
    var s = 0.0; for (var l = n * ${each}u; l < min((n + 1u) * ${each}u, count); l++) { s += weightOf[l]; }
    groupSums[n] = s;
  }
  workgroupBarrier();
  if (li != 0u) { return; }
  var drawnId = c.top;
  if (w.temperature != 0.0) {
    // Some ids together, then one of them; the last that have any weight where rounding leaves something.
    var left = c.left; var rest = left; var own = 0u;
    for (var n = 0u; n < ${groups}u; n++) {
      if (groupSums[n] == 0.0) { continue; }
      own = n; rest = left;
      if (left < groupSums[n]) { break; }
      left -= groupSums[n];
    }
    var sum = 0.0;
    for (var l = own * ${each}u; l < min((own + 1u) * ${each}u, count); l++) {
      if (weightOf[l] == 0.0) { continue; }
      sum += weightOf[l]; drawnId = base + l;
      if (sum > rest) { break; }
    }
  }
  let d = now[drawnId - base] - c.max;
  let model = vec2f(d - log(c.sums.z), log(c.sums.z) - c.sums.w / c.sums.z);
  var drawn = vec2f(d / t - log(c.sums.x), log(c.sums.x) - c.sums.y / c.sums.x);
  if (w.temperature == 0.0) { drawn = model; }
  let at = t0 * 8u;
  results[at] = drawnId; results[at + 1u] = bitcast<u32>(drawn.x); results[at + 2u] = bitcast<u32>(model.x);
  results[at + 3u] = bitcast<u32>(drawn.y); results[at + 4u] = bitcast<u32>(model.y);
  results[at + 5u] = c.finite;`;
}
