import type { StoreType } from '../../../ops/values.ts';
import type { Kernel } from '../../device/encoder.ts';
import { declare, params, reads, writes } from './params.ts';

export interface HeadsKind {
  /** Whether heads of q and k are normed. */
  readonly norms: boolean;
  readonly rotary: boolean;
}

/** Most heads of q and k together. */
export const MOST_HEADS = 512;

export const HEADS = params(
  ['heads', 'kvHeads', 'headDim', 'rawStride', 'qStride', 'dim'],
  ['scale', 'eps'],
);

const NORMS = `var<workgroup> inverse: array<f32, ${MOST_HEADS}>;
fn gainOf(head: u32, e: u32) -> f32 { if (head < p.heads) { return qGain[e]; } return kGain[e]; }`;

/**
 * Out of q, k, v before norms and turning: q, divided by √D, and k and v in the store.
 *
 * Storage: raw [rows, rawStride] f32; qGain, kGain [D] where heads are normed; angles [positions, D/2] vec2f where
 * they are turned; table of tokens, vec4u; q [rows, qStride] f32; keys and values of the KV cache as 4-byte words,
 * `dim` values per head. Grid: rows.
 */
export function heads({ norms, rotary, type }: HeadsKind & { readonly type: StoreType }): Kernel {
  const element = type === 'f32' ? 'f32' : 'u32';
  const { wgsl, access } = declare(HEADS, [
    reads('raw', 'f32'),
    norms && reads('qGain', 'f32'),
    norms && reads('kGain', 'f32'),
    rotary && reads('angles', 'vec2f'),
    reads('tokens', 'vec4u'),
    writes('q', 'f32'),
    writes('keys', element),
    writes('values', element),
  ]);
  const each = type === 'f32' ? 1 : 2;
  const word = (of: string) =>
    type === 'f32' ? `${of}(h, e)` : `pack2x16float(vec2f(${of}(h, e), ${of}(h, e + 1u)))`;
  const code = () => `${wgsl}
var<private> row: u32;
var<private> at: u32;
${norms ? NORMS : ''}
fn plain(head: u32, e: u32) -> f32 {
  return raw[row * p.rawStride + head * p.headDim + e]${norms ? ' * inverse[head] * gainOf(head, e)' : ''};
}
fn key(head: u32, e: u32) -> f32 {
  if (e >= p.headDim) { return 0.0; }
  ${
    rotary
      ? `let half = p.headDim / 2u;
  if (e < half) { let a = angles[at * half + e]; return plain(head, e) * a.x - plain(head, e + half) * a.y; }
  let a = angles[at * half + e - half]; return plain(head, e) * a.x + plain(head, e - half) * a.y;`
      : 'return plain(head, e);'
  }
}
fn value(head: u32, e: u32) -> f32 {
  if (e >= p.headDim) { return 0.0; }
  return raw[row * p.rawStride + head * p.headDim + e];
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  row = wid.x;
  let token = tokens[row]; at = token.y;
  ${
    norms
      ? `for (var h = li; h < p.heads + p.kvHeads; h += 64u) {
    var sum = 0.0;
    for (var e = 0u; e < p.headDim; e++) { let v = raw[row * p.rawStride + h * p.headDim + e]; sum += v * v; }
    inverse[h] = inverseSqrt(sum / f32(p.headDim) + p.eps);
  }
  workgroupBarrier();`
      : ''
  }
  for (var i = li; i < p.heads * p.headDim; i += 64u) {
    q[row * p.qStride + i] = p.scale * key(i / p.headDim, i % p.headDim);
  }
  let words = p.dim / ${each}u;
  for (var i = li; i < p.kvHeads * words; i += 64u) {
    let e = (i % words) * ${each}u; let to = (token.z * p.kvHeads) * words + i;
    { let h = p.heads + i / words; keys[to] = ${word('key')}; }
    { let h = p.heads + p.kvHeads + i / words; values[to] = ${word('value')}; }
  }
}`;
  return { key: `heads ${Number(norms)}${Number(rotary)} ${type}`, code, access };
}

export const TURN_BACK = params(
  ['heads', 'headDim', 'column', 'rawStride', 'givenStride', 'dStride', 'turned'],
  ['scale', 'eps'],
);

/**
 * Gradient of some heads of raw (its columns from `column` on) out of that of what `heads` made of them: of q, of
 * k, or (with neither norms nor rotary) of v. It is written in the order of the matrix's rows: of the first
 * `turned` columns, row i of a head lies beside row i + D/2.
 *
 * Storage: raw [rows, rawStride] and gain [D] where heads are normed; angles and the table of tokens where they are
 * turned; given [rows, givenStride] f32; dRaw [rows, dStride]. Grid: rows.
 */
export function turnBack({ norms, rotary }: HeadsKind): Kernel {
  const { wgsl, access } = declare(TURN_BACK, [
    norms && reads('raw', 'f32'),
    norms && reads('gain', 'f32'),
    rotary && reads('angles', 'vec2f'),
    rotary && reads('tokens', 'vec4u'),
    reads('given', 'f32'),
    writes('dRaw', 'f32'),
  ]);
  const code = () => `${wgsl}
var<private> row: u32;
${rotary ? 'var<private> at: u32;' : ''}
${norms ? `var<workgroup> inverse: array<f32, ${MOST_HEADS}>;\nvar<workgroup> inner: array<f32, ${MOST_HEADS}>;` : ''}
fn given_(head: u32, e: u32) -> f32 { return p.scale * given[row * p.givenStride + head * p.headDim + e]; }
// Turned back; times the gain of the norm.
fn back(head: u32, e: u32) -> f32 {
  ${
    rotary
      ? `let half = p.headDim / 2u; var v = 0.0;
  if (e < half) { let a = angles[at * half + e]; v = given_(head, e) * a.x + given_(head, e + half) * a.y; }
  else { let a = angles[at * half + e - half]; v = given_(head, e) * a.x - given_(head, e - half) * a.y; }`
      : 'let v = given_(head, e);'
  }
  return v${norms ? ' * gain[e]' : ''};
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) li: u32) {
  row = wid.x; ${rotary ? 'at = tokens[row].y;' : ''}
  ${
    norms
      ? `for (var h = li; h < p.heads; h += 64u) {
    var sum = 0.0; var along = 0.0;
    for (var e = 0u; e < p.headDim; e++) {
      let v = raw[row * p.rawStride + p.column + h * p.headDim + e]; sum += v * v; along += v * back(h, e);
    }
    let r = inverseSqrt(sum / f32(p.headDim) + p.eps);
    inverse[h] = r; inner[h] = along * r * r * r / f32(p.headDim);
  }
  workgroupBarrier();`
      : ''
  }
  let half = p.headDim / 2u;
  for (var i = li; i < p.heads * p.headDim; i += 64u) {
    let h = i / p.headDim; let e = i % p.headDim; let column = p.column + i;
    ${norms ? 'let v = back(h, e) * inverse[h] - raw[row * p.rawStride + column] * inner[h];' : 'let v = back(h, e);'}
    var to = column;
    if (column < p.turned) { to = column - e + select(2u * (e - half) + 1u, 2u * e, e < half); }
    dRaw[row * p.dStride + to] = v;
  }
}`;
  return { key: `turn back ${Number(norms)}${Number(rotary)}`, code, access };
}
