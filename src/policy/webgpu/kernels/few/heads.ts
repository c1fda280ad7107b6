import type { HeadsInput } from '../../../ops/ops.ts';
import type { Activations } from '../../../ops/values.ts';
import { float } from '../../device/encoder.ts';
import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import {
  GpuActivations,
  GpuKvCache,
  GpuMatrix,
  GpuRotary,
  GpuTokens,
  GpuVector,
  own,
} from '../../device/values.ts';
import { bucketOf } from './product.ts';
import { runProduct, type Bound } from './run-product.ts';
import { lowRank, type FewState } from './state.ts';

/** Tokens of few rows are at most this many; so are rows of their table as a uniform. */
const TOKENS = 64;

/**
 * WGSL `put(row, o, value)`: q, key or value o of [q | k | v] of a row to q, or to the new keys and values. The uniform says:
 * more[0] = q's width, end of the keys, q's stride, head size; more[1] = dim, 1 / √D, pairs, rows that are turned.
 */
const PUT = `
fn put(row: u32, o: u32, v: f32) {
  let width = u.more[0].x; let end = u.more[0].y; let D = u.more[0].w; let dim = u.more[1].x;
  if (o < width) { q[row * u.more[0].z + o] = v * bitcast<f32>(u.more[1].y); return; }
  let k = o - width;
  fresh[(row * 2u * ((end - width) / D) + k / D) * dim + k % D] = v;
}`;

/** What `put` needs, and where the row's angles are. */
const bindings = (tokens: GpuTokens, q: GpuActivations, fresh: Range): Bound[] => [
  { name: 'tokens', type: `array<vec4u, ${TOKENS}>`, access: 'u', binding: tokens.first },
  { name: 'q', type: 'array<f32>', access: 'w', binding: q.buffer },
  { name: 'fresh', type: 'array<f32>', access: 'w', binding: fresh },
];

/**
 * q, k and v of few rows, turned and put where they belong: keys and values to where `attend` takes them from into the
 * store. One dispatch; where heads have norms of their own the product, then a kernel that turns.
 */
export function fewHeads(
  gpu: Gpu,
  state: FewState,
  o: HeadsInput & { q: Activations; raw?: Activations },
): void {
  const [x, q] = [own(GpuActivations, o.x), own(GpuActivations, o.q)];
  const raw = o.raw && own(GpuActivations, o.raw);
  const [matrix, tokens] = [own(GpuMatrix, o.by.matrix), own(GpuTokens, o.tokens)];
  const store = own(GpuKvCache, o.store);
  const rotary = o.rotary && own(GpuRotary, o.rotary);
  const { headDim: D, kvHeads: G } = store;
  const turned = matrix.turned;
  if (rotary && (turned?.headDim !== D || turned.rows !== (o.heads + G) * D))
    throw new RangeError('the matrix of q, k and v does not say that its heads are turned');
  const rows = tokens.count;
  const memory = state.normed(x, o.norm, rows);
  const low = lowRank(gpu, o.by, memory.range, rows);
  const more = [
    o.heads * D,
    (o.heads + G) * D,
    q.stride,
    D,
    store.dim,
    float(1 / Math.sqrt(D)),
    rotary?.pairs ?? 0,
    turned?.rows ?? 0,
  ];
  const common = {
    matrix,
    rows,
    x: memory.range,
    xStride: memory.xStride,
    low,
    bias: o.by.bias,
    norm: {
      squaresAt: memory.squaresAt,
      eps: o.norm.eps,
    },
  };
  const angles: Bound[] = rotary
    ? [{ name: 'angles', type: 'array<vec2f>', access: 'r', binding: rotary.buffer }]
    : [];
  const fresh = state.append(store, tokens);
  if (!o.headNorms && !raw) {
    runProduct(gpu, {
      ...common,
      name: 'heads',
      variant: rotary ? 'turned' : '',
      yStride: 0,
      more,
      bound: [...bindings(tokens, q, fresh), ...angles],
      declarations: () => `${PUT}\n${natural}`,
      epilogue: ({ tile: { outs, threads }, rowTile }) => `
  for (var n = li; n < ${(outs / 2) * rowTile}u; n += ${threads}u) {
    let l = (n % ${outs / 2}u) * 2u; let t = n / ${outs / 2}u; let row = t0 + t; let o = u.row0 + first + l;
    if (row < u.rows && o < u.out) {
      let a = natural(o); let b = natural(o + 1u);
      var ya = value(l, o, t, t0) + bias(a);
      var yb = 0.0;
      if (o + 1u < u.out) { yb = value(l + 1u, o + 1u, t, t0) + bias(b); }
      ${
        rotary
          ? `if (o < u.more[1].w) {
        let f = angles[tokens[row].y * u.more[1].z + (o % u.more[0].w) / 2u];
        let turned = vec2f(ya * f.x - yb * f.y, yb * f.x + ya * f.y); ya = turned.x; yb = turned.y;
      }`
          : ''
      }
      put(row, a, ya);
      if (o + 1u < u.out) { put(row, b, yb); }
    }
  }`,
    });
    return;
  }
  // [rows][(H + 2G) D] in the order of the heads.
  const target = raw
    ? { binding: raw.buffer, stride: raw.stride }
    : {
        binding: gpu.scratch('few rows, heads', bucketOf(rows) * matrix.out * 4),
        stride: matrix.out,
      };
  runProduct(gpu, {
    ...common,
    name: 'write',
    yStride: target.stride,
    more,
    bound: [
      {
        name: 'y',
        type: 'array<f32>',
        access: 'w',
        binding: target.binding,
      },
    ],
    declarations: () => natural,
    epilogue: writeRows,
  });
  turn(gpu, o, { tokens, store, q, fresh, rotary, more, from: target });
}

/** WGSL: which output row `o` of the matrix makes: pairs of a turned head lie side by side in it. */
const natural = `fn natural(o: u32) -> u32 {
  if (o >= u.more[1].w) { return o; }
  let D = u.more[0].w; let i = o % D;
  return o - i + i / 2u + (i & 1u) * (D / 2u);
}`;

/** WGSL that writes y with its bias, each output where it belongs. */
const writeRows: Parameters<typeof runProduct>[1]['epilogue'] = ({ tile, rowTile }) => `
  for (var n = li; n < ${tile.outs * rowTile}u; n += ${tile.threads}u) {
    let l = n % ${tile.outs}u; let t = n / ${tile.outs}u; let row = t0 + t; let o = u.row0 + first + l;
    if (row < u.rows && o < u.out) {
      y[row * u.yStride + natural(o)] = value(l, o, t, t0) + bias(natural(o));
    }
  }`;

/** A workgroup a (head of q, k or v, row): its norm, its turning, and where it belongs. */
const TURN = (o: { norms: boolean; rotary: boolean }): string => `
struct U { rows: u32, fromStride: u32, eps: f32, heads: u32, more: array<vec4u, 2> }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<uniform> tokens: array<vec4u, ${TOKENS}>;
@group(0) @binding(3) var<storage, read_write> q: array<f32>;
@group(0) @binding(4) var<storage, read_write> fresh: array<f32>;
@group(0) @binding(5) var<storage, read> qWeight: array<f32>;
@group(0) @binding(6) var<storage, read> kWeight: array<f32>;
@group(0) @binding(7) var<storage, read> angles: array<vec2f>;
var<workgroup> sums: array<f32, 64>;
${PUT}
fn normed(head: u32, i: u32, v: f32, r: f32) -> f32 {
  ${o.norms ? 'if (head < u.heads) { return v * r * qWeight[i]; }\n  return v * r * kWeight[i];' : 'return v;'}
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let head = wid.x; let row = wid.y; let D = u.more[0].w; let at = row * u.fromStride + head * D;
  let isValue = head * D >= u.more[0].y;
  var s = 0.0;
  for (var i = li; i < D; i += 64u) { s = fma(y[at + i], y[at + i], s); }
  sums[li] = s;
  workgroupBarrier();
  for (var n = 32u; n > 0u; n >>= 1u) { if (li < n) { sums[li] += sums[li + n]; } workgroupBarrier(); }
  let r = inverseSqrt(sums[0] / f32(D) + u.eps);
  if (isValue) {
    for (var i = li; i < D; i += 64u) { put(row, head * D + i, y[at + i]); }
    return;
  }
  ${
    o.rotary
      ? `let half = D / 2u;
  for (var i = li; i < half; i += 64u) {
    let a = normed(head, i, y[at + i], r); let b = normed(head, i + half, y[at + i + half], r);
    let f = angles[tokens[row].y * u.more[1].z + i];
    put(row, head * D + i, a * f.x - b * f.y); put(row, head * D + i + half, b * f.x + a * f.y);
  }`
      : 'for (var i = li; i < D; i += 64u) { put(row, head * D + i, normed(head, i, y[at + i], r)); }'
  }
}`;

function turn(
  gpu: Gpu,
  { headNorms, heads }: HeadsInput,
  o: {
    tokens: GpuTokens;
    store: GpuKvCache;
    q: GpuActivations;
    fresh: Range;
    rotary: GpuRotary | null;
    more: readonly number[];
    from: { binding: GpuActivations['buffer'] | ReturnType<Gpu['scratch']>; stride: number };
  },
): void {
  const { tokens, store, q, fresh, rotary, more, from } = o;
  const variant = { norms: headNorms !== null, rotary: rotary !== null };
  // A kernel without norms or angles binds something in their place, which it does not read.
  const [qWeight, kWeight] = headNorms
    ? [own(GpuVector, headNorms.q).buffer, own(GpuVector, headNorms.k).buffer]
    : [tokens.table, tokens.table];
  gpu.encoder.dispatch(
    {
      key: `few turn ${Object.entries(variant)
        .filter(([, on]) => on)
        .join(' ')}`,
      code: () => TURN(variant),
      access: 'ruwwrrr',
    },
    [from.binding, tokens.first, q.buffer, fresh, qWeight, kWeight, rotary?.buffer ?? tokens.table],
    [tokens.count, from.stride, float(headNorms?.eps ?? 1), heads, ...more],
    [heads + 2 * store.kvHeads, tokens.count],
  );
}
