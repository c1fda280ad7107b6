import type { PolicyConfig } from '../config.ts';
import { ropeTables } from '../rope.ts';

/**
 * Cosines and signed sines of all positions, each [maxPositions, headDim]. The sine is negative in
 * the first half, so that turning is `x cos + swapHalves(x) sin`.
 */
export interface RotaryTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

export function rotaryTables(config: PolicyConfig): RotaryTables {
  const { headDim, maxPositions } = config;
  const half = headDim / 2;
  const tables = ropeTables(maxPositions, headDim, config.ropeTheta);
  const cos = new Float32Array(maxPositions * headDim);
  const sin = new Float32Array(maxPositions * headDim);
  for (let position = 0; position < maxPositions; position++)
    for (let i = 0; i < half; i++) {
      const [from, to] = [position * half + i, position * headDim + i];
      cos[to] = cos[to + half] = tables.cos[from]!;
      sin[to + half] = tables.sin[from]!;
      sin[to] = -tables.sin[from]!;
    }
  return { cos, sin };
}
