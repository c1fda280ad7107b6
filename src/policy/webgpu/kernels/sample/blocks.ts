import { NUMBERS } from './shared.ts';

/** Parts that the sums of a block are made of, whatever the workgroup: their order is always the same. */
const partsOf = (outs: number): number => Math.min(32, outs);

/** WGSL that `blocksEpilogue` needs in front of `main`; memory for a tile of rows. */
export function blocksDeclarations(outs: number, rowTile: number): string {
  const parts = partsOf(outs);
  return `${NUMBERS}
var<workgroup> now: array<f32, ${outs * rowTile}>;
var<workgroup> tops: array<vec4u, ${rowTile}>;
// Of each part its largest logit, then, as bits, its sums.
var<workgroup> ofParts: array<vec4u, ${parts * rowTile}>;`;
}

/**
 * WGSL after the product of the head, of rows [u.row0 + first, u.more[0].x) of it: of each row's block the largest logit,
 * its id, whether all are finite, and over that maximum Σ e and Σ d e at the row's temperature and at 1. See
 * `gatherBlocks` for how they lie; the block's number is `u.more[0].y` + tile of `u.more[0].z`.
 * @param keep WGSL that keeps logit `v` of output `o` of `row`; empty where only the sums are wanted
 */
export function blocksEpilogue(outs: number, rowTile: number, threads: number, keep: string) {
  const parts = partsOf(outs);
  const each = outs / parts;
  return `
  let end = u.more[0].x;
  for (var n = li; n < ${outs * rowTile}u; n += ${threads}u) {
    let l = n % ${outs}u; let t = n / ${outs}u; let row = t0 + t; let o = u.row0 + first + l;
    var v = 0.0;
    if (row < u.rows && o < end) { v = value(l, o, t, t0); ${keep} }
    now[n] = v;
  }
  workgroupBarrier();
  for (var n = li; n < ${parts * rowTile}u; n += ${threads}u) {
    var best = vec4u(0u, 0u, 1u, 0u);
    for (var k = 0u; k < ${each}u; k++) {
      let l = (n % ${parts}u) * ${each}u + k; let o = u.row0 + first + l; let v = now[(n / ${parts}u) * ${outs}u + l];
      if (o < end) {
        if (!isFinite(v)) { best.z = 0u; }
        if (keyOf(v) > best.x) { best.x = keyOf(v); best.y = o; }
      }
    }
    ofParts[n] = best;
  }
  workgroupBarrier();
  for (var t = li; t < ${rowTile}u; t += ${threads}u) {
    var best = ofParts[t * ${parts}u];
    for (var p = 1u; p < ${parts}u; p++) {
      let one = ofParts[t * ${parts}u + p];
      if (one.x > best.x) { best.x = one.x; best.y = one.y; }
      best.z &= one.z;
    }
    tops[t] = best;
  }
  workgroupBarrier();
  for (var n = li; n < ${parts * rowTile}u; n += ${threads}u) {
    let row = min(t0 + n / ${parts}u, u.rows - 1u); let max = ofKey(tops[n / ${parts}u].x);
    var t = table[row].temperature; if (t == 0.0) { t = 1.0; }
    var s = vec4f(0.0);
    for (var k = 0u; k < ${each}u; k++) {
      let l = (n % ${parts}u) * ${each}u + k;
      if (u.row0 + first + l < end) {
        let d = now[(n / ${parts}u) * ${outs}u + l] - max; let e = exp(d / t); var e1 = e; if (t != 1.0) { e1 = exp(d); }
        s += vec4f(e, weighted(e, d / t), e1, weighted(e1, d));
      }
    }
    ofParts[n] = bitcast<vec4u>(s);
  }
  workgroupBarrier();
  for (var t = li; t < ${rowTile}u; t += ${threads}u) {
    if (t0 + t < u.rows && u.row0 + first < end) {
      var s = bitcast<vec4f>(ofParts[t * ${parts}u]);
      for (var p = 1u; p < ${parts}u; p++) { s += bitcast<vec4f>(ofParts[t * ${parts}u + p]); }
      let at = ((t0 + t) * u.more[0].z + u.more[0].y + tile) * 2u;
      blocks[at] = tops[t]; blocks[at + 1u] = bitcast<vec4u>(s);
    }
  }`;
}
