import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { Decoder } from '../../src/policy/model/decoder.ts';
import { planDecoder } from '../../src/policy/model/plan.ts';
import type { MatrixType } from '../../src/policy/ops/values.ts';
import { matrixBuffers } from '../../src/policy/webgpu/device/matrix-writer.ts';
import { GpuMatrix } from '../../src/policy/webgpu/device/values.ts';
import type { WebGpuOps } from '../../src/policy/webgpu/ops.ts';

/** A decoder on a device whose matrices have their buffers and nothing in them: nothing is packed. */
export function unfilledDecoder(ops: WebGpuOps, config: PolicyConfig, type: MatrixType): Decoder {
  // Before that of its class, until the decoder is made.
  ops.matrix = (shape, label) => ({
    write: () => undefined,
    abandon: () => undefined,
    finish: () => new GpuMatrix(shape, matrixBuffers(ops.gpu, shape, label)),
  });
  try {
    return planDecoder(ops, config, type);
  } finally {
    Reflect.deleteProperty(ops, 'matrix');
  }
}
