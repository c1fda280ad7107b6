import { deriveSeed, Random } from '../../../../src/base/random.ts';
import type { Ops } from '../../../../src/policy/ops/ops.ts';
import { MATRIX_TYPES } from '../../../../src/policy/ops/values.ts';
import { attention, attentionBackward } from './attention-cases.ts';
import { Builder, randomSizes, type CaseBody } from './builder.ts';
import { draws, scores } from './head-cases.ts';
import {
  embedding,
  feedForward,
  feedForwardBackward,
  residual,
  residualBackward,
} from './projection-cases.ts';

/** One operation, or a chain of them, on random input. */
export interface OpCase {
  readonly name: string;
  /**
   * How many times wider its results may differ than those of most: a key that is stored in 16 bits may
   * be rounded the other way, by 2^-11 of itself.
   */
  readonly scale: number;
  /** Makes its handles, runs and reads back; it frees nothing. The same input on every device. */
  run(ops: Ops): Promise<Record<string, Float32Array>>;
}

const BODIES: Record<string, CaseBody> = {
  embedding,
  residual,
  'residual backward': residualBackward,
  'feed-forward': feedForward,
  'feed-forward backward': feedForwardBackward,
  attention,
  'attention backward': attentionBackward,
  scores,
  draws,
};

/**
 * Random cases of every operation, forward and backward, each with every type of weights: ragged runs,
 * empty ones, odd sizes, groups, biases, norms of heads, adapters of some parts.
 */
export function* opCases(seed: number): Generator<OpCase> {
  for (const [body, run] of Object.entries(BODIES))
    for (const type of MATRIX_TYPES) {
      const own = deriveSeed(seed, body, type);
      const sizes = randomSizes(new Random(own), type);
      const { d, H, G, D, M, V, rank, store, window, gate, bias, headNorms, rotary, outputNorm } =
        sizes;
      const on = Object.entries({ bias, headNorms, rotary, outputNorm }).filter(([, is]) => is);
      const flags = [...on, [gate], ...(window ? [[`window ${window}`]] : [])];
      yield {
        name:
          `${body}, ${type}, seed ${seed}: d ${d}, ${H} heads of ${D} over ${G}, M ${M}, V ${V}, ` +
          `rank ${rank}, keys ${store}${flags.map(([flag]) => `, ${flag}`).join('')}`,
        scale: store === 'f16' && body.startsWith('attention') ? 100 : 1,
        run: (ops) => run(new Builder(ops, own + 1), sizes),
      };
    }
}
