import { createPolicy } from '../../src/policy/open/load.ts';
import { servePolicy } from '../../src/policy/serving/serve.ts';
import { initWeights } from '../../src/policy/checkpoint/weights.ts';
import { noTokenizer } from './no-tokenizer.ts';
import { BENCH_CONFIG, BENCH_SEED } from './shape.ts';

const policy = await createPolicy(
  initWeights(BENCH_CONFIG, BENCH_SEED),
  noTokenizer,
  { id: 'bench', revision: 'random', dtype: 'f32' },
  { device: 'wasm' },
);
servePolicy(policy, globalThis);
