import type { Draws } from '../../../ops/values.ts';
import type { HeadInput } from '../../../ops/ops.ts';
import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import { strideOf } from '../../device/sizes.ts';
import { GpuActivations, GpuDraws, GpuMatrix, own } from '../../device/values.ts';
import { CHOSEN, pickDeclarations, pickEpilogue } from '../sample/choose.ts';
import { choose, drawOfKept, samplingMemory } from '../sample/sample.ts';
import { NUMBERS, type Blocks } from '../sample/shared.ts';
import { bucketOf } from './product.ts';
import { runProduct, tilesOfParts, type Bound, type ProductRun } from './run-product.ts';
import type { FewState } from './state.ts';

/** Parts that the sums of a block are made of, whatever the workgroup: their order is always the same. */
const partsOf = (outs: number): number => Math.min(32, outs);

/** WGSL that `blocksEpilogue` needs in front of `main`; memory for a tile of rows. */
function blocksDeclarations(outs: number, rowTile: number): string {
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
function blocksEpilogue(outs: number, rowTile: number, threads: number, keep: string) {
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

const whole = (buffer: GpuDraws['table']): Range => ({ buffer, offset: 0, size: buffer.size });

/**
 * Draws a token for each placed draw from the logits of its row. The product of the head leaves sums of blocks of logits
 * and not the logits: those of the block that a draw falls in are made once more. Only what is drawn by top-k or top-p
 * needs all of them.
 */
export function fewSample(gpu: Gpu, state: FewState, o: HeadInput & { draws: Draws }): void {
  const draws = own(GpuDraws, o.draws);
  const rows = draws.count;
  if (rows === 0) return;
  const [x, matrix] = [own(GpuActivations, o.x), own(GpuMatrix, o.head)];
  const { uses } = draws;
  const table = whole(draws.table);
  const few = draws.inOrder
    ? state.normed(x, o.norm, rows)
    : state.gathered(x, o.norm, rows, table);
  const { tile, parts } = tilesOfParts(gpu, matrix);
  const blocks: Blocks = { outs: tile.outs, count: parts.reduce((sum, n) => sum + n, 0) };
  const room = bucketOf(rows);
  const memory = samplingMemory(room, matrix.out, blocks);
  const sums = gpu.scratch('sampling, blocks', memory.blocks);
  const searched = uses.topK || uses.topP;
  const stride = strideOf(matrix.out);
  const logits = searched ? gpu.scratch('logits', room * stride * 4) : null;
  /** End of the rows of the part, its first block, all blocks. */
  const more = (part: number): number[] => {
    const before = parts.slice(0, part).reduce((sum, n) => sum + n, 0);
    const { row = 0, rows: count = 0 } = matrix.parts[part] ?? {};
    return [row + count, before, blocks.count];
  };
  const product = {
    matrix,
    rows,
    x: few.range,
    xStride: few.xStride,
    low: null,
    norm: { squaresAt: few.squaresAt, eps: o.norm.eps },
    bias: null,
    yStride: stride,
    more,
  } satisfies Partial<ProductRun>;
  const given: Bound = { name: 'table', type: 'array<Wanted>', access: 'r', binding: table };
  runProduct(gpu, {
    ...product,
    name: 'logits',
    variant: logits ? 'kept' : '',
    bound: [
      given,
      { name: 'blocks', type: 'array<vec4u>', access: 'w', binding: sums },
      ...(logits ? [{ name: 'y', type: 'array<f32>', access: 'w' as const, binding: logits }] : []),
    ],
    declarations: ({ rowTile }) => blocksDeclarations(tile.outs, rowTile),
    epilogue: ({ rowTile }) =>
      blocksEpilogue(tile.outs, rowTile, tile.threads, logits ? 'y[row * u.yStride + o] = v;' : ''),
  });
  if (uses.plain) {
    const chosen = choose(gpu, draws, sums, blocks, memory.chosen);
    runProduct(gpu, {
      ...product,
      name: 'pick',
      // A workgroup per row, whose block is known since the dispatch before.
      tileOfRow: 'chosen[t0].block - u.more[0].y',
      bound: [
        given,
        { name: 'chosen', type: 'array<Chosen>', access: 'r', binding: chosen },
        { name: 'results', type: 'array<u32>', access: 'w', binding: draws.results },
      ],
      declarations: () => `${NUMBERS}${CHOSEN}${pickDeclarations(tile.outs)}`,
      epilogue: () => pickEpilogue(tile.outs, tile.threads),
    });
  }
  if (logits)
    drawOfKept(gpu, draws, { logits, stride, vocabulary: matrix.out, room, sums, blocks });
}
