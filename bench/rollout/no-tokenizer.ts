import type { PolicyTokenizer } from '../../src/policy/policy.ts';
import { BENCH_CONFIG } from './shape.ts';

/** The bench feeds token ids; no text is read or written. */
export const noTokenizer: PolicyTokenizer = {
  vocabSize: BENCH_CONFIG.vocabSize,
  endOfText: 0,
  encodeText: () => [],
  specialId: () => undefined,
  decode: () => '',
};
