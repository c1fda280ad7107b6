import type { AttentionInput, FeedForwardInput, HeadsInput, ResidualInput } from '../../ops/ops.ts';
import type { Activations } from '../../ops/values.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { strideOf } from '../device/sizes.ts';
import {
  GpuActivations,
  GpuKvCache,
  GpuMatrix,
  GpuRotary,
  GpuTokens,
  GpuVector,
  own,
} from '../device/values.ts';
import { ATTENTION, attention } from '../kernels/many/attention.ts';
import { NO_WINDOW } from '../kernels/many/attention-tile.ts';
import { HEADS, heads, MOST_HEADS } from '../kernels/many/heads.ts';
import { GATE, gate } from '../kernels/many/pointwise.ts';
import { addNormed } from '../kernels/many/output-norm.ts';
import { multiply, normOf, rowsOf } from './projection.ts';
import { tilesOf } from './tiles.ts';

export const scratchRows = (gpu: Gpu, name: string, rows: number, width: number): Rows => ({
  buffer: gpu.scratch(name, rows * strideOf(width) * 4),
  stride: strideOf(width),
});

/** See `Ops.projectHeads`. @throws RangeError for too many normed heads */
export function projectHeadsMany(
  gpu: Gpu,
  o: HeadsInput & { q: Activations; raw?: Activations },
): void {
  const tokens = own(GpuTokens, o.tokens);
  const store = own(GpuKvCache, o.store);
  const { kvHeads, headDim, type } = store;
  const rows = tokens.count;
  const raw = o.raw
    ? rowsOf(o.raw)
    : scratchRows(gpu, 'many: q, k, v', rows, (o.heads + 2 * kvHeads) * headDim);
  multiply(gpu, { by: o.by, x: rowsOf(o.x), norm: normOf(o.norm), rows, y: raw, to: 'store' });
  if (o.headNorms && o.heads + kvHeads > MOST_HEADS)
    throw new RangeError(`attention: at most ${MOST_HEADS} normed heads`);
  const norms = o.headNorms;
  const rotary = o.rotary && own(GpuRotary, o.rotary);
  const q = own(GpuActivations, o.q);
  gpu.encoder.dispatch(
    heads({ norms: norms !== null, rotary: rotary !== null, type }),
    [
      raw.buffer,
      ...(norms ? [own(GpuVector, norms.q).buffer, own(GpuVector, norms.k).buffer] : []),
      ...(rotary ? [rotary.buffer] : []),
      tokens.table,
      q.buffer,
      store.keys,
      store.values,
    ],
    HEADS.words({
      heads: o.heads,
      kvHeads,
      headDim,
      rawStride: raw.stride,
      qStride: q.stride,
      dim: store.dim,
      scale: 1 / Math.sqrt(headDim),
      eps: norms?.eps ?? 0,
    }),
    [rows, 1],
  );
}

/** See `Ops.attend`. */
export function attendMany(
  gpu: Gpu,
  o: AttentionInput & { out: Activations; lse?: Activations },
): void {
  const tokens = own(GpuTokens, o.tokens);
  const store = own(GpuKvCache, o.store);
  const { kvHeads, headDim, type } = store;
  const share = o.heads / kvHeads;
  const tiles = tilesOf(gpu, tokens, share);
  const [q, out] = [rowsOf(o.q), rowsOf(o.out)];
  const lse = o.lse && rowsOf(o.lse);
  gpu.encoder.dispatch(
    attention({ headDim, share, type, lse: lse !== undefined }),
    [tiles.buffer, q.buffer, store.keys, store.values, out.buffer, ...(lse ? [lse.buffer] : [])],
    ATTENTION.words({
      qStride: q.stride,
      outStride: out.stride,
      lseStride: lse?.stride ?? 0,
      kvHeads,
      window: o.window ?? NO_WINDOW,
    }),
    [tiles.queries, kvHeads],
  );
}

/** See `Ops.projectResidual`. */
export function projectResidualMany(gpu: Gpu, o: ResidualInput & { x: Activations }): void {
  const rows = own(GpuTokens, o.tokens).count;
  if (!o.outputNorm) {
    multiply(gpu, { by: o.by, x: rowsOf(o.input), norm: null, rows, y: rowsOf(o.x), to: 'add' });
    return;
  }
  const y = projectedRows(gpu, o);
  addNormed(gpu, { y, norm: o.outputNorm, x: own(GpuActivations, o.x), rows, next: null });
}

/** What an output norm norms. */
export function projectedRows(gpu: Gpu, { input, by, tokens }: ResidualInput): Rows {
  const rows = own(GpuTokens, tokens).count;
  const y = scratchRows(gpu, 'many: output', rows, by.matrix.out);
  multiply(gpu, { by, x: rowsOf(input), norm: null, rows, y, to: 'store' });
  return y;
}

/** See `Ops.feedForward`. */
export function feedForwardMany(
  gpu: Gpu,
  o: FeedForwardInput & { out: Activations; raw?: Activations },
): void {
  const rows = own(GpuTokens, o.tokens).count;
  const matrix = own(GpuMatrix, o.by.matrix);
  const out = rowsOf(o.out);
  const input = { by: o.by, x: rowsOf(o.x), norm: normOf(o.norm), rows, gate: o.gate };
  if (matrix.parts.length === 1) {
    multiply(gpu, { ...input, y: out, to: 'gated', raw: o.raw && rowsOf(o.raw) });
    return;
  }
  // Gate and up of a value may be in different parts.
  const raw = o.raw ? rowsOf(o.raw) : scratchRows(gpu, 'many: gate, up', rows, matrix.out);
  multiply(gpu, { ...input, y: raw, to: 'store' });
  gpu.encoder.dispatch(
    gate('forward', o.gate),
    [raw.buffer, out.buffer],
    GATE.words({ width: matrix.out / 2, rawStride: raw.stride, stride: out.stride }),
    [Math.ceil(matrix.out / 128), rows],
  );
}
