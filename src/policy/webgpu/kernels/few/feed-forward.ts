import type { FeedForwardInput } from '../../../ops/ops.ts';
import type { Activations } from '../../../ops/values.ts';
import { DeviceError } from '../../../ops/faults.ts';
import type { Gpu } from '../../device/gpu.ts';
import { GpuActivations, GpuMatrix, GpuTokens, own } from '../../device/values.ts';
import { gateFunctions } from '../many/pointwise.ts';
import { runProduct } from './run-product.ts';
import { lowRank, type FewState } from './state.ts';

/** out = silu(gate) · up, or gelu(gate) · up, with [gate | up] = W rms(x) + b, of few rows. */
export function fewFeedForward(
  gpu: Gpu,
  state: FewState,
  o: FeedForwardInput & { out: Activations; raw?: Activations },
): void {
  const { norm, by } = o;
  const [x, out] = [own(GpuActivations, o.x), own(GpuActivations, o.out)];
  const rows = own(GpuTokens, o.tokens).count;
  if (o.raw)
    throw new RangeError(
      'gate and up are kept only for batches of many tokens, which can be trained on',
    );
  const matrix = own(GpuMatrix, by.matrix);
  if (matrix.parts.length > 1)
    throw new DeviceError(
      `WebGPU: gate and up (${matrix.bytes} bytes) are more than this device binds at once. Choose a smaller weight type`,
    );
  const memory = state.normed(x, norm, rows);
  const low = lowRank(gpu, by, memory.range, rows);
  runProduct(gpu, {
    name: 'feed-forward',
    variant: o.gate ?? 'silu',
    declarations: () => gateFunctions(o.gate),
    matrix,
    rows,
    x: memory.range,
    xStride: memory.xStride,
    pairs: true,
    norm: {
      squaresAt: memory.squaresAt,
      eps: norm.eps,
    },
    low,
    bias: by.bias,
    yStride: out.stride,
    bound: [
      {
        name: 'y',
        type: 'array<f32>',
        access: 'w',
        binding: out.buffer,
      },
    ],
    epilogue: ({ tile: { outs, threads }, rowTile }) => `
  for (var n = li; n < ${(outs / 2) * rowTile}u; n += ${threads}u) {
    let l = n % ${outs / 2}u; let t = n / ${outs / 2}u; let row = t0 + t; let o = tile * ${outs / 2}u + l;
    if (row < u.rows && o < u.out) {
      let gate = value(l, o, t, t0) + bias(o);
      let up = value(l + ${outs / 2}u, o + u.out, t, t0) + bias(o + u.out);
      y[row * u.yStride + o] = gated(gate) * up;
    }
  }`,
  });
}
