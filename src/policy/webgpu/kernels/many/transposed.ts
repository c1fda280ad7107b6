import type { MatrixType } from '../../../ops/values.ts';
import { hasScales } from '../weights.ts';
import { eight } from './eight.ts';
import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';
import { BEYOND, each, HEIGHT, MAIN, TRANSPOSED_TILE, transposedStep, X_TILE } from './tile.ts';

export interface TransposedKind {
  readonly type: MatrixType;
  readonly lora: boolean;
  /** Whether the sum begins with what is in dx, as if it had never been cut. */
  readonly go: boolean;
  /** Whether every SUM_BLOCK terms are a sum of their own first: exact enough for a vocabulary. Not with an adapter. */
  readonly blocks: boolean;
}

export const SUM_BLOCK = 512;

export const TRANSPOSED = params(
  [
    ...(['rows', 'width', 'yStride', 'quad', 'wRows', 'wUnits', 'first'] as const),
    ...(['count', 'xStride', 'uStride', 'rank', 'aStride'] as const),
  ],
  [],
  true,
);

/**
 * dx[row, k] = Σ_o dy[row, 4 quad + o] W[first + o, k] (+ Σ_r u[row, r] A[r, k]) over o < count: the backward
 * product, out of the same packed weights.
 *
 * Storage: W; S; dy [rows, yStride] vec4f; u [rows, uStride] vec4f, the adapter's scale · Bᵀ dy (`lowRank`); A
 * [rank, aStride] vec4f of the adapted parts; dx [rows, xStride] vec4f. Without an adapter u and A are left out.
 * Parts: −, −, where A is, where the part's columns of u are (both in vec4f).
 * Grid: columns in tiles of 64, rows in tiles of 64.
 */
export function transposed({ type, lora, go, blocks }: TransposedKind): Kernel {
  const first = (i: number) =>
    go ? `dx[min(r0 + group + ${8 * i}u, p.rows - 1u) * p.xStride + to]` : 'vec4f(0.0)';
  const all = (line: (i: number) => string) => each(HEIGHT, line, '\n    ');
  const { wgsl, access } = declare(TRANSPOSED, [
    reads('W', 'vec4u'),
    hasScales(type) && reads('S', 'u32'),
    reads('dy', 'vec4f'),
    lora && reads('u', 'vec4f'),
    lora && reads('A', 'vec4f'),
    writes('dx', 'vec4f'),
  ]);
  const code = () => `${wgsl}
${eight(type, 'apart')}
${BEYOND}
${X_TILE}
${TRANSPOSED_TILE}
${
  lora
    ? `fn factor(at: u32, r: u32, q: u32) -> vec4f {
  if (r >= p.rank || q >= p.aStride) { return vec4f(0.0); }
  return A[at + r * p.aStride + q];
}`
    : ''
}
${MAIN}
  let r0 = wid.y * 64u; let k0 = wid.x * 16u; // in quads
  let term = li & 15u; let e = li >> 4u; let k8 = min(wid.x * 8u + e, (p.width - 1u) / 8u);
  let xq = li & 3u; let xRow = li >> 2u;
  let x0 = min(r0 + xRow, p.rows - 1u); let x1 = min(r0 + xRow + 32u, p.rows - 1u);
  let to = min(k0 + lane, p.xStride - 1u);
  ${all((i) => `var ${blocks ? 't' : 'c'}${i} = ${first(i)};`)}
  ${
    blocks
      ? `for (var begin = 0u; begin < p.count; begin += ${SUM_BLOCK}u) {
    ${all((i) => `var c${i} = vec4f(0.0);`)}`
      : ''
  }
  for (var at = ${blocks ? 'begin' : '0u'}; at < ${blocks ? `min(p.count, begin + ${SUM_BLOCK}u)` : 'p.count'}; at += 16u) {
    workgroupBarrier();
    { let q = at / 4u + xq; let start = min(p.quad + q, p.yStride - 1u);
      xs[xq * 65u + xRow] = within(dy[x0 * p.yStride + start], q, p.count);
      xs[xq * 65u + xRow + 32u] = within(dy[x1 * p.yStride + start], q, p.count);
      let w = eight(min(p.first + at + term, p.wRows - 1u), k8);
      ws[term * 17u + 2u * e] = w.a; ws[term * 17u + 2u * e + 1u] = w.b; }
    workgroupBarrier();
    ${transposedStep()}
  }
  ${
    blocks
      ? `${all((i) => `t${i} += c${i};`)}
  }`
      : ''
  }
  ${
    lora
      ? `for (var n = 0u; n < p.partCount; n++) {
    let part = p.parts[n];
    for (var r = 0u; r < p.rank; r += 16u) {
      workgroupBarrier();
      { let q = min(part.w + r / 4u + xq, p.uStride - 1u); let some = r + 4u * xq < p.rank;
        xs[xq * 65u + xRow] = select(vec4f(0.0), u[x0 * p.uStride + q], some);
        xs[xq * 65u + xRow + 32u] = select(vec4f(0.0), u[x1 * p.uStride + q], some);
        ws[term * 17u + 2u * e] = factor(part.z, r + term, k0 + 2u * e);
        ws[term * 17u + 2u * e + 1u] = factor(part.z, r + term, k0 + 2u * e + 1u); }
      workgroupBarrier();
      ${transposedStep()}
    }
  }`
      : ''
  }
  if (k0 + lane < p.xStride) {
    ${each(HEIGHT, (i) => `{ let row = r0 + group + ${8 * i}u; if (row < p.rows) { dx[row * p.xStride + to] = ${blocks ? 't' : 'c'}${i}; } }`, '\n    ')}
  }
}`;
  return { key: `transposed ${type} ${[lora, go, blocks].map(Number).join('')}`, code, access };
}
