import { toFloat16Bits } from '../../src/policy/float16.ts';
import { initWeights } from '../../src/policy/weights.ts';
import { writeGguf } from './gguf.ts';
import { runOurs, startEngines } from './ours.ts';
import { BENCH_CONFIG, BENCH_SEED } from './shape.ts';
import { runWllama, startWllama } from './wllama.ts';

const weights = initWeights(BENCH_CONFIG, BENCH_SEED);

/** What `run.ts` calls from outside. */
const bench = {
  isolated: crossOriginIsolated,
  async ours(rollouts: number, workers: number, rounds: number) {
    const policy = await startEngines(workers);
    await runOurs(policy, rollouts, 8);
    const results = [];
    for (let round = 0; round < rounds; round++) results.push(await runOurs(policy, rollouts));
    policy.dispose();
    return results;
  },
  async wllama(rollouts: number, threads: number, half: boolean, rounds: number) {
    const gguf = new Blob([writeGguf(weights, half ? toFloat16Bits : undefined)]);
    const wllama = await startWllama(gguf, rollouts, threads);
    await runWllama(wllama, rollouts, 8);
    const results = [];
    for (let round = 0; round < rounds; round++) results.push(await runWllama(wllama, rollouts));
    await wllama.exit();
    return results;
  },
};
export type Bench = typeof bench;
Object.assign(globalThis, { bench });
