import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import { ropeTables } from '../checkpoint/rope.ts';

/**
 * Cosines and signed sines of positions, each [positions, headDim]. The sine is negative in the first
 * half, so that turning is `x cos + swapHalves(x) sin`.
 */
export interface RotaryTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/** Tables of positions [from, to). */
function tablesOf(config: PolicyConfig, from: number, to: number): RotaryTables {
  const { headDim, ropeTheta } = config;
  const half = headDim / 2;
  const tables = ropeTables(to, headDim, ropeTheta, variantOf(config).rope, from);
  const cos = new Float32Array((to - from) * headDim);
  const sin = new Float32Array((to - from) * headDim);
  for (let row = 0; row < to - from; row++)
    for (let i = 0; i < half; i++) {
      const [at, to] = [row * half + i, row * headDim + i];
      cos[to] = cos[to + half] = tables.cos[at]!;
      sin[to + half] = tables.sin[at]!;
      sin[to] = -tables.sin[at]!;
    }
  return { cos, sin };
}

/** Positions that are computed together. */
const BLOCK = 1024;

/** Rotary factors by position, computed as far as contexts reach: a checkpoint may allow 131,072. */
export class Rotary {
  readonly #config: PolicyConfig;
  readonly #blocks: RotaryTables[] = [];

  constructor(config: PolicyConfig) {
    this.#config = config;
  }

  /** Views of the factors of one position, each [headDim]. */
  at(position: number): RotaryTables {
    const { headDim } = this.#config;
    const block = Math.floor(position / BLOCK);
    const tables = (this.#blocks[block] ??= tablesOf(
      this.#config,
      block * BLOCK,
      (block + 1) * BLOCK,
    ));
    const first = (position % BLOCK) * headDim;
    return {
      cos: tables.cos.subarray(first, first + headDim),
      sin: tables.sin.subarray(first, first + headDim),
    };
  }

  /** Tables of the first `count` positions. */
  first(count: number): RotaryTables {
    return tablesOf(this.#config, 0, count);
  }
}
