import type { StoreType } from '../../../ops/values.ts';
import { each, LANES } from './tile.ts';

/**
 * What the attention kernels share. A tile of queries is up to 64 of (position, head): the query heads of one
 * key head, position after position of one run; a tile of keys is 32 places of its context. 128 threads: a
 * thread holds the scores of queries `group + 16 i` with keys 4 lane + j (lane = li & 7, group = li >> 3).
 */
export interface AttentionShape {
  readonly headDim: number;
  /** Query heads a key head. */
  readonly share: number;
  readonly type: StoreType;
}

export const KEYS = 32;

/** Positions of a tile of queries. @throws RangeError where a key head serves more heads than a tile holds */
export function tilePositions(share: number): number {
  if (share > 64) throw new RangeError('attention: a key head serves at most 64 query heads');
  return Math.floor(64 / share);
}

/** The window where a row sees all positions before it; a sum with a position is still 32 bits. */
export const NO_WINDOW = 2 ** 31 - 1;

/** WGSL: the first tile of keys, counted in positions, that a query at `at` sees any of. */
export const firstTile = (at: string): string =>
  `(select(0u, ${at} + 1u - p.window, ${at} + 1u > p.window) / ${KEYS}u * ${KEYS}u)`;

/** `[quad of dimensions][65 queries]`, `[quad][33 keys]`, `[64 queries][9 quads of keys]`: 15.5 kB. */
export const TILES = `var<workgroup> xs: array<vec4f, 260>;
var<workgroup> ws: array<vec4f, 132>;
var<workgroup> ps: array<vec4f, 576>;`;

/**
 * WGSL `storedKey(g, place, d)` and `storedValue`: quad d of key head g, filled up with zeros. Needs the bindings
 * `keys` and `values` and `p.kvHeads`.
 */
export const stored = ({ headDim, type }: AttentionShape): string =>
  [
    ['storedKey', 'keys'],
    ['storedValue', 'values'],
  ]
    .map(
      ([name, from]) => `fn ${name}(g: u32, place: u32, d: u32) -> vec4f {
  let w = ${from}[(place * p.kvHeads + g) * ${quadsOf(headDim)}u + d];
  ${type === 'f32' ? 'return w;' : 'return vec4f(unpack2x16float(w.x), unpack2x16float(w.y));'}
}`,
    )
    .join('\n');

export const quadsOf = (headDim: number): number => Math.ceil(headDim / 4);

/** Rows of heads are read by quads where heads begin at one. */
export const headElement = (headDim: number): string => (headDim % 4 === 0 ? 'vec4f' : 'f32');

const QUAD = [0, 1, 2, 3];

/** WGSL of quad `d` of head `head` of a row of `name`, whose rows are `stride` floats apart. */
export function headQuad(headDim: number, name: string, row: string, stride: string): string {
  if (headDim % 4 === 0) return `${name}[${row} * (${stride} / 4u) + head * ${headDim / 4}u + d]`;
  const at = `${row} * ${stride} + head * ${headDim}u`;
  const one = (i: number) =>
    `select(0.0, ${name}[${at} + min(4u * d + ${i}u, ${headDim - 1}u)], 4u * d + ${i}u < ${headDim}u)`;
  return `vec4f(${QUAD.map(one).join(', ')})`;
}

/** WGSL that writes the vec4f `value` there. */
export function setHeadQuad(
  headDim: number,
  name: string,
  row: string,
  stride: string,
  value: string,
): string {
  if (headDim % 4 === 0) return `${headQuad(headDim, name, row, stride)} = ${value};`;
  const at = `${row} * ${stride} + head * ${headDim}u + 4u * d`;
  return `{ let v = ${value}; for (var e = 0u; e < 4u; e++) { if (4u * d + e < ${headDim}u) { ${name}[${at} + e] = v[e]; } } }`;
}

export const storeElement = (type: StoreType): string => (type === 'f32' ? 'vec4f' : 'vec2u');

/** Scores {s}{i}_{j} = Σ_d query(i, d) · key(j, d); WGSL functions `a(query, d)` and `b(key, d)` read them. */
export function scores(s: string, a: string, b: string, quads: number): string {
  const row = 'li >> 2u';
  const load = (call: string) => (quads % 4 === 0 ? call : `select(vec4f(0.0), ${call}, some)`);
  const dd = quads % 4 === 0 ? 'd0 + (li & 3u)' : `min(d0 + (li & 3u), ${quads - 1}u)`;
  return `${each(4, (i) => each(4, (j) => `var ${s}${i}_${j} = 0.0;`))}
    for (var d0 = 0u; d0 < ${quads}u; d0 += 4u) {
      workgroupBarrier();
      { let d = ${dd}; ${quads % 4 === 0 ? '' : `let some = d0 + (li & 3u) < ${quads}u;`}
        xs[(li & 3u) * 65u + (${row})] = ${load(`${a}(${row}, d)`)};
        xs[(li & 3u) * 65u + (${row}) + 32u] = ${load(`${a}((${row}) + 32u, d)`)};
        ws[(li & 3u) * 33u + ((${row}) & 3u) * 8u + (li >> 4u)] = ${load(`${b}(${row}, d)`)}; }
      workgroupBarrier();
      for (var k = 0u; k < 4u; k++) {
        ${each(4, (j) => `let w${j} = ws[k * 33u + ${8 * j}u + lane];`)}
        ${each(4, (i) => `{ let x = xs[k * 65u + group + ${16 * i}u]; ${each(4, (j) => LANES.map((e) => `${s}${i}_${j} = fma(x.${e}, w${j}.${e}, ${s}${i}_${j});`).join(' '))} }`, '\n        ')}
      }
    }`;
}

export const MAIN = `@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let lane = li & 7u; let group = li >> 3u;`;
