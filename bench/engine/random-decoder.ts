import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { Decoder } from '../../src/policy/model/decoder.ts';
import { planDecoder } from '../../src/policy/model/plan.ts';
import { own } from '../../src/policy/ops/own.ts';
import type { MatrixShape, MatrixType, Vector } from '../../src/policy/ops/values.ts';
import { matrixBuffers } from '../../src/policy/webgpu/device/matrix-writer.ts';
import { GpuMatrix, GpuVector } from '../../src/policy/webgpu/device/values.ts';
import type { WebGpuOps } from '../../src/policy/webgpu/ops.ts';

/** Words that are written at a time, over and over; prime, so that rows of a matrix differ. */
const WORDS = 1_048_573;

/** What matrices can be filled with: as a device holds them, so that nothing is packed. */
export type FilledType = Extract<MatrixType, 'f16' | 'int4'>;

/** Two halves of ±0.008 to ±0.016 a word, or eight codes, from the word's place alone. */
function randomWords(type: FilledType): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(WORDS);
  let z = 1;
  for (let i = 0; i < WORDS; i++) {
    z ^= z << 13;
    z ^= z >>> 17;
    z ^= z << 5;
    words[i] = type === 'f16' ? (z & 0x83ff83ff) | 0x20002000 : z;
  }
  return words;
}

/** 0.002 in binary16, twice. */
const SCALE = 0x18191819;

/** A matrix of random values on a device; the same ones every time. */
export function randomMatrix(
  ops: WebGpuOps,
  shape: MatrixShape & { readonly type: FilledType },
  label: string,
  words = randomWords(shape.type),
): GpuMatrix {
  const { encoder } = ops.gpu;
  const parts = matrixBuffers(ops.gpu, shape, label);
  for (const { units, scaleRange } of parts) {
    const { buffer, offset, size } = units;
    for (let at = 0; at < size; at += words.byteLength) {
      const count = Math.min(words.length, (size - at) / 4);
      encoder.write(buffer, offset + at, words.subarray(0, count));
    }
    if (scaleRange) {
      const scales = new Uint32Array(scaleRange.size / 4).fill(SCALE);
      encoder.write(scaleRange.buffer, scaleRange.offset, scales);
    }
  }
  return new GpuMatrix(shape, parts);
}

/** A decoder of random matrices on a device; norms are 1 and biases 0. Takes as long as its bytes do to the device. */
export function randomDecoder(ops: WebGpuOps, config: PolicyConfig, type: FilledType): Decoder {
  const words = randomWords(type);
  // Before that of its class, until the decoder is made.
  ops.matrix = (shape, label) => ({
    write: () => undefined,
    abandon: () => undefined,
    finish: () => randomMatrix(ops, { ...shape, type }, label, words),
  });
  let decoder: Decoder;
  try {
    decoder = planDecoder(ops, config, type);
  } finally {
    Reflect.deleteProperty(ops, 'matrix');
  }
  const ones = (vector: Vector): void =>
    ops.gpu.encoder.write(
      own(GpuVector, vector).buffer,
      0,
      new Float32Array(vector.length).fill(1),
    );
  const { layers, finalNorm } = decoder.weights;
  ones(finalNorm.weight);
  for (const { inputNorm, mlpNorm, headNorms } of layers) {
    ones(inputNorm.weight);
    ones(mlpNorm.weight);
    if (headNorms) [headNorms.q, headNorms.k].forEach(ones);
  }
  return decoder;
}
