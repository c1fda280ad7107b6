import type { TrainerState } from './trainer.ts';
import {
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';

/**
 * A checkpoint of training as bytes: the step (32-bit), then weights, first and second moments as
 * float32 in the order of `parameterShapes`, little endian.
 */
export function encodeState(config: EncoderConfig, state: TrainerState): Uint8Array {
  const values = [state.weights, ...state.moments].flatMap((group) =>
    parameterShapes(config).map(([name]) => group[name] ?? new Float32Array()),
  );
  const size = values.reduce((sum, array) => sum + array.length, 0);
  const floats = new Float32Array(size);
  let at = 0;
  for (const array of values) {
    floats.set(array, at);
    at += array.length;
  }
  const bytes = new Uint8Array(4 + size * 4);
  new DataView(bytes.buffer).setUint32(0, state.step, true);
  bytes.set(new Uint8Array(floats.buffer), 4);
  return bytes;
}

/** Throws where the bytes are not a checkpoint of this shape. */
export function decodeState(config: EncoderConfig, bytes: Uint8Array, name: string): TrainerState {
  const shapes = parameterShapes(config).map(
    ([parameter, shape]) => [parameter, shape.reduce((product, n) => product * n, 1)] as const,
  );
  const total = 3 * shapes.reduce((sum, [, size]) => sum + size, 0);
  if (bytes.length !== 4 + 4 * total) {
    throw new Error(
      `${name}: ${bytes.length} bytes, a checkpoint of this encoder has ${4 + 4 * total}`,
    );
  }
  const copy = bytes.slice();
  const floats = new Float32Array(copy.buffer.slice(4));
  let at = 0;
  const group = (): EncoderWeights => {
    const weights: EncoderWeights = {};
    for (const [parameter, size] of shapes) {
      weights[parameter] = floats.slice(at, at + size);
      at += size;
    }
    return weights;
  };
  const step = new DataView(copy.buffer).getUint32(0, true);
  return { step, weights: group(), moments: [group(), group()] };
}
