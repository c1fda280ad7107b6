import type { RowScores } from '../../lora/trainer.ts';
import type { HeadInput } from '../../ops/ops.ts';
import type { Activations, Picks, Tokens } from '../../ops/values.ts';
import type { GpuBuffer, Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { BLOCK, matrixLayout, padded, strideOf } from '../device/sizes.ts';
import { GpuMatrix, GpuPicks, GpuTokens, own, type GpuMatrixPart } from '../device/values.ts';
import {
  CHUNK_TILES,
  LOGITS,
  logits,
  PICK_GRADIENT,
  PICK_ROWS,
  pickGradient,
  pickRows,
  SCORE,
  scoreResults,
  scoreSums,
} from '../kernels/many/score.ts';
import { SUM_BLOCK, TRANSPOSED, transposed } from '../kernels/many/transposed.ts';
import { normOf, rowsOf } from './projection.ts';

/** Bytes of the logits that exist at once. */
export const SLICE_BYTES = 1 << 26;

/** See `Ops.placePicks`. @throws RangeError for more picks than there is room for */
export function placePicks(
  gpu: Gpu,
  handle: Picks,
  o: { rows: ArrayLike<number>; targets: ArrayLike<number>; temperatures?: ArrayLike<number> },
): void {
  const picks = own(GpuPicks, handle);
  const count = o.rows.length;
  if (count > picks.rows) throw new RangeError(`${count} picks in a table of ${picks.rows}`);
  const table = new Uint32Array(count * 4);
  const floats = new Float32Array(table.buffer);
  for (let i = 0; i < count; i++) {
    table[4 * i] = o.rows[i] ?? 0;
    table[4 * i + 1] = o.targets[i] ?? 0;
    floats[4 * i + 2] = o.temperatures?.[i] ?? 1;
  }
  gpu.encoder.write(picks.table, 0, table);
  picks.count = count;
  picks.of = Uint32Array.from(o.rows);
}

/** See `Ops.readScores`. */
export async function readScores(gpu: Gpu, handle: Picks): Promise<RowScores> {
  const picks = own(GpuPicks, handle);
  const { count } = picks;
  const held = new Float32Array(await gpu.reader.read(picks.results, 0, count * 16));
  const column = (at: number): Float32Array =>
    Float32Array.from({ length: count }, (_, i) => held[4 * i + at] ?? NaN);
  return { logprobs: column(0), entropies: column(1) };
}

/** The picked rows of x, normed. */
function normedPicks(gpu: Gpu, o: HeadInput, picks: GpuPicks): Rows {
  const x = rowsOf(o.x);
  const norm = normOf(o.norm);
  const stride = strideOf(o.x.width);
  const buffer = gpu.scratch('many: picked rows', picks.count * stride * 4);
  gpu.encoder.dispatch(
    pickRows(),
    [x.buffer, norm.gain.buffer, picks.table, buffer],
    PICK_ROWS.words({ width: o.x.width, xStride: x.stride, nStride: stride, eps: norm.eps }),
    [picks.count, 1],
  );
  return { buffer, stride };
}

const tilesOf = (count: number): number => Math.ceil(count / 64);

/** See `Ops.score`. */
export function score(gpu: Gpu, o: HeadInput & { picks: Picks }): void {
  const picks = own(GpuPicks, o.picks);
  const head = own(GpuMatrix, o.head);
  if (picks.count === 0) return;
  const n = normedPicks(gpu, o, picks);
  const chunksOf = (part: GpuMatrixPart): number => Math.ceil(part.rows / (64 * CHUNK_TILES));
  const chunks = head.parts.reduce((sum, part) => sum + chunksOf(part), 0);
  const sums = gpu.scratch('many: sums of logits', picks.count * chunks * 16);
  const targets = gpu.scratch('many: logits of targets', picks.count * 4);
  let chunk = 0;
  for (const part of head.parts) {
    gpu.encoder.dispatch(
      scoreSums(head.type),
      [
        part.units,
        ...(part.scaleRange ? [part.scaleRange] : []),
        n.buffer,
        picks.table,
        sums,
        targets,
      ],
      LOGITS.words({
        rows: picks.count,
        width: head.in,
        xStride: n.stride / 4,
        wRows: part.rows,
        wUnits: matrixLayout(head).units,
        first: 0,
        count: part.rows,
        column: part.row,
        yStride: 0,
        chunks,
        chunk,
      }),
      [chunksOf(part), tilesOf(picks.count)],
    );
    chunk += chunksOf(part);
  }
  gpu.encoder.dispatch(scoreResults(), [sums, targets, picks.results], SCORE.words({ chunks }), [
    picks.count,
    1,
  ]);
}

/** Rows of the head whose logits are made at once, and where they are bound. */
interface Slice {
  readonly matrix: readonly Range[];
  /** Id of the first row. */
  readonly column: number;
  readonly count: number;
}

/** Most logits of a pick in a slice: a multiple of what is summed up by itself. */
const sliceRows = (gpu: Gpu, picks: number): number => {
  const bytes = Math.min(SLICE_BYTES, gpu.device.limits.maxStorageBufferBindingSize);
  return Math.max(1, Math.floor(bytes / 4 / picks / SUM_BLOCK)) * SUM_BLOCK;
};

/** Slices of at most `most` rows. */
function slicesOf(head: GpuMatrix, most: number): Slice[] {
  const { blockBytes, scaleBytes } = matrixLayout(head);
  return head.parts.flatMap((part) =>
    Array.from({ length: Math.ceil(part.rows / most) }, (_, i): Slice => {
      const first = i * most;
      const count = Math.min(most, part.rows - first);
      const [block, blocks] = [first / BLOCK, Math.ceil(count / BLOCK)];
      const range = (from: Range, bytes: number): Range => ({
        buffer: from.buffer,
        offset: from.offset + block * bytes,
        size: blocks * bytes,
      });
      const { units, scaleRange } = part;
      const matrix = [range(units, blockBytes)];
      if (scaleRange) matrix.push(range(scaleRange, scaleBytes));
      return { matrix, column: part.row + first, count };
    }),
  );
}

/** Makes the logits of a slice, or their slopes. @param more bindings of slopes */
function sliceLogits(
  gpu: Gpu,
  head: GpuMatrix,
  slice: Slice,
  o: { n: Rows; count: number; y: Range; width: number; more?: readonly (GpuBuffer | Range)[] },
): void {
  gpu.encoder.dispatch(
    logits(head.type, o.more ? 'slopes' : 'logits'),
    [...slice.matrix, o.n.buffer, ...(o.more ?? []), o.y],
    LOGITS.words({
      rows: o.count,
      width: head.in,
      xStride: o.n.stride / 4,
      wRows: slice.count,
      wUnits: matrixLayout(head).units,
      first: 0,
      count: slice.count,
      column: slice.column,
      yStride: o.width,
      chunks: 0,
      chunk: 0,
    }),
    [tilesOf(slice.count), tilesOf(o.count)],
  );
}

/**
 * See `Ops.scoreBackward`; `score` was called on the same picks before. Logits are made again, slice by slice;
 * the sum over the vocabulary continues from slice to slice as if it were not cut, whatever the slices are.
 */
export function scoreBackward(
  gpu: Gpu,
  o: HeadInput & { picks: Picks; tokens: Tokens; coefficients: Float32Array; dx: Activations },
): void {
  const picks = own(GpuPicks, o.picks);
  const head = own(GpuMatrix, o.head);
  const rows = own(GpuTokens, o.tokens).count;
  const { count } = picks;
  const stride = strideOf(head.in);
  const dn = gpu.scratch('many: gradient of a normed input', Math.max(1, count) * stride * 4);
  if (count > 0) {
    const n = normedPicks(gpu, o, picks);
    const coefficients = gpu.scratch('many: coefficients', count * 4);
    gpu.encoder.write(coefficients.buffer, 0, Float32Array.from(o.coefficients));
    const most = sliceRows(gpu, count);
    const width = Math.min(most, padded(head.out, BLOCK));
    const slopes = gpu.scratch('many: slopes of logits', count * width * 4);
    const more = [picks.table, picks.results, coefficients];
    slicesOf(head, most).forEach((slice, i) => {
      sliceLogits(gpu, head, slice, { n, count, y: slopes, width, more });
      gpu.encoder.dispatch(
        transposed({ type: head.type, lora: false, go: i > 0, blocks: true }),
        [...slice.matrix, slopes, dn],
        TRANSPOSED.words({
          rows: count,
          width: head.in,
          yStride: width / 4,
          quad: 0,
          wRows: slice.count,
          wUnits: matrixLayout(head).units,
          first: 0,
          count: slice.count,
          xStride: stride / 4,
          uStride: 0,
          rank: 0,
          aStride: 0,
        }),
        [tilesOf(head.in), tilesOf(count)],
      );
      head.learn?.({
        x: n,
        norm: null,
        rows: count,
        dy: { buffer: slopes, stride: width },
        part: { first: slice.column, count: slice.count },
      });
    });
  }
  const ofRow = byRow(picks.of, rows);
  const table = gpu.scratch('many: picks by row', ofRow.byteLength);
  gpu.encoder.write(table.buffer, 0, ofRow);
  const [x, dx] = [rowsOf(o.x), rowsOf(o.dx)];
  const norm = normOf(o.norm);
  if (count > 0)
    norm.gain.learn?.({
      kind: 'gain',
      x,
      dn: { buffer: dn, stride },
      rows: count,
      eps: norm.eps,
      picks: picks.table,
    });
  gpu.encoder.dispatch(
    pickGradient(),
    [x.buffer, norm.gain.buffer, dn, table, dx.buffer],
    PICK_GRADIENT.words({
      width: head.in,
      xStride: x.stride,
      nStride: stride,
      dxStride: dx.stride,
      order: rows + 1,
      eps: norm.eps,
    }),
    [rows, 1],
  );
}

/** Where each row's picks begin [rows + 1], then the picks in the order of their rows. */
function byRow(of: Uint32Array, rows: number): Uint32Array<ArrayBuffer> {
  const order = Array.from(of, (row, pick) => ({ row, pick })).sort((a, b) => a.row - b.row);
  const table = new Uint32Array(rows + 1 + order.length);
  for (const row of of) table[row + 1] = (table[row + 1] ?? 0) + 1;
  for (let row = 0; row < rows; row++) table[row + 1] = (table[row + 1] ?? 0) + (table[row] ?? 0);
  order.forEach(({ pick }, i) => {
    table[rows + 1 + i] = pick;
  });
  return table;
}

/** See `Ops.readLogits`. */
export async function readLogits(gpu: Gpu, o: HeadInput & { picks: Picks }): Promise<Float32Array> {
  const picks = own(GpuPicks, o.picks);
  const head = own(GpuMatrix, o.head);
  const { count } = picks;
  const values = new Float32Array(count * head.out);
  if (count === 0) return values;
  const most = sliceRows(gpu, count);
  const width = Math.min(most, padded(head.out, BLOCK));
  for (const slice of slicesOf(head, most)) {
    const n = normedPicks(gpu, o, picks);
    const y = gpu.scratch('many: slopes of logits', count * width * 4);
    sliceLogits(gpu, head, slice, { n, count, y, width });
    const held = new Float32Array(await gpu.reader.read(y.buffer, 0, count * width * 4));
    for (let pick = 0; pick < count; pick++)
      values.set(
        held.subarray(pick * width, pick * width + slice.count),
        pick * head.out + slice.column,
      );
  }
  return values;
}
