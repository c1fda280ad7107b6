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

export interface AttentionKind extends AttentionShape {
  /** Whether the logarithms of the sums are kept. */
  readonly lse: boolean;
}

export const ATTENTION = params(['qStride', 'outStride', 'lseStride', 'kvHeads', 'window']);

/**
 * Flash attention of runs of rows over the store: out = softmax(q · K) V, causal, within a window of positions, a running maximum and sum
 * over tiles of 32 keys counted from the context's beginning, so that the order of a row's sums depends on its
 * position alone.
 *
 * Storage: tiles, vec4u (first row, rows, position of the first, place of the context's beginning); q
 * [rows, qStride], head after head; keys and values of the store; out [rows, outStride]; lse [rows, lseStride] where wanted.
 * Grid: tiles, key heads.
 */
export function attention(kind: AttentionKind): Kernel {
  const { headDim, share, type, lse } = kind;
  const quads = quadsOf(headDim);
  const element = headElement(headDim);
  const blocks = Math.ceil(quads / 8);
  const column = (c: number) =>
    quads % 8 === 0 || c < blocks - 1 ? `lane + ${8 * c}u` : `min(lane + ${8 * c}u, ${quads - 1}u)`;
  const { wgsl, access } = declare(ATTENTION, [
    reads('tiles', 'vec4u'),
    reads('q', element),
    reads('keys', storeElement(type)),
    reads('values', storeElement(type)),
    writes('out', element),
    lse && writes('lse', 'f32'),
  ]);
  const code = () => `${wgsl}
${TILES}
var<workgroup> keep: array<f32, 64>;
var<private> tile: vec4u;
var<private> g: u32;
var<private> k0: u32;
${stored(kind)}
fn query(i: u32, d: u32) -> vec4f {
  let n = min(i, tile.y * ${share}u - 1u);
  let row = tile.x + n / ${share}u; let head = g * ${share}u + n % ${share}u;
  return ${headQuad(headDim, 'q', 'row', 'p.qStride')};
}
// Nothing is read beyond the last position of the tile.
fn key(j: u32, d: u32) -> vec4f {
  let last = tile.z + tile.y - 1u;
  return select(vec4f(0.0), storedKey(g, tile.w + min(k0 + j, last), d), k0 + j <= last);
}
fn value(j: u32, d: u32) -> vec4f {
  let last = tile.z + tile.y - 1u;
  return select(vec4f(0.0), storedValue(g, tile.w + min(k0 + j, last), d), k0 + j <= last);
}
${MAIN}
  let mine = tiles[wid.x]; let end = mine.z + mine.y;
  tile = mine; g = wid.y;
  ${each(4, (i) => each(blocks, (c) => `var o${i}_${c} = vec4f(0.0);`))}
  var most = -3.0e38; var sum = 0.0; // of query li
  for (var first = ${firstTile('mine.z')}; first < end; first += 32u) {
    k0 = first;
    ${scores('s', 'query', 'key', quads)}
    ${each(
      4,
      (
        i,
      ) => `{ let at = tile.z + (group + ${16 * i}u) / ${share}u; let k4 = vec4u(k0 + 4u * lane) + vec4u(0u, 1u, 2u, 3u);
      ps[(group + ${16 * i}u) * 9u + lane] = select(vec4f(-3.0e38), vec4f(s${i}_0, s${i}_1, s${i}_2, s${i}_3), (k4 <= vec4u(at)) & (k4 + vec4u(p.window) > vec4u(at))); }`,
      '\n    ',
    )}
    workgroupBarrier();
    if (li < 64u) {
      var m4 = ps[li * 9u];
      for (var i = 1u; i < 8u; i++) { m4 = max(m4, ps[li * 9u + i]); }
      let next = max(most, max(max(m4.x, m4.y), max(m4.z, m4.w)));
      let factor = exp(most - next);
      var t = vec4f(0.0);
      for (var i = 0u; i < 8u; i++) { let e = exp(ps[li * 9u + i] - next); ps[li * 9u + i] = e; t += e; }
      sum = sum * factor + ((t.x + t.y) + (t.z + t.w));
      most = next; keep[li] = factor;
    }
    workgroupBarrier();
    ${each(4, (i) => `{ let f = keep[group + ${16 * i}u]; ${each(blocks, (c) => `o${i}_${c} *= f;`)} }`)}
    for (var n = 0u; n < 8u; n++) {
      ${each(4, (i) => `let p${i} = ps[(group + ${16 * i}u) * 9u + n];`)}
      ${each(blocks, (c) => each(4, (j) => `{ let v = value(4u * n + ${j}u, ${column(c)}); ${each(4, (i) => `o${i}_${c} = fma(vec4f(p${i}.${'xyzw'[j]}), v, o${i}_${c});`)} }`), '\n      ')}
    }
  }
  workgroupBarrier();
  if (li < 64u) {
    keep[li] = 1.0 / sum;
    ${
      lse
        ? `if (li < tile.y * ${share}u) {
      lse[(tile.x + li / ${share}u) * p.lseStride + g * ${share}u + li % ${share}u] = most + log(sum);
    }`
        : ''
    }
  }
  workgroupBarrier();
  ${each(
    4,
    (i) => `{ let n = group + ${16 * i}u; if (n < tile.y * ${share}u) {
    let row = tile.x + n / ${share}u; let head = g * ${share}u + n % ${share}u;
    ${each(blocks, (c) => `if (lane + ${8 * c}u < ${quads}u) { let d = lane + ${8 * c}u; ${setHeadQuad(headDim, 'out', 'row', 'p.outStride', `o${i}_${c} * keep[n]`)} }`)} } }`,
    '\n  ',
  )}
}`;
  return { key: `attention ${headDim} ${share} ${type}${lse ? ' lse' : ''}`, code, access };
}
