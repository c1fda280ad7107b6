import { connectPolicy, type RemotePolicy } from '../../src/policy/generation/connect.ts';
import { PolicyPool } from '../../src/policy/generation/pool.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { noTokenizer } from './no-tokenizer.ts';
import { GENERATED, promptLength } from './shape.ts';

export interface Measured {
  tokensPerSecond: number;
  seconds: number;
  /** Longest time between two timer ticks of 10 ms on the page's thread. */
  longestPause: number;
}

export async function startEngines(count: number): Promise<PolicyPool> {
  const members = await Promise.all(
    Array.from({ length: count }, (): Promise<RemotePolicy> => {
      const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' });
      return connectPolicy(worker, noTokenizer);
    }),
  );
  return new PolicyPool(members);
}

/** All rollouts at once, streamed as in the page. A first short round compiles the kernels. */
export async function runOurs(policy: Policy, rollouts: number, tokens = GENERATED) {
  const one = async (seed: number): Promise<number> => {
    const session = await policy.open(seed);
    session.append(Array.from({ length: promptLength(seed) }, (_, i) => (i * 31 + seed) % 256));
    let streamed = 0;
    const { ids } = await session.generate({
      maxTokens: tokens,
      stopIds: [],
      sampling: { temperature: 1, topK: 0, topP: 1 },
      onTokens: (added) => {
        streamed += added.ids.length;
      },
    });
    session.close();
    if (streamed !== ids.length) throw new Error('bench: tokens were lost on the way');
    return ids.length;
  };
  const start = performance.now();
  const counts = await Promise.all(Array.from({ length: rollouts }, (_, i) => one(i + 1)));
  const seconds = (performance.now() - start) / 1000;
  return { tokensPerSecond: counts.reduce((a, b) => a + b, 0) / seconds, seconds };
}
