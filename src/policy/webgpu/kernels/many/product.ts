import type { Gate } from '../../../checkpoint/config.ts';
import type { MatrixType } from '../../../ops/values.ts';
import { eight } from './eight.ts';
import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';
import { gateFunctions } from './pointwise.ts';
import {
  BEYOND,
  each,
  FORWARD_TILE,
  forwardStep,
  forwardSums,
  HEIGHT,
  MAIN,
  range,
  WIDTH,
  X_TILE,
} from './tile.ts';

export interface ProductKind {
  readonly type: MatrixType;
  /** Whether x is normed: rms(x) · gain. */
  readonly norm: boolean;
  readonly bias: boolean;
  readonly lora: boolean;
  /** `gated`: rows [gate | up] of W, y = gated(gate) · up. */
  readonly to: 'store' | 'add' | 'gated';
  /** Gated: by what. */
  readonly gate: Gate;
  /** Gated: whether gate and up are kept, too. */
  readonly raw: boolean;
}

export const PRODUCT = params(
  [
    ...(['rows', 'width', 'xStride', 'wRows', 'wUnits', 'wScales', 'first', 'count'] as const),
    ...(['column', 'yStride', 'rawStride', 'tStride', 'rankQuads', 'turned', 'headDim'] as const),
  ],
  ['scale', 'eps'],
  true,
);

/**
 * y[row, column + o] = Σ_k x[row, k] W[first + o, k] (+ bias + scale · B t) for o < count.
 *
 * Storage: W; x [rows, xStride] vec4f; gain; bias; t [rows, tStride] vec4f, the adapter's A x (`lowRank`);
 * B [out, rankQuads] vec4f of the adapted parts; y [rows, yStride]; raw [rows, rawStride]. Those that the kind lacks are left out.
 * Parts: first row, rows, where B is, where the part's columns of t are (both in vec4f).
 * Grid: columns in tiles of 64 (gated: 32), rows in tiles of 64.
 */
export function product(kind: ProductKind): Kernel {
  const { type, norm, bias, lora, to, gate, raw } = kind;
  const gated = to === 'gated';
  const columns = gated ? 32 : 64;
  // Row of W (before `first`) of a column of the tile, and whether the column is one of y's.
  const rowOf = (c: string) =>
    gated ? `(o0 + (${c} & 31u) + select(0u, p.count, ${c} >= 32u))` : `(o0 + ${c})`;
  /**
   * Which value of y column j of a thread is, and its bias: once for all rows, since a compiler that inlines the
   * divisions of `natural` 32 times takes as long for them as for all else.
   */
  const target = (j: string, c: string) => {
    const held = `min(o0 + ${c}, p.count - 1u)`;
    const biases = gated
      ? `let gateBias${j} = bias[${held}]; let upBias${j} = bias[p.count + ${held}];`
      : `let bias${j} = bias[natural(p.column + ${held})];`;
    return `let in${j} = o0 + ${c} < p.count; let to${j} = ${gated ? `o0 + ${c}` : `natural(p.column + o0 + ${c})`};${bias ? ` ${biases}` : ''}`;
  };
  const { wgsl, access } = declare(PRODUCT, [
    reads('W', 'vec4u'),
    reads('x', 'vec4f'),
    norm && reads('gain', 'f32'),
    bias && reads('bias', 'f32'),
    lora && reads('t', 'vec4f'),
    lora && reads('B', 'vec4f'),
    writes('y', 'f32'),
    raw && writes('raw', 'f32'),
  ]);
  const code = () => `${wgsl}
${gated ? gateFunctions(gate) : ''}
${eight(type, 'joined')}
// Heads that are turned have row i beside row i + headDim / 2 in W; y has them in their own order.
fn natural(o: u32) -> u32 {
  if (o >= p.turned) { return o; }
  let i = o % p.headDim;
  return o - i + (i >> 1u) + (i & 1u) * (p.headDim / 2u);
}
${BEYOND}
${X_TILE}
${FORWARD_TILE}
${norm ? 'var<workgroup> squares: array<f32, 256>; // [64 rows][4]' : ''}
${norm ? 'fn gainOf(q: u32) -> vec4f { let i = min(vec4u(4u * q) + vec4u(0u, 1u, 2u, 3u), vec4u(p.width - 1u)); return vec4f(gain[i.x], gain[i.y], gain[i.z], gain[i.w]); }' : ''}
${
  lora
    ? `fn factor(o: u32, part: vec4u, r: u32) -> vec4f {
  if (o < part.x || o - part.x >= part.y || r >= p.rankQuads) { return vec4f(0.0); }
  return p.scale * B[part.z + (o - part.x) * p.rankQuads + r];
}`
    : ''
}
${MAIN}
  let o0 = wid.x * ${columns}u; let r0 = wid.y * 64u;
  let c = li & 63u; let half = li >> 6u; let wRow = min(p.first + ${rowOf('c')}, p.wRows - 1u);
  let xq = li & 3u; let xRow = li >> 2u;
  let x0 = min(r0 + xRow, p.rows - 1u); let x1 = min(r0 + xRow + 32u, p.rows - 1u);
  ${forwardSums()}
  ${norm ? 'var s0 = 0.0; var s1 = 0.0;' : ''}
  for (var at = 0u; at < p.width; at += 16u) {
    workgroupBarrier();
    { let q = at / 4u + xq; let start = min(q, p.xStride - 1u);
      ${each(
        2,
        (i) => `let v${i} = within(x[x${i} * p.xStride + start], q, p.width);
      ${norm ? `s${i} += dot(v${i}, v${i});` : ''}`,
        '\n      ',
      )}
      ${norm ? 'let g = gainOf(q);' : ''}
      xs[xq * 65u + xRow] = v0${norm ? ' * g' : ''}; xs[xq * 65u + xRow + 32u] = v1${norm ? ' * g' : ''};
      let w = eight(wRow, at / 8u + half);
      ws[half * 128u + c] = w.a; ws[half * 128u + 64u + c] = w.b; }
    workgroupBarrier();
    ${forwardStep()}
  }
  ${
    norm
      ? `squares[xRow * 4u + xq] = s0; squares[(xRow + 32u) * 4u + xq] = s1;
  workgroupBarrier();
  ${each(
    HEIGHT,
    (i) => `{ let n = 4u * (group + ${8 * i}u);
    let r = inverseSqrt((squares[n] + squares[n + 1u] + squares[n + 2u] + squares[n + 3u]) / f32(p.width) + p.eps);
    ${each(WIDTH, (j) => `c${i}_${j} *= r;`)} }`,
    '\n  ',
  )}`
      : ''
  }
  ${
    lora
      ? `for (var n = 0u; n < p.partCount; n++) {
    let part = p.parts[n]; let start = p.column + o0; let end = part.x + part.y;
    let meets = ${gated ? `(part.x < start + 32u && end > start) || (part.x < start + p.count + 32u && end > start + p.count)` : 'part.x < start + 64u && end > start'};
    if (meets) {
      for (var r = 0u; r < p.rankQuads; r += 4u) {
        workgroupBarrier();
        { let q = part.w + r + xq; let some = r + xq < p.rankQuads;
          xs[xq * 65u + xRow] = select(vec4f(0.0), t[x0 * p.tStride + min(q, p.tStride - 1u)], some);
          xs[xq * 65u + xRow + 32u] = select(vec4f(0.0), t[x1 * p.tStride + min(q, p.tStride - 1u)], some);
          let o = p.column + ${rowOf('c')};
          ws[half * 128u + c] = factor(o, part, r + half * 2u); ws[half * 128u + 64u + c] = factor(o, part, r + half * 2u + 1u); }
        workgroupBarrier();
        ${forwardStep()}
      }
    }
  }`
      : ''
  }
  ${each(gated ? 2 : WIDTH, (j) => target(`${j}`, `lane + ${16 * j}u`), '\n  ')}
  ${each(
    HEIGHT,
    (i) =>
      `{ let row = r0 + group + ${8 * i}u; if (row < p.rows) { ${
        gated
          ? each(
              2,
              (
                j,
              ) => `if (in${j}) { let gate = c${i}_${j}${bias ? ` + gateBias${j}` : ''}; let up = c${i}_${j + 2}${bias ? ` + upBias${j}` : ''};
      ${raw ? `raw[row * p.rawStride + to${j}] = gate; raw[row * p.rawStride + p.count + to${j}] = up;` : ''}
      y[row * p.yStride + to${j}] = gated(gate) * up; }`,
            )
          : each(
              WIDTH,
              (j) => `if (in${j}) { let n = row * p.yStride + to${j};
      y[n] = ${to === 'add' ? 'y[n] + ' : ''}c${i}_${j}${bias ? ` + bias${j}` : ''}; }`,
            )
      } } }`,
    '\n  ',
  )}
}`;
  const flags = range(4).map((i) => Number([norm, bias, lora, raw][i]));
  const name = gated ? `${to} by ${gate}` : to;
  return { key: `product ${type} ${name} ${flags.join('')}`, code, access };
}
