import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import type { GpuDraws } from '../../device/values.ts';
import { CHOSEN_WORDS, chooseCode } from './choose.ts';
import { keptCode, MODES, openCode, searchCode, STATE } from './search.ts';
import {
  BINS,
  BLOCK_WORDS,
  cutOf,
  STATE_WORDS,
  type Blocks,
  common,
  gatherBlocks,
  PHILOX,
  SCAN,
  THREADS,
  type Cut,
} from './shared.ts';

/**
 * The draw of a row of what top-k and top-p left: which slice the random number falls in, which thread's ids of it, which
 * id. Ids are in order. Rows without either are for `chooseCode`.
 */
const drawCode = (cut: Cut, blocks: Blocks): string => `
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

/** Working memory of `room` draws in bytes, apart from the logits; all but blocks and chosen is for top-k and top-p. */
export function samplingMemory(room: number, vocabulary: number, blocks: Blocks) {
  const { slices } = cutOf(vocabulary);
  return {
    blocks: room * blocks.count * BLOCK_WORDS * 4,
    chosen: room * CHOSEN_WORDS * 4,
    states: 2 * room * STATE_WORDS * 4,
    bins: 2 * room * slices * BINS * 4,
    kept: room * slices * 16,
  };
}

/** Chooses the block of each draw that neither top-k nor top-p is for. @returns a row a draw, as `CHOSEN` says */
export function choose(
  gpu: Gpu,
  { table, count }: GpuDraws,
  sums: Range,
  blocks: Blocks,
  bytes: number,
): Range {
  const chosen = gpu.scratch('sampling, chosen', bytes);
  const key = `sample choose ${blocks.count}`;
  const kernel = { key, code: () => chooseCode(blocks), access: 'rrw' };
  gpu.encoder.dispatch(kernel, [table, sums, chosen], [], count);
  return chosen;
}

/**
 * Draws where top-k or top-p may leave ids out: what they leave is searched for, eight dispatches each, with three to go
 * with them.
 * @param logits [draws][stride]; `room` is how many rows memory is made for
 */
export function drawOfKept(
  gpu: Gpu,
  draws: GpuDraws,
  o: {
    logits: Range;
    stride: number;
    vocabulary: number;
    room: number;
    sums: Range;
    blocks: Blocks;
  },
): void {
  const { logits, stride, vocabulary, room, sums, blocks } = o;
  const cut = cutOf(vocabulary);
  const memory = samplingMemory(room, vocabulary, blocks);
  const { table, results, count, uses } = draws;
  const run = (
    name: string,
    code: () => string,
    access: string,
    bindings: Parameters<typeof gpu.encoder.dispatch>[1],
    uniforms: readonly number[],
    whole: boolean,
  ): void =>
    gpu.encoder.dispatch(
      { key: `sample ${name} ${vocabulary} ${blocks.count}`, code, access },
      bindings,
      uniforms,
      whole ? count : [cut.slices, count],
    );
  const modes = [
    ...(uses.topK ? Array.from({ length: 8 }, () => MODES.count) : []),
    ...(uses.topP ? Array.from({ length: 8 }, () => MODES.mass) : []),
  ];
  const states = gpu.scratch('sampling, states', memory.states);
  const bins = gpu.scratch('sampling, bins', memory.bins);
  const kept = gpu.scratch('sampling, kept', memory.kept);
  run('open', () => openCode(blocks), 'rrw', [table, sums, states], [count], true);
  const search = [table, logits, states, bins];
  modes.forEach((mode, i) => {
    const before = modes[i - 1] ?? MODES.none;
    const uniforms = [count, i % 8, mode, before, i % 2, stride];
    run('search', () => searchCode(cut), 'rrww', search, uniforms, false);
  });
  const turn = modes.length % 2;
  const before = modes.at(-1) ?? MODES.none;
  const uniforms = [count, 8, MODES.none, before, turn, stride];
  run('kept', () => keptCode(cut), 'rrwww', [...search, kept], uniforms, false);
  const bound = [table, logits, sums, results, states, kept];
  run('draw', () => drawCode(cut, blocks), 'rrrwrr', bound, [stride, count, 1 - turn], true);
}
