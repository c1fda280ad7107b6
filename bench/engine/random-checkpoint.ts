import type { CheckpointFiles } from '../../src/policy/checkpoint/checkpoint-files.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { parameterSlots, type ParameterSlot } from '../../src/policy/checkpoint/weights.ts';

/** Bits of 1 in bf16. */
const ONE = 0x3f80;

/** bf16 of ±0.01 to ±0.04 (matrices), from the value's place alone. */
function randomBits(place: number): number {
  let z = Math.imul(place ^ (place >>> 15), 0x2c1b3c6d);
  z = Math.imul(z ^ (z >>> 12), 0x297a2d39);
  z ^= z >>> 15;
  // Sign, an exponent of 2^-7 or 2^-6, and all of the fraction.
  return ((z & 1) << 15) | (0x3c00 + ((z >>> 1) & 0xff));
}

/**
 * A checkpoint of a shape with random weights in bf16 that is kept nowhere: what is read is computed.
 * Norms are 1 and biases 0.
 */
export function randomCheckpoint(json: Record<string, unknown>): CheckpointFiles {
  const slots = parameterSlots(parsePolicyConfig(json));
  const entries = slots.map(({ name, shape, offset, length }) => [
    name,
    { dtype: 'BF16', shape, data_offsets: [2 * offset, 2 * (offset + length)] },
  ]);
  const encoder = new TextEncoder();
  const text = JSON.stringify(Object.fromEntries(entries));
  const header = encoder.encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const config = encoder.encode(JSON.stringify(json));
  const last = slots.at(-1)!;
  const size = 8 + header.length + 2 * (last.offset + last.length);
  const slotAt = (value: number): ParameterSlot =>
    slots.find(({ offset, length }) => value < offset + length)!;

  const weights = (start: number, end: number): Uint8Array => {
    if (start < 8 + header.length) {
      const head = new Uint8Array(8 + header.length);
      new DataView(head.buffer).setBigUint64(0, BigInt(header.length), true);
      head.set(header, 8);
      return head.subarray(start, end);
    }
    const first = (start - 8 - header.length) / 2;
    const bits = new Uint16Array((end - start) / 2);
    const { name, shape } = slotAt(first);
    if (name.endsWith('.bias')) return new Uint8Array(bits.buffer);
    if (shape.length === 1) bits.fill(ONE);
    else for (let i = 0; i < bits.length; i++) bits[i] = randomBits(first + i);
    return new Uint8Array(bits.buffer);
  };

  return {
    size: async (name) =>
      ({ 'config.json': config.length, 'model.safetensors': size })[name] ?? null,
    readRange: async (name, start, end) =>
      name === 'config.json' ? config.subarray(start, end) : weights(start, end),
  };
}
