import type { AttentionInput } from '../../../ops/ops.ts';
import type { Activations } from '../../../ops/values.ts';
import type { Gpu } from '../../device/gpu.ts';
import { GpuActivations, GpuKvCache, GpuTokens, own } from '../../device/values.ts';
import { NO_WINDOW } from '../many/attention-tile.ts';
import { bucketOf } from './product.ts';
import { FILLED, heldFour, type FewState } from './state.ts';

/** Most chunks that a context is cut into. */
const CHUNKS = 16;

/** Positions of a chunk of a context of `live` positions: 64, doubled until `CHUNKS` chunks hold it. */
function chunkOf(live: number): number {
  let chunk = 64;
  while (chunk * CHUNKS < live) chunk *= 2;
  return chunk;
}

/** Chunks that are merged first, in every kernel. */
const GROUP = 4;

/**
 * How the attention of `rows` rows is cut: chunks of a workgroup, workgroups of the longest context, and the partial results
 * that a (row, head) has room for. Of many rows a workgroup makes a whole group of chunks, which saves three of four
 * partial results. Rooms are in steps of at most a quarter, so that buffers are bound again rarely.
 */
export function cutsOf(longest: number, rows: number) {
  const most = Math.min(longest, 64 * CHUNKS);
  // Shorter contexts have smaller chunks, and may have more of them.
  const chunks = Math.max(Math.ceil(longest / chunkOf(longest)), Math.ceil(most / 64));
  const span = rows > 16 ? GROUP : 1;
  const cuts = Math.max(1, Math.ceil(chunks / span));
  const step = 2 ** Math.max(0, Math.floor(Math.log2(cuts)) - 2);
  return { span, cuts, room: Math.ceil(cuts / step) * step };
}

interface Shape {
  /** Query heads of a key head, and those of them that a workgroup serves. */
  readonly group: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly D: number;
  /** vec4f of a stored key. */
  readonly d4: number;
  readonly f16: boolean;
  /** Loads of keys, and of values, that a thread asks for before it uses one. */
  readonly loads: { readonly keys: number; readonly values: number };
}

/** A trip of a GPU's thread goes through 32 values of each; a CPU that is in for one waits for nothing. */
const LOADS = { gpu: { keys: 8, values: 8 }, software: { keys: 4, values: 2 } };

/** Query heads of a workgroup, and parts that the sum over values is cut into: what 16 kB hold. */
function cutOf({ group, d4 }: Shape): { heads: number; parts: number } {
  const parts = Math.max(1, Math.floor(64 / d4));
  const each = 16 * d4 * (1 + parts) + 256 + 40;
  return { heads: Math.max(1, Math.min(8, group, Math.floor(15_800 / each))), parts };
}

/** WGSL of how many positions a row at `at` sees, and of how many before them it sees nothing. */
const LIVE = (at: string): string =>
  `let live = min(${at} + 1u, u.window); let skipped = ${at} + 1u - live;`;

/** WGSL of `chunkOf(live)`. */
const CHUNK = `(64u << (32u - countLeadingZeros((live - 1u) / ${64 * CHUNKS}u)))`;

/**
 * WGSL: a partial result (sums, their maximum, sum of weights) with another one after it. Products are explicit `fma`, so
 * that every merge gets the same bits.
 */
const MERGE = `
struct Merged { o: vec4f, m: f32, l: f32 }
fn merged(a: Merged, o: vec4f, m: f32, l: f32) -> Merged {
  let next = max(a.m, m); let keep = exp(a.m - next); let add = exp(m - next);
  return Merged(fma(a.o, vec4f(keep), o * add), next, fma(a.l, keep, l * add));
}
const NOTHING = Merged(vec4f(0.0), -3.0e38, 0.0);`;

const each = (count: number, code: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => code(i)).join(' ');

/**
 * A workgroup a (chunk of positions, key head and some of its query heads, row): keys and values are read once for
 * all of them. Chunks longer than 64 positions continue from 64 to 64, with the softmax so far rescaled. Of many rows it
 * continues from chunk to chunk of a group and merges them.
 */
function attendCode(shape: Shape): string {
  const { group, heads: all, kvHeads, D, d4 } = shape;
  const { heads, parts } = cutOf(shape);
  const tiles = Math.ceil(group / heads);
  const { type, code: read } = heldFour(shape.f16);
  const columns = Math.ceil(d4 / 64);
  const held4 = Math.ceil((heads * d4) / 64);
  const wide = [8, 4, 2, 1].find((n) => n <= shape.loads.keys && d4 % n === 0) ?? 1;
  const turns = Math.max(1, Math.floor(shape.loads.values / columns));
  const columnOf = (c: number): string => `(li % ${Math.min(d4, 64)}u + ${c * 64}u)`;
  /** Of the last column some threads have none. */
  const within = (c: number, code: string): string =>
    (c + 1) * 64 > d4 && d4 > 64 ? `if (${columnOf(c)} < ${d4}u) ${code}` : code;
  return `struct U { qStride: u32, room: u32, append: u32, span: u32, window: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<uniform> tokens: array<vec4u, 64>;
@group(0) @binding(2) var<storage, read> q: array<f32>;
@group(0) @binding(3) var<storage, read_write> keys: ${type};
@group(0) @binding(4) var<storage, read_write> values: ${type};
@group(0) @binding(5) var<storage, read_write> parts: array<vec4f>; // [row][head][room][d4 + 1]: the sums, then maximum and sum
@group(0) @binding(6) var<storage, read> fresh: array<vec4f>;
var<workgroup> qs: array<vec4f, ${heads * d4}>;
var<workgroup> p: array<f32, ${heads * 64}>;
var<workgroup> o4: array<vec4f, ${parts * heads * d4}>;
var<workgroup> t8: array<f32, 64>;
var<workgroup> ml: array<vec2f, ${heads}>;
${read}
${MERGE}
${FILLED}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.z; let token = tokens[row]; ${LIVE('token.y')} let begins = token.w + skipped; let chunk = ${CHUNK};
  let first = wid.x * u.span * chunk;
  if (first >= live) { return; }
  let g = wid.y / ${tiles}u; let h0 = (wid.y % ${tiles}u) * ${heads}u;
  for (var i = li; i < ${heads * d4}u; i += 64u) {
    let at = row * u.qStride + (g * ${group}u + min(h0 + i / ${d4}u, ${group - 1}u)) * ${D}u; let d = (i % ${d4}u) * 4u;
    let v = vec4f(${each(4, (c) =>
      D % 4 === 0
        ? `q[at + d + ${c}u],`
        : `select(0.0, q[at + min(d + ${c}u, ${D - 1}u)], d + ${c}u < ${D}u),`,
    )});
    qs[i] = v;
  }
  // The new position is in these chunks: its keys and values go into the store.
  if (u.append == 1u && first + u.span * chunk >= live) {
    for (var i = li; i < ${d4}u; i += 64u) {
      let to = (token.z * ${kvHeads}u + g) * ${d4}u + i; let at = (row * ${2 * kvHeads}u + g) * ${d4}u + i;
      keys[to] = held(filled(fresh[at], i, ${D}u)); values[to] = held(filled(fresh[at + ${kvHeads * d4}u], i, ${D}u));
    }
  }
  storageBarrier();
  let hd = min(li >> 3u, ${heads - 1}u);
  ${each(held4, (e) => `var r${e} = NOTHING;`)}
  for (var start = first; start < min(first + u.span * chunk, live); start += chunk) {
  var top = -3.0e38; var sum = 0.0;
  ${each(heads, (h) => each(columns, (c) => `var a${h}_${c} = vec4f(0.0);`))}
  let end = min(start + chunk, live);
  for (var begin = start; begin < end; begin += 64u) {
    let n = min(64u, end - begin);
    workgroupBarrier();
    {
      ${each(heads, (h) => `var s${h} = -3.0e38;`)}
      if (li < n) {
        ${each(heads, (h) => `s${h} = 0.0;`)}
        let at = ((begins + begin + li) * ${kvHeads}u + g) * ${d4}u;
        for (var i = 0u; i < ${d4}u; i += ${wide}u) {
          ${each(wide, (n) => `let k${n} = keys[at + i + ${n}u];`)}
          ${each(wide, (n) => `{ let k = four(k${n}); ${each(heads, (h) => `s${h} += dot(k, qs[${h * d4}u + i + ${n}u]);`)} }`)}
        }
      }
      ${each(heads, (h) => `p[${h * 64}u + li] = s${h};`)}
    }
    workgroupBarrier();
    { var m = -3.0e38; if (li < ${heads * 8}u) { for (var i = 0u; i < 8u; i++) { m = max(m, p[li * 8u + i]); } } t8[li] = m; }
    workgroupBarrier();
    var next = top; for (var i = 0u; i < 8u; i++) { next = max(next, t8[hd * 8u + i]); }
    let keep = exp(top - next); top = next;
    workgroupBarrier();
    if (li < ${heads * 8}u) {
      var t = 0.0;
      for (var i = 0u; i < 8u; i++) {
        var e = 0.0; if ((li & 7u) * 8u + i < n) { e = exp(p[li * 8u + i] - next); }
        p[li * 8u + i] = e; t += e;
      }
      t8[li] = t;
    }
    workgroupBarrier();
    { var t = 0.0; for (var i = 0u; i < 8u; i++) { t += t8[hd * 8u + i]; } sum = sum * keep + t; }
    workgroupBarrier();
    if ((li & 7u) == 0u) { t8[hd] = keep; }
    workgroupBarrier();
    { let part = li / ${Math.min(d4, 64)}u;
      if (part < ${parts}u) {
        ${each(heads, (h) => `{ let keep = t8[${h}]; ${each(columns, (c) => `a${h}_${c} *= keep;`)} }`)}
        for (var j = part; j < n; j += ${turns * parts}u) {
          ${each(turns, (turn) => {
            const load = each(
              columns,
              (c) => `let v${turn}_${c} = values[at${turn} + min(${columnOf(c)}, ${d4 - 1}u)];`,
            );
            return `let i${turn} = j + ${turn * parts}u; let at${turn} = ((begins + begin + min(i${turn}, n - 1u)) * ${kvHeads}u + g) * ${d4}u; ${load}`;
          })}
          ${each(turns, (turn) => {
            const add = each(columns, (c) =>
              within(
                c,
                `{ let v = four(v${turn}_${c}); ${each(heads, (h) => `a${h}_${c} += p[${h * 64}u + i${turn}] * v;`)} }`,
              ),
            );
            return turn === 0 ? add : `if (i${turn} < n) { ${add} }`;
          })}
        }
      }
    }
  }
  { let part = li / ${Math.min(d4, 64)}u;
    if (part < ${parts}u) { ${each(columns, (c) => {
      const to = (h: number) => `o4[(part * ${heads}u + ${h}u) * ${d4}u + ${columnOf(c)}]`;
      return within(c, `{ ${each(heads, (h) => `${to(h)} = a${h}_${c};`)} }`);
    })} } }
  if ((li & 7u) == 0u && (li >> 3u) < ${heads}u) { ml[hd] = vec2f(top, sum); }
  workgroupBarrier();
  ${each(held4, (e) => {
    const at = `(li + ${e * 64}u)`;
    return `if (${at} < ${heads * d4}u) {
    var s = o4[${at}];
    for (var k = 1u; k < ${parts}u; k++) { s += o4[k * ${heads * d4}u + ${at}]; }
    let h = ${at} / ${d4}u;
    r${e} = merged(r${e}, s, ml[h].x, ml[h].y);
  }`;
  })}
  }
  let at = ((row * ${all}u + g * ${group}u + h0) * u.room + wid.x) * ${d4 + 1}u;
  let here = min(${heads}u, ${group}u - h0);
  ${each(held4, (e) => {
    const at = `(li + ${e * 64}u)`;
    return `if (${at} < here * ${d4}u) {
    let to = at + (${at} / ${d4}u) * u.room * ${d4 + 1}u;
    parts[to + ${at} % ${d4}u] = r${e}.o;
    if (${at} % ${d4}u == 0u) { parts[to + ${d4}u] = vec4f(r${e}.m, r${e}.l, 0.0, 0.0); }
  }`;
  })}
}`;
}

/** Puts a head's partial results together, first those of a group: a workgroup a (head, row). */
const combineCode = (
  { heads, D, d4 }: Shape,
  lse: boolean,
): string => `struct U { stride: u32, room: u32, lseStride: u32, span: u32, window: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<uniform> tokens: array<vec4u, 64>;
@group(0) @binding(2) var<storage, read> parts: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
${lse ? '@group(0) @binding(4) var<storage, read_write> lse: array<f32>;' : ''}
${MERGE}
@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; ${LIVE('tokens[row].y')} let chunk = u.span * ${CHUNK};
  let n = (live + chunk - 1u) / chunk; let at = (row * ${heads}u + wid.x) * u.room * ${d4 + 1}u;
  for (var i = li; i < ${d4}u; i += 32u) {
    var all = NOTHING;
    for (var c = 0u; c < n; c += ${GROUP}u) {
      ${each(GROUP, (k) => `let f${k} = at + min(c + ${k}u, n - 1u) * ${d4 + 1}u; let s${k} = parts[f${k} + ${d4}u]; let o${k} = parts[f${k} + i];`)}
      if (u.span == 1u) {
        var one = merged(NOTHING, o0, s0.x, s0.y);
        ${each(GROUP - 1, (k) => `if (c + ${k + 1}u < n) { one = merged(one, o${k + 1}, s${k + 1}.x, s${k + 1}.y); }`)}
        all = merged(all, one.o, one.m, one.l);
      } else {
        ${each(GROUP, (k) => `if (c + ${k}u < n) { all = merged(all, o${k}, s${k}.x, s${k}.y); }`)}
      }
    }
    let m = all.m; let l = all.l; var o = all.o;
    o = o / l;
    for (var k = 0u; k < 4u; k++) { if (i * 4u + k < ${D}u) { y[row * u.stride + wid.x * ${D}u + i * 4u + k] = o[k]; } }
    ${lse ? 'if (i == 0u) { lse[row * u.lseStride + wid.x] = m + log(l); }' : ''}
  }
}`;

/** Attention of few rows over the store (flash-decoding): by chunks of positions, which are then put together. */
export function fewAttend(
  gpu: Gpu,
  state: FewState,
  o: AttentionInput & { out: Activations; lse?: Activations },
): void {
  const { heads } = o;
  const [q, out] = [own(GpuActivations, o.q), own(GpuActivations, o.out)];
  const lse = o.lse ? own(GpuActivations, o.lse) : null;
  const [store, tokens] = [own(GpuKvCache, o.store), own(GpuTokens, o.tokens)];
  const { headDim: D, kvHeads, dim } = store;
  const f16 = store.type === 'f16';
  const loads = gpu.device.software ? LOADS.software : LOADS.gpu;
  const shape = { group: heads / kvHeads, heads, kvHeads, D, d4: dim / 4, f16, loads };
  const rows = bucketOf(tokens.count);
  const window = o.window ?? NO_WINDOW;
  const { span, cuts, room } = cutsOf(Math.min(tokens.longest, window), rows);
  const parts = gpu.scratch('few rows, parts', rows * heads * room * (dim + 4) * 4);
  const { fresh, append } = state.taken(store, tokens);
  const key = `${heads} ${kvHeads} ${D}`;
  gpu.encoder.dispatch(
    { key: `few attend ${key} ${store.type}`, code: () => attendCode(shape), access: 'urwwwr' },
    [tokens.first, q.buffer, store.keys, store.values, parts, fresh],
    [q.stride, room, append ? 1 : 0, span, window],
    [cuts, kvHeads * Math.ceil(shape.group / cutOf(shape).heads), tokens.count],
  );
  gpu.encoder.dispatch(
    {
      key: `few combine ${key}${lse ? ' lse' : ''}`,
      code: () => combineCode(shape, lse !== null),
      access: lse ? 'urww' : 'urw',
    },
    [tokens.first, parts, out.buffer, ...(lse ? [lse.buffer] : [])],
    [out.stride, room, lse?.stride ?? 0, span, window],
    [heads, tokens.count],
  );
}
