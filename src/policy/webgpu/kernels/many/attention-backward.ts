import type { Kernel } from '../../device/encoder.ts';
import {
  firstTile,
  headElement,
  headQuad,
  MAIN,
  quadsOf,
  scores,
  setHeadQuad,
  storeElement,
  stored,
  TILES,
  type AttentionShape,
} from './attention-tile.ts';
import { declare, params, reads, writes } from './params.ts';
import { each } from './tile.ts';

export const ATTENTION_SUMS = params(['headDim', 'outStride', 'dOutStride', 'lseStride', 'heads']);

/**
 * stats[row, head] = (lse, dOut · out): what the backward kernels need of a row and head.
 * Storage: out [rows, outStride], dOut, lse, f32; stats [rows, heads] vec2f. Grid: heads / 64, rows.
 */
export function attentionSums(): Kernel {
  const { wgsl, access } = declare(ATTENTION_SUMS, [
    reads('out', 'f32'),
    reads('dOut', 'f32'),
    reads('lse', 'f32'),
    writes('stats', 'vec2f'),
  ]);
  const code = () => `${wgsl}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let head = id.x; let row = id.y;
  if (head >= p.heads) { return; }
  let a = row * p.outStride + head * p.headDim; let b = row * p.dOutStride + head * p.headDim;
  var sum = 0.0;
  for (var d = 0u; d < p.headDim; d++) { sum += out[a + d] * dOut[b + d]; }
  stats[row * p.heads + head] = vec2f(lse[row * p.lseStride + head], sum);
}`;
  return { key: 'attention sums', code, access };
}

export const ATTENTION_BACKWARD = params([
  ...(['qStride', 'outStride', 'dStride', 'heads', 'kvHeads', 'keyTiles', 'window'] as const),
]);

const rows = (share: number, headDim: number) => `fn query(i: u32, d: u32) -> vec4f {
  let n = min(i, tile.y * ${share}u - 1u);
  let row = tile.x + n / ${share}u; let head = g * ${share}u + n % ${share}u;
  return ${headQuad(headDim, 'q', 'row', 'p.qStride')};
}
fn slope(i: u32, d: u32) -> vec4f {
  let n = min(i, tile.y * ${share}u - 1u);
  let row = tile.x + n / ${share}u; let head = g * ${share}u + n % ${share}u;
  return ${headQuad(headDim, 'dOut', 'row', 'p.outStride')};
}
fn stat(i: u32) -> vec2f {
  let n = min(i, tile.y * ${share}u - 1u);
  return stats[(tile.x + n / ${share}u) * p.heads + g * ${share}u + n % ${share}u];
}`;

/** p{i} = the thread's probabilities, s{i} = their slopes; `alive` says which keys query `at` may see. */
const slopes = (share: number, alive: string) =>
  each(
    4,
    (
      i,
    ) => `let z${i} = stat(group + ${16 * i}u); let at${i} = tile.z + (group + ${16 * i}u) / ${share}u;
    let p${i} = select(vec4f(0.0), exp(vec4f(s${i}_0, s${i}_1, s${i}_2, s${i}_3) - z${i}.x), ${alive.replaceAll('@', `${i}`)} && vec4<bool>(group + ${16 * i}u < tile.y * ${share}u));
    let d${i} = p${i} * (vec4f(t${i}_0, t${i}_1, t${i}_2, t${i}_3) - z${i}.y);`,
    '\n    ',
  ).replaceAll(' && vec4', ' & vec4');

/**
 * Gradient of q, tile of queries after tile, keys in their order.
 * Storage: tiles as in `attention`; q; keys and values; dOut; stats (`attentionSums`); dq [rows, dStride].
 * Grid: tiles, key heads.
 */
export function queryGradient(kind: AttentionShape): Kernel {
  const { headDim, share, type } = kind;
  const quads = quadsOf(headDim);
  const element = headElement(headDim);
  const blocks = Math.ceil(quads / 8);
  const column = (c: number) => `min(lane + ${8 * c}u, ${quads - 1}u)`;
  const { wgsl, access } = declare(ATTENTION_BACKWARD, [
    reads('tiles', 'vec4u'),
    reads('q', element),
    reads('keys', storeElement(type)),
    reads('values', storeElement(type)),
    reads('dOut', element),
    reads('stats', 'vec2f'),
    writes('dq', element),
  ]);
  const code = () => `${wgsl}
${TILES}
var<private> tile: vec4u;
var<private> g: u32;
var<private> k0: u32;
${stored(kind)}
fn key(j: u32, d: u32) -> vec4f {
  return select(vec4f(0.0), storedKey(g, tile.w + min(k0 + j, tile.z + tile.y - 1u), d), k0 + j < tile.z + tile.y);
}
fn value(j: u32, d: u32) -> vec4f {
  return select(vec4f(0.0), storedValue(g, tile.w + min(k0 + j, tile.z + tile.y - 1u), d), k0 + j < tile.z + tile.y);
}
${rows(share, headDim)}
${MAIN}
  let mine = tiles[wid.x]; let end = mine.z + mine.y;
  tile = mine; g = wid.y;
  ${each(4, (i) => each(blocks, (c) => `var o${i}_${c} = vec4f(0.0);`))}
  for (var first = ${firstTile('mine.z')}; first < end; first += 32u) {
    k0 = first;
    ${scores('s', 'query', 'key', quads)}
    ${scores('t', 'slope', 'value', quads)}
    let k = vec4u(k0 + 4u * lane) + vec4u(0u, 1u, 2u, 3u);
    ${slopes(share, '(k <= vec4u(at@)) & (k + vec4u(p.window) > vec4u(at@))')}
    ${each(4, (i) => `ps[(group + ${16 * i}u) * 9u + lane] = d${i};`)}
    workgroupBarrier();
    for (var n = 0u; n < 8u; n++) {
      ${each(4, (i) => `let e${i} = ps[(group + ${16 * i}u) * 9u + n];`)}
      ${each(blocks, (c) => each(4, (j) => `{ let v = key(4u * n + ${j}u, ${column(c)}); ${each(4, (i) => `o${i}_${c} = fma(vec4f(e${i}.${'xyzw'[j]}), v, o${i}_${c});`)} }`), '\n      ')}
    }
  }
  ${each(
    4,
    (i) => `{ let n = group + ${16 * i}u; if (n < tile.y * ${share}u) {
    let row = tile.x + n / ${share}u; let head = g * ${share}u + n % ${share}u;
    ${each(blocks, (c) => `if (lane + ${8 * c}u < ${quads}u) { let d = lane + ${8 * c}u; ${setHeadQuad(headDim, 'dq', 'row', 'p.dStride', `o${i}_${c}`)} }`)} } }`,
    '\n  ',
  )}
}`;
  return { key: `query gradient ${headDim} ${share} ${type}`, code, access };
}

/**
 * Gradients of keys and values, tile of keys after tile; queries that see them in their order.
 * Storage: tiles as in `attention`, after them (from `keyTiles` on) two vec4u a tile of keys: first row, rows,
 * position of the first, place of the context's beginning; first tile of queries, end of them, −, −. q; keys and values; dOut;
 * stats; dKeys and dValues [rows, dStride]. Grid: tiles of keys, key heads.
 */
export function keyGradient(kind: AttentionShape): Kernel {
  const { headDim, share, type } = kind;
  const quads = quadsOf(headDim);
  const element = headElement(headDim);
  const blocks = Math.ceil(quads / 16);
  const { wgsl, access } = declare(ATTENTION_BACKWARD, [
    reads('tiles', 'vec4u'),
    reads('q', element),
    reads('keys', storeElement(type)),
    reads('values', storeElement(type)),
    reads('dOut', element),
    reads('stats', 'vec2f'),
    writes('dKeys', element),
    writes('dValues', element),
  ]);
  const column = (c: number) => `min(wide + ${16 * c}u, ${quads - 1}u)`;
  const add = (to: string, from: string) => `for (var i = 0u; i < tile.y * ${share}u; i++) {
      let w = ps[i * 9u + four];
      ${each(blocks, (c) => `{ let v = ${from}(i, ${column(c)}); ${each(4, (j) => `${to}${j}_${c} = fma(vec4f(w.${'xyzw'[j]}), v, ${to}${j}_${c});`)} }`)}
    }`;
  const code = () => `${wgsl}
${TILES}
var<private> tile: vec4u;
var<private> block: vec4u;
var<private> g: u32;
${stored(kind)}
fn key(j: u32, d: u32) -> vec4f {
  return select(vec4f(0.0), storedKey(g, block.w + block.z + min(j, block.y - 1u), d), j < block.y);
}
fn value(j: u32, d: u32) -> vec4f {
  return select(vec4f(0.0), storedValue(g, block.w + block.z + min(j, block.y - 1u), d), j < block.y);
}
${rows(share, headDim)}
${MAIN}
  let mine = tiles[p.keyTiles + 2u * wid.x]; let seen = tiles[p.keyTiles + 2u * wid.x + 1u];
  block = mine; g = wid.y;
  let wide = li & 15u; let four = li >> 4u;
  ${each(4, (j) => each(blocks, (c) => `var dk${j}_${c} = vec4f(0.0); var dv${j}_${c} = vec4f(0.0);`))}
  for (var n = seen.x; n < seen.y; n++) {
    let next = tiles[n];
    // No query of the tile sees any of the keys.
    if (next.z >= mine.z + mine.y - 1u + p.window) { continue; }
    tile = next;
    ${scores('s', 'query', 'key', quads)}
    ${scores('t', 'slope', 'value', quads)}
    let j = vec4u(4u * lane) + vec4u(0u, 1u, 2u, 3u);
    ${slopes(share, '(j + vec4u(block.z) <= vec4u(at@)) & (j + vec4u(block.z + p.window) > vec4u(at@)) & (j < vec4u(block.y))')}
    ${each(4, (i) => `ps[(group + ${16 * i}u) * 9u + lane] = p${i};`)}
    workgroupBarrier();
    ${add('dv', 'slope')}
    workgroupBarrier();
    ${each(4, (i) => `ps[(group + ${16 * i}u) * 9u + lane] = d${i};`)}
    workgroupBarrier();
    ${add('dk', 'query')}
  }
  ${each(
    4,
    (j) => `if (4u * four + ${j}u < block.y) { let row = block.x + 4u * four + ${j}u; let head = g;
    ${each(blocks, (c) => `if (wide + ${16 * c}u < ${quads}u) { let d = wide + ${16 * c}u; ${setHeadQuad(headDim, 'dKeys', 'row', 'p.dStride', `dk${j}_${c}`)} ${setHeadQuad(headDim, 'dValues', 'row', 'p.dStride', `dv${j}_${c}`)} }`)} }`,
    '\n  ',
  )}
}`;
  return { key: `key gradient ${headDim} ${share} ${type}`, code, access };
}
