import type { Norm, ResidualInput } from '../../../ops/ops.ts';
import type { Activations } from '../../../ops/values.ts';
import type { Gpu } from '../../device/gpu.ts';
import { GpuActivations, GpuMatrix, GpuTokens, own } from '../../device/values.ts';
import { addNormed } from '../many/output-norm.ts';
import { bucketOf } from './product.ts';
import { runProduct, type Bound } from './run-product.ts';
import { lowRank, type FewState } from './state.ts';

/** x[r] += W input[r] + b of few rows; prepares x for `next`, the norm that reads it next. */
export function fewResidual(
  gpu: Gpu,
  state: FewState,
  o: ResidualInput & { x: Activations; next?: Norm },
): void {
  if (o.outputNorm) {
    fewNormedResidual(gpu, state, o, o.outputNorm);
    return;
  }
  const { by, next } = o;
  const [input, x] = [own(GpuActivations, o.input), own(GpuActivations, o.x)];
  const rows = own(GpuTokens, o.tokens).count;
  const matrix = own(GpuMatrix, by.matrix);
  const low = lowRank(gpu, by, whole(input), rows);
  const to = next && state.place(x, next, rows);
  const y: Bound = { name: 'y', type: 'array<f32>', access: 'w', binding: x.buffer };
  const prepared: Bound[] = to
    ? [
        { name: 'few', type: 'array<vec4f>', access: 'w', binding: to.range },
        {
          name: 'weight',
          type: `array<vec4f, ${to.weight.buffer.size / 16}>`,
          access: 'u',
          binding: to.weight.buffer,
        },
      ]
    : [];
  runProduct(gpu, {
    name: 'residual',
    variant: next ? 'next' : '',
    matrix,
    rows,
    x: input.buffer,
    xStride: input.stride / 4,
    norm: null,
    low,
    bias: by.bias,
    yStride: x.stride,
    bound: [y, ...prepared],
    more: [to?.squaresAt ?? 0],
    declarations: ({ tile, rowTile }) =>
      next ? `var<workgroup> now: array<f32, ${tile.outs * rowTile}>;` : '',
    epilogue: ({ tile: { outs, threads }, rowTile }) => `
  for (var n = li; n < ${outs * rowTile}u; n += ${threads}u) {
    let l = n % ${outs}u; let t = n / ${outs}u; let row = t0 + t; let o = u.row0 + first + l;
    var v = 0.0;
    if (row < u.rows && o < u.out) {
      v = y[row * u.yStride + o] + (value(l, o, t, t0) + bias(o));
      y[row * u.yStride + o] = v;
    }
    ${
      next
        ? `now[n] = v;
    if (row < u.rows && o < u.yStride) { few[row * (u.yStride / 4u) + o / 4u][o % 4u] = v * weight[o / 4u][o % 4u]; }`
        : ''
    }
  }
  ${
    next
      ? `workgroupBarrier();
  for (var n = li; n < ${(outs / 8) * rowTile}u; n += ${threads}u) {
    let row = t0 + n / ${outs / 8}u; let o = u.row0 + first + (n % ${outs / 8}u) * 8u;
    var s = 0.0;
    for (var i = 0u; i < 8u; i++) { let v = now[n * 8u + i]; s = fma(v, v, s); }
    if (row < u.rows && o < u.yStride) {
      let i = o / 8u; few[u.more[0].x + row * (u.yStride / 32u) + i / 4u][i % 4u] = s;
    }
  }`
      : ''
  }`,
  });
}

/** The same with a norm of what is added: another dispatch, since it is over all outputs. */
function fewNormedResidual(
  gpu: Gpu,
  state: FewState,
  o: ResidualInput & { x: Activations; next?: Norm },
  norm: Norm,
): void {
  const [input, x] = [own(GpuActivations, o.input), own(GpuActivations, o.x)];
  const rows = own(GpuTokens, o.tokens).count;
  const y = {
    buffer: gpu.scratch('few rows, output', bucketOf(rows) * x.stride * 4),
    stride: x.stride,
  };
  runProduct(gpu, {
    name: 'output',
    matrix: own(GpuMatrix, o.by.matrix),
    rows,
    x: input.buffer,
    xStride: input.stride / 4,
    norm: null,
    low: lowRank(gpu, o.by, whole(input), rows),
    bias: o.by.bias,
    yStride: y.stride,
    bound: [{ name: 'y', type: 'array<f32>', access: 'w', binding: y.buffer }],
    epilogue: ({ tile: { outs, threads }, rowTile }) => `
  for (var n = li; n < ${outs * rowTile}u; n += ${threads}u) {
    let l = n % ${outs}u; let t = n / ${outs}u; let row = t0 + t; let o = u.row0 + first + l;
    if (row < u.rows && o < u.out) { y[row * u.yStride + o] = value(l, o, t, t0) + bias(o); }
  }`,
  });
  const next = o.next ? state.place(x, o.next, rows) : null;
  addNormed(gpu, { y, norm, x, rows, next });
}

const whole = ({ buffer }: GpuActivations) => ({ buffer, offset: 0, size: buffer.size });
