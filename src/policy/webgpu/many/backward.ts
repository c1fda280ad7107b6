import type {
  AttentionInput,
  FeedForwardInput,
  HeadsInput,
  Norm,
  ResidualInput,
} from '../../ops/ops.ts';
import type { Activations } from '../../ops/values.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { strideOf } from '../device/sizes.ts';
import { GpuKvCache, GpuMatrix, GpuRotary, GpuTokens, GpuVector, own } from '../device/values.ts';
import {
  ATTENTION_BACKWARD,
  ATTENTION_SUMS,
  attentionSums,
  keyGradient,
  queryGradient,
} from '../kernels/many/attention-backward.ts';
import { NO_WINDOW } from '../kernels/many/attention-tile.ts';
import { TURN_BACK, turnBack } from '../kernels/many/heads.ts';
import { GATE, gate, NORM_BACKWARD, normBackward } from '../kernels/many/pointwise.ts';
import { projectedRows, scratchRows } from './forward.ts';
import { multiplyBackward, normOf, rowsOf } from './projection.ts';
import { tilesOf } from './tiles.ts';

/** See `Ops.projectResidualBackward`. */
export function projectResidualBackward(
  gpu: Gpu,
  o: ResidualInput & { dx: Activations; dInput: Activations },
): void {
  multiplyBackward(gpu, {
    by: o.by,
    x: rowsOf(o.input),
    norm: null,
    rows: own(GpuTokens, o.tokens).count,
    dy: o.outputNorm ? outputGradient(gpu, o, o.outputNorm) : rowsOf(o.dx),
    dx: rowsOf(o.dInput),
  });
}

/** The gradient of what an output norm normed. */
function outputGradient(gpu: Gpu, o: ResidualInput & { dx: Activations }, norm: Norm): Rows {
  const rows = own(GpuTokens, o.tokens).count;
  const y = projectedRows(gpu, o);
  const dy = scratchRows(gpu, 'many: gradient of an output', rows, o.dx.width);
  const dx = rowsOf(o.dx);
  gpu.encoder.dispatch(
    normBackward({ fresh: true }),
    [y.buffer, own(GpuVector, norm.weight).buffer, dx.buffer, dy.buffer],
    NORM_BACKWARD.words({
      width: o.dx.width,
      xStride: y.stride,
      dnStride: dx.stride,
      dxStride: dy.stride,
      eps: norm.eps,
    }),
    [rows, 1],
  );
  return dy;
}

/** See `Ops.feedForwardBackward`. */
export function feedForwardBackward(
  gpu: Gpu,
  o: FeedForwardInput & { raw: Activations; dOut: Activations; dx: Activations },
): void {
  const rows = own(GpuTokens, o.tokens).count;
  const [raw, dOut] = [rowsOf(o.raw), rowsOf(o.dOut)];
  const width = own(GpuMatrix, o.by.matrix).out / 2;
  gpu.encoder.dispatch(
    gate('backward', o.gate),
    [raw.buffer, dOut.buffer],
    GATE.words({ width, rawStride: raw.stride, stride: dOut.stride }),
    [Math.ceil(width / 64), rows],
  );
  multiplyBackward(gpu, {
    by: o.by,
    x: rowsOf(o.x),
    norm: normOf(o.norm),
    rows,
    dy: raw,
    dx: rowsOf(o.dx),
  });
}

/** See `Ops.attendBackward`. */
export function attendBackward(
  gpu: Gpu,
  o: AttentionInput & {
    out: Activations;
    lse: Activations;
    dOut: Activations;
    dq: Activations;
    dKeys: Activations;
    dValues: Activations;
  },
): void {
  const tokens = own(GpuTokens, o.tokens);
  const store = own(GpuKvCache, o.store);
  const { kvHeads, headDim, type } = store;
  const { heads } = o;
  const share = heads / kvHeads;
  const count = tokens.count * heads;
  const [out, lse, dOut] = [rowsOf(o.out), rowsOf(o.lse), rowsOf(o.dOut)];
  const stats = gpu.scratch('many: attention sums', count * 8);
  const blocks = Math.ceil(heads / 64);
  gpu.encoder.dispatch(
    attentionSums(),
    [out.buffer, dOut.buffer, lse.buffer, stats],
    ATTENTION_SUMS.words({
      headDim,
      outStride: out.stride,
      dOutStride: dOut.stride,
      lseStride: lse.stride,
      heads,
    }),
    [blocks, tokens.count],
  );
  const tiles = tilesOf(gpu, tokens, share);
  const [q, dq, dKeys, dValues] = [rowsOf(o.q), rowsOf(o.dq), rowsOf(o.dKeys), rowsOf(o.dValues)];
  const kind = { headDim, share, type };
  const window = o.window ?? NO_WINDOW;
  const shape = { qStride: q.stride, outStride: dOut.stride, heads, kvHeads, window };
  const given = [tiles.buffer, q.buffer, store.keys, store.values, dOut.buffer, stats];
  gpu.encoder.dispatch(
    queryGradient(kind),
    [...given, dq.buffer],
    ATTENTION_BACKWARD.words({ ...shape, dStride: dq.stride, keyTiles: 0 }),
    [tiles.queries, kvHeads],
  );
  gpu.encoder.dispatch(
    keyGradient(kind),
    [...given, dKeys.buffer, dValues.buffer],
    ATTENTION_BACKWARD.words({ ...shape, dStride: dKeys.stride, keyTiles: tiles.queries }),
    [tiles.keys, kvHeads],
  );
}

/** See `Ops.projectHeadsBackward`. */
export function projectHeadsBackward(
  gpu: Gpu,
  o: HeadsInput & {
    raw: Activations;
    dq: Activations;
    dKeys: Activations;
    dValues: Activations;
    dx: Activations | null;
  },
): void {
  const tokens = own(GpuTokens, o.tokens);
  const { kvHeads, headDim } = own(GpuKvCache, o.store);
  const matrix = own(GpuMatrix, o.by.matrix);
  const rows = tokens.count;
  const rotary = o.rotary && own(GpuRotary, o.rotary);
  const raw = rowsOf(o.raw);
  const stride = strideOf(matrix.out);
  const dRaw: Rows = {
    buffer: gpu.scratch('many: gradient of q, k, v', rows * stride * 4),
    stride,
  };
  const turn = (given: Rows, first: number, heads: number, gain: object | null, scale: number) => {
    const isValue = first === o.heads + kvHeads;
    const [norms, turns] = [gain !== null, rotary !== null && !isValue];
    const [column, eps] = [first * headDim, o.headNorms?.eps ?? 0];
    if (gain)
      own(GpuVector, gain).learn?.({
        kind: 'heads',
        raw,
        given,
        rows,
        heads,
        headDim,
        column,
        scale,
        eps,
        turns: rotary && turns ? { angles: rotary.buffer, tokens: tokens.table } : null,
      });
    gpu.encoder.dispatch(
      turnBack({ norms, rotary: turns }),
      [
        ...(gain ? [raw.buffer, own(GpuVector, gain).buffer] : []),
        ...(rotary && turns ? [rotary.buffer, tokens.table] : []),
        given.buffer,
        dRaw.buffer,
      ],
      TURN_BACK.words({
        heads,
        headDim,
        column,
        rawStride: raw.stride,
        givenStride: given.stride,
        dStride: stride,
        turned: matrix.turned?.rows ?? 0,
        scale,
        eps,
      }),
      [rows, 1],
    );
  };
  turn(rowsOf(o.dq), 0, o.heads, o.headNorms?.q ?? null, 1 / Math.sqrt(headDim));
  turn(rowsOf(o.dKeys), o.heads, kvHeads, o.headNorms?.k ?? null, 1);
  turn(rowsOf(o.dValues), o.heads + kvHeads, kvHeads, null, 1);
  multiplyBackward(gpu, {
    by: o.by,
    x: rowsOf(o.x),
    norm: normOf(o.norm),
    rows,
    dy: dRaw,
    dx: o.dx && rowsOf(o.dx),
  });
}
