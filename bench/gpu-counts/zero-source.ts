import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { TensorSource } from '../../src/policy/checkpoint/tensor-source.ts';
import { parameterSlots } from '../../src/policy/checkpoint/weights.ts';

/** A checkpoint of zeros of any size that takes the memory of its largest parameter. */
export function zeroSource(config: PolicyConfig, dtype: 'f32' | 'bf16'): TensorSource {
  const lengths = new Map(parameterSlots(config).map(({ name, length }) => [name, length]));
  const lengthOf = (name: string): number => {
    const length = lengths.get(name);
    if (length === undefined) throw new Error(`zeros: there is no parameter "${name}"`);
    return length;
  };
  let zeros = new Float32Array(0);
  const take = (length: number): Float32Array => {
    if (zeros.length < length) zeros = new Float32Array(length);
    return zeros.subarray(0, length);
  };
  const width = dtype === 'f32' ? 4 : 2;
  return {
    config,
    dtype,
    read: (name, from = 0, to = lengthOf(name)) => Promise.resolve(take(to - from)),
    stored: (name) =>
      Promise.resolve({
        dtype: dtype === 'f32' ? ('F32' as const) : ('BF16' as const),
        bytes: new Uint8Array(width * lengthOf(name)),
      }),
  };
}
