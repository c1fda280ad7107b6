import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import { rankStride, strideOf } from '../../device/sizes.ts';
import type { Prepared } from '../embed.ts';
import {
  own,
  GpuLora,
  GpuVector,
  type GpuActivations,
  type GpuKvCache,
  type GpuTokens,
} from '../../device/values.ts';
import type { Norm, Projection } from '../../../ops/ops.ts';
import { float } from '../../device/encoder.ts';
import { bucketOf, UNIFORMS, type LoraUniforms } from './product.ts';

/**
 * Working memory of few rows that has x prepared for a norm: x · weight, [bucket][stride], after it the partial sums
 * of squares of x, [bucket][stride / 8], one for 8 columns. A kernel that writes x may prepare it for the norm that
 * reads it next, and saves that a dispatch.
 */
export class FewState {
  private ready: { x: GpuActivations; norm: GpuVector; key: string } | null = null;

  private appended: { store: GpuKvCache; tokens: GpuTokens } | null = null;

  constructor(readonly gpu: Gpu) {}

  /**
   * Where new keys and values of the tokens go: [row][keys, then values][kvHead][dim]. `attend` takes them into the store,
   * so that a step binds the store once; `settleKeys` does, where something else comes first.
   */
  append(store: GpuKvCache, tokens: GpuTokens): Range {
    this.settleKeys();
    this.appended = { store, tokens };
    return this.fresh(store, tokens);
  }

  /** The new keys and values, and whether `attend` is to take them into this store. */
  taken(store: GpuKvCache, tokens: GpuTokens): { fresh: Range; append: boolean } {
    const append =
      this.appended?.store === store && this.appended.tokens === tokens && !tokens.shared;
    if (append) this.appended = null;
    else this.settleKeys();
    return { fresh: this.fresh(store, tokens), append };
  }

  /** Before anything but `attend` of the same tokens uses a store, or the tokens are placed again. */
  settleKeys(): void {
    if (!this.appended) return;
    const { store, tokens } = this.appended;
    this.appended = null;
    const f16 = store.type === 'f16';
    this.gpu.encoder.dispatch(
      { key: `few append ${store.type}`, code: () => APPEND(f16), access: 'urww' },
      [tokens.first, this.fresh(store, tokens), store.keys, store.values],
      [store.dim / 4, store.headDim, store.kvHeads],
      [store.kvHeads, tokens.count],
    );
  }

  private fresh({ kvHeads, dim }: GpuKvCache, { count }: GpuTokens): Range {
    return this.gpu.scratch('few rows, new keys', freshBytes(count, kvHeads, dim));
  }

  /** x holds something else than what was prepared. */
  wrote(x: object): void {
    if (this.ready?.x === x) this.ready = null;
  }

  forget(): void {
    this.ready = null;
    this.appended = null;
  }

  /** The memory for rows of x. */
  memory(x: GpuActivations, rows: number): FewMemory {
    const bucket = bucketOf(rows);
    const squaresAt = (bucket * x.stride) / 4;
    const range = this.gpu.scratch('few rows', (squaresAt + (bucket * x.stride) / 32) * 16);
    return { range, squaresAt, xStride: x.stride / 4, key: `${range.buffer.id} ${bucket}` };
  }

  /** Where the next kernel that writes x prepares it for a norm; requesting it marks it prepared. */
  place(x: GpuActivations, { weight }: Norm, rows: number): Prepared {
    const norm = own(GpuVector, weight);
    const { range, squaresAt, key } = this.memory(x, rows);
    this.ready = { x, norm, key };
    return { range, squaresAt, weight: norm };
  }

  /** x prepared for a norm: dispatches that only where it was not done yet. */
  normed(x: GpuActivations, { weight }: Norm, rows: number): FewMemory {
    const norm = own(GpuVector, weight);
    const memory = this.memory(x, rows);
    const { ready } = this;
    if (ready?.x === x && ready.norm === norm && ready.key === memory.key) return memory;
    prepare(this.gpu, x, norm, memory, rows, null);
    this.ready = { x, norm, key: memory.key };
    return memory;
  }

  /** As `normed`, of the rows that a table of 8 words per row names first. */
  gathered(x: GpuActivations, { weight }: Norm, rows: number, table: Range): FewMemory {
    const memory = this.memory(x, rows);
    prepare(this.gpu, x, own(GpuVector, weight), memory, rows, table);
    this.ready = null;
    return memory;
  }
}

export const freshBytes = (rows: number, kvHeads: number, dim: number): number =>
  bucketOf(rows) * 2 * kvHeads * dim * 4;

/** WGSL `four`, `held`: stored values as vec4f and back. */
export const heldFour = (f16: boolean): { type: string; code: string } =>
  f16
    ? {
        type: 'array<vec2u>',
        code: `fn four(w: vec2u) -> vec4f { return vec4f(unpack2x16float(w.x), unpack2x16float(w.y)); }
fn held(v: vec4f) -> vec2u { return vec2u(pack2x16float(v.xy), pack2x16float(v.zw)); }`,
      }
    : {
        type: 'array<vec4f>',
        code: `fn four(w: vec4f) -> vec4f { return w; }
fn held(v: vec4f) -> vec4f { return v; }`,
      };

/** WGSL: new values i of a head with what fills it up as zero. */
export const FILLED = `fn filled(v: vec4f, i: u32, D: u32) -> vec4f {
  return select(vec4f(0.0), v, vec4u(i * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(D));
}`;

const APPEND = (f16: boolean): string => `struct U { d4: u32, D: u32, kvHeads: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<uniform> tokens: array<vec4u, 64>;
@group(0) @binding(2) var<storage, read> fresh: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> keys: ${heldFour(f16).type};
@group(0) @binding(4) var<storage, read_write> values: ${heldFour(f16).type};
${heldFour(f16).code}
${FILLED}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let g = wid.x; let row = wid.y;
  for (var i = li; i < u.d4; i += 64u) {
    let to = (tokens[row].z * u.kvHeads + g) * u.d4 + i; let at = (row * 2u * u.kvHeads + g) * u.d4 + i;
    keys[to] = held(filled(fresh[at], i, u.D)); values[to] = held(filled(fresh[at + u.kvHeads * u.d4], i, u.D));
  }
}`;

export interface FewMemory {
  readonly range: Range;
  /** In vec4f. */
  readonly squaresAt: number;
  readonly xStride: number;
  readonly key: string;
}

const PREPARE = (gathered: boolean): string => `struct U { rows: u32, stride: u32, squaresAt: u32 }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> few: array<vec4f>;
${gathered ? '@group(0) @binding(4) var<storage, read> table: array<u32>;' : ''}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; let i = wid.x * 64u + li;
  if (i >= u.stride / 2u) { return; }
  let at = ${gathered ? 'table[row * 8u]' : 'row'} * u.stride + 2u * i;
  let a = x[at]; let b = x[at + 1u];
  few[row * u.stride + 2u * i] = a * weight[2u * i];
  few[row * u.stride + 2u * i + 1u] = b * weight[2u * i + 1u];
  var s = 0.0;
  for (var k = 0u; k < 4u; k++) { s = fma(a[k], a[k], s); }
  for (var k = 0u; k < 4u; k++) { s = fma(b[k], b[k], s); }
  few[u.squaresAt + row * (u.stride / 8u) + i / 4u][i % 4u] = s;
}`;

function prepare(
  gpu: Gpu,
  x: GpuActivations,
  norm: GpuVector,
  { range, squaresAt }: FewMemory,
  rows: number,
  table: Range | null,
): void {
  gpu.encoder.dispatch(
    {
      key: table ? 'few-prepare-gathered' : 'few-prepare',
      code: () => PREPARE(table !== null),
      access: table ? 'rrwr' : 'rrw',
    },
    [x.buffer, norm.buffer, range, ...(table ? [table] : [])],
    [rows, x.stride / 4, squaresAt],
    [Math.ceil(x.stride / 8 / 64), rows],
  );
}

/** A of all parts of an adapter, beside it where in its factors it is. */
const LOW = `${UNIFORMS}
@group(0) @binding(1) var<storage, read_write> low: array<f32>;
@group(0) @binding(2) var<storage, read> factors: array<vec4f>;
@group(0) @binding(3) var<storage, read> x: array<vec4f>;
var<workgroup> sums: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  let row = wid.y; let part = wid.x / (4u * u.rank4); let i = wid.x % (4u * u.rank4);
  let at = u.more[part / 4u][part % 4u] + i * u.xStride;
  var s = 0.0;
  if (i < u.out) {
    let last = u.xStride - 1u; let origin = row * u.xStride;
    for (var k = li; k < u.xStride; k += 256u) {
      let k1 = min(k + 64u, last); let k2 = min(k + 128u, last); let k3 = min(k + 192u, last);
      let a0 = factors[at + k]; let a1 = factors[at + k1]; let a2 = factors[at + k2]; let a3 = factors[at + k3];
      let x0 = x[origin + k]; let x1 = x[origin + k1]; let x2 = x[origin + k2]; let x3 = x[origin + k3];
      s += dot(a0, x0);
      if (k + 64u < u.xStride) { s += dot(a1, x1); }
      if (k + 128u < u.xStride) { s += dot(a2, x2); }
      if (k + 192u < u.xStride) { s += dot(a3, x3); }
    }
  }
  sums[li] = s;
  workgroupBarrier();
  for (var n = 32u; n > 0u; n >>= 1u) {
    if (li < n) { sums[li] += sums[li + n]; }
    workgroupBarrier();
  }
  if (li == 0u) { low[row * u.lowStride * 4u + wid.x] = sums[0]; }
}`;

export interface Low {
  readonly range: Range;
  readonly factors: Range;
  readonly uniforms: LoraUniforms;
}

/**
 * A x of all parts of a projection's adapter, of `rows` rows of `x`, which begin at its first value and are `in`
 * values filled up to a stride; null without an adapter.
 */
export function lowRank(gpu: Gpu, by: Projection, x: Range, rows: number): Low | null {
  if (!by.lora) return null;
  const { shape, place, values } = own(GpuLora, by.lora);
  if (place.parts.length > 4) throw new RangeError(`${place.parts.length} parts of one adapter`);
  const rank4 = rankStride(shape.rank) / 4;
  const lowStride = place.parts.length * rank4;
  const range = gpu.scratch('few rows, A x', bucketOf(rows) * lowStride * 16);
  const xStride = strideOf(shape.in) / 4;
  const inRange = (value: number): number => (value - place.from) / 4;
  gpu.encoder.dispatch(
    { key: 'few-lora', code: () => LOW, access: 'wrr' },
    [range, values, x],
    [
      rows,
      0,
      0,
      0,
      0,
      xStride,
      0,
      shape.rank,
      0,
      0,
      lowStride,
      rank4,
      0,
      float(0),
      float(0),
      float(0),
      ...Array.from({ length: 16 }, () => 0),
      ...place.parts.map(({ a }) => inRange(a)),
    ],
    [lowStride * 4, rows],
  );
  const parts = place.parts.map(
    ({ row, out, b }, i) => [row, row + out, inRange(b), i * rank4] as const,
  );
  return {
    range,
    factors: values,
    uniforms: { lowAt: 0, lowStride, rank4, scale: shape.scale, parts },
  };
}
