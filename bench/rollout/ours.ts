import { connectPolicy, type RemotePolicy } from '../../src/policy/serving/connect.ts';
import { PolicyPool } from '../../src/policy/serving/pool.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { noTokenizer } from './no-tokenizer.ts';
import { promptLength } from './shape.ts';

/** One engine per worker, as the page runs them. */
export async function startEngines(count: number): Promise<PolicyPool> {
  const members = await Promise.all(
    Array.from({ length: count }, (): Promise<RemotePolicy> => {
      const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' });
      return connectPolicy(worker, noTokenizer);
    }),
  );
  return new PolicyPool(members);
}

async function rollout(policy: Policy, seed: number, maxTokens: number): Promise<number> {
  const session = await policy.open(seed);
  session.append(Array.from({ length: promptLength(seed) }, (_, i) => (i * 31 + seed) % 256));
  let streamed = 0;
  const { ids } = await session.generate({
    maxTokens,
    stopIds: [],
    sampling: { temperature: 1, topK: 0, topP: 1 },
    onTokens: (added) => {
      streamed += added.ids.length;
    },
  });
  session.close();
  if (streamed !== ids.length) throw new Error('bench: tokens were lost on the way');
  return ids.length;
}

/** All rollouts at once, tokens streamed to the page. Returns the number of tokens. */
export async function runOurs(policy: Policy, rollouts: number, tokens: number): Promise<number> {
  const seeds = Array.from({ length: rollouts }, (_, i) => i + 1);
  const counts = await Promise.all(seeds.map((seed) => rollout(policy, seed, tokens)));
  return counts.reduce((a, b) => a + b, 0);
}
